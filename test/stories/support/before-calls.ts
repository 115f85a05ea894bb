import { vi } from 'vitest';
import type { Stage } from './stage.ts';

/**
 * Does something right before the App's calls to GitHub are looked at, during `deed`. `happens` gets the call's name
 * (a route, or `graphql <field>`) and how many came before it.
 */
export async function beforeCalls(
  stage: Pick<Stage, 'github'>,
  happens: (name: string, place: number) => void,
  deed: () => Promise<unknown>,
): Promise<readonly string[]> {
  const { faults } = stage.github;
  const take = faults.take;
  const seen: string[] = [];
  const watching = vi.spyOn(faults, 'take').mockImplementation((name) => {
    const place = seen.push(name) - 1;
    happens(name, place);
    return take(name);
  });
  try {
    await deed();
  } finally {
    watching.mockRestore();
  }
  return seen;
}
