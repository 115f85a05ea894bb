import { describe, expect, it } from 'vitest';
import { runToolCall } from '../../../../src/worker/effects/run-tools.ts';
import type { Workspace } from '../../../../src/worker/effects/workspace.ts';
import { OffloadError } from '../../../../src/worker/offload/offload.ts';

const CALL = { id: 'c1', name: 'search', arguments: '{"pattern":"a"}' };

/** A call whose computation fails for this reason. */
function runFailingCall(error: Error): ReturnType<typeof runToolCall> {
  const failing: Pick<Workspace, 'offload'> = { offload: () => Promise.reject(error) };
  return runToolCall(Object.assign(Object.create(null), failing), CALL, []);
}

describe('a tool call that could not be offloaded', () => {
  it.each([
    ['timeout', 'took too long'],
    ['crash', 'could not be worked out'],
  ] as const)('after a %s the output says that nothing was executed, and what to do (H6)', async (why, words) => {
    const result = await runFailingCall(new OffloadError(why, 'given up'));
    expect(result).toMatchObject({ callId: 'c1', kind: 'output', readBlob: null });
    expect(result).toMatchObject({ output: expect.stringContaining(words) });
    expect(result).toMatchObject({ output: expect.stringContaining('Nothing was executed') });
  });

  it('an internal error is thrown and not sent to the model', async () => {
    await expect(runFailingCall(new Error('ours'))).rejects.toThrow('ours');
  });
});
