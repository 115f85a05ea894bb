import { vi } from 'vitest';
import type { Stage } from './stage.ts';

/**
 * Runs `action`, and `onCall` right before the fake GitHub processes each call of the App. `onCall` gets the name (a
 * route, or `graphql <name>`) and the number of earlier calls. Returns the names of all calls.
 */
export async function beforeCalls(
  stage: Pick<Stage, 'github'>,
  onCall: (name: string, place: number) => void,
  action: () => Promise<unknown>,
): Promise<readonly string[]> {
  const { faults } = stage.github;
  const take = faults.take;
  const seen: string[] = [];
  const watching = vi.spyOn(faults, 'take').mockImplementation((request) => {
    const place = seen.push(request.route) - 1;
    onCall(request.route, place);
    return take(request);
  });
  try {
    await action();
  } finally {
    watching.mockRestore();
  }
  return seen;
}
