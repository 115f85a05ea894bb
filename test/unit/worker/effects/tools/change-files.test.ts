import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';
import type { TreeEntry } from '../../../../../src/core/step/ports.ts';
import { runToolCall } from '../../../../../src/worker/effects/tools/run-tools.ts';
import type { Workspace } from '../../../../../src/worker/effects/tools/workspace.ts';

const sha = 'b'.repeat(40);

const FILES = 2_000;

const STEPS = 30;

/** A call of many changes in a large repository. */
function changeMany(changes: readonly object[]): ReturnType<typeof runToolCall> {
  const paths = Array.from({ length: FILES }, (_, at) => `src/file${at}.ts`);
  const tree = new Map<string, TreeEntry>([['src', { mode: '040000', sha, size: null }]]);
  for (const path of paths) tree.set(path, { mode: '100644', sha, size: 1 });
  const workspace: Partial<Workspace> = {
    tree,
    repo: 'shop',
    rules: DEFAULT_SETTINGS,
    gate: { isApproved: () => false, canAsk: true },
    readings: [],
    isAnsweredEarlier: () => false,
  };
  const toolCall = { id: 'c1', name: 'change_files', arguments: JSON.stringify({ summary: 'Add files.', changes }) };
  return runToolCall(Object.assign(Object.create(null), workspace), { turn: 1, toolCall, isCut: false }, []);
}

const WRITES = Array.from({ length: STEPS }, (_, at) => ({
  op: 'write',
  path: `new/file${at}.ts`,
  content: 'go();\n',
}));

afterEach(() => void vi.restoreAllMocks());

describe('a call of many changes in a large repository', () => {
  it('folds the paths of the head once, not for each change (S146, H6)', async () => {
    const folds = vi.spyOn(String.prototype, 'normalize');
    expect(await changeMany(WRITES)).toMatchObject({ kind: 'change' });
    expect(folds.mock.calls.length).toBeLessThan(2 * FILES);
  });

  it('lets the event loop turn before each change (S146, H6)', async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await changeMany(WRITES);
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(STEPS);
  });

  it('still finds names that differ only in case, of the head and of the call (S146, E1)', async () => {
    const [first, second] = ['SRC/x.ts', 'NEW/file0.ts'];
    for (const path of [first, second]) {
      const result = await changeMany([...WRITES.slice(0, 2), { op: 'write', path, content: 'go();\n' }]);
      expect(result).toMatchObject({ kind: 'output', output: expect.stringContaining('differs only in case') });
    }
  });
});
