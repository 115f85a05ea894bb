import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';
import { runToolCall } from '../../../../../src/worker/effects/tools/run-tools.ts';
import type { Workspace } from '../../../../../src/worker/effects/tools/workspace.ts';
import { type Offload, OffloadError, offloadInline } from '../../../../../src/worker/offload/offload.ts';

const CALL = { turn: 1, toolCall: { id: 'c1', name: 'search', arguments: '{"query":"a"}' }, isCut: false };

/** A call whose computation fails for this reason. */
function runFailingCall(error: Error): ReturnType<typeof runToolCall> {
  const failing: Pick<Workspace, 'offload'> = { offload: () => Promise.reject(error) };
  return runToolCall(Object.assign(Object.create(null), failing), CALL, { index: 0, earlier: [] });
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

describe('an outline whose grammar fails', () => {
  const bytes = Buffer.from('let a = 1;\n  let b = 2;\nlet c = 3;\n');
  const tree = new Map([['a.ts', { mode: '100644', sha: 'b'.repeat(40), size: bytes.length }]]);

  /** An outline whose computation fails for this reason. */
  function runOutline(error: Error): ReturnType<typeof runToolCall> {
    const offload: Offload = (name, input) =>
      name === 'parsedOutline' ? Promise.reject(error) : offloadInline(name, input);
    const gate = { isApproved: () => false, canAsk: true };
    const github = { fetchBlob: async () => bytes };
    const workspace = { tree, repo: 'shop', offload, offloadReading: offload, github, rules: DEFAULT_SETTINGS, gate };
    const call = { turn: 1, toolCall: { id: 'c1', name: 'outline', arguments: '{"path":"a.ts"}' }, isCut: false };
    return runToolCall(Object.assign(Object.create(null), workspace), call, { index: 0, earlier: [] });
  }

  it.each(['timeout', 'crash'] as const)('is plain after a %s, and no failure (S143)', async (why) => {
    expect(await runOutline(new OffloadError(why, 'given up'))).toMatchObject({
      output: expect.stringMatching(/lines at column 0 .*:\n1: let a = 1;\n3: let c = 3;$/),
    });
  });

  it('an internal error is thrown', async () => {
    await expect(runOutline(new Error('ours'))).rejects.toThrow('ours');
  });
});
