import { describe, expect, it } from 'vitest';
import { serveCall } from '../../src/worker/serve-call.ts';
import { WorkGivenUp } from '../../src/worker/work-out.ts';
import type { Workspace } from '../../src/worker/workspace.ts';

const CALL = { id: 'c1', name: 'search', arguments: '{"pattern":"a"}' };

/** A call whose arguments cannot be worked out for this reason. */
function served(error: Error): ReturnType<typeof serveCall> {
  const failing: Pick<Workspace, 'workOut'> = { workOut: () => Promise.reject(error) };
  return serveCall(Object.assign(Object.create(null), failing), CALL, []);
}

describe('a call that could not be worked out', () => {
  it.each([
    ['time', 'took too long'],
    ['crash', 'could not be worked out'],
  ] as const)('H6: for %s the model is told that nothing was executed, and what to do', async (why, words) => {
    const result = await served(new WorkGivenUp(why, 'given up'));
    expect(result).toMatchObject({ callId: 'c1', kind: 'output', read: null });
    expect(result).toMatchObject({ output: expect.stringContaining(words) });
    expect(result).toMatchObject({ output: expect.stringContaining('Nothing was executed') });
  });

  it('a fault of ours is none of the model’s', async () => {
    await expect(served(new Error('ours'))).rejects.toThrow('ours');
  });
});
