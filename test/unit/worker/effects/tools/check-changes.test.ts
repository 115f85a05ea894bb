import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';
import { checkChanges } from '../../../../../src/worker/effects/tools/check-changes.ts';
import { runToolCall } from '../../../../../src/worker/effects/tools/run-tools.ts';
import type { NumberedResult, Workspace } from '../../../../../src/worker/effects/tools/workspace.ts';
import { type Offload, OffloadError, offloadInline } from '../../../../../src/worker/offload/offload.ts';
import { stored } from '../../../core/edits/samples.ts';

const { ref, bytes } = stored('{}\n');

/** Breaks each of these files with one call, and checks the changes in a workspace with such a parser. */
async function breakFiles(paths: readonly string[], checkSyntax: () => Promise<never>, msPerCheck = 0) {
  let now = 0;
  const logged: string[] = [];
  const offload: Offload = (name, input) => {
    if (name !== 'checkSyntax') return offloadInline(name, input);
    now += msPerCheck;
    return msPerCheck > 0 ? offloadInline(name, input) : checkSyntax();
  };
  const workspace: Workspace = Object.assign(Object.create(null), {
    tree: new Map(paths.map((path) => [path, { mode: ref.mode, sha: ref.blob, size: bytes.length }])),
    repo: 'shop',
    rules: DEFAULT_SETTINGS,
    gate: { isApproved: () => false, canAsk: true },
    readBlobs: {},
    syntaxRefusals: new Set(),
    proposedPaths: new Set(),
    isAnsweredEarlier: () => false,
    offload,
    takeJoinAttempt: () => true,
    github: { fetchBlob: async () => bytes },
    log: { warn: (_: object, message: string) => void logged.push(message) },
    now: () => now,
  });
  const results: NumberedResult[] = [];
  for (const [index, path] of paths.entries()) {
    const toolCall = {
      id: `c${index}`,
      name: 'edit_file',
      arguments: JSON.stringify({ path, old_string: '{}', new_string: '{' }),
    };
    results.push({
      ...(await runToolCall(workspace, { turn: 1, toolCall, isCut: false }, { index, earlier: results })),
      turn: 1,
    });
  }
  return { results, checked: await checkChanges(workspace, results), logged };
}

describe('checkChanges', () => {
  it.each([
    ['hangs', new OffloadError('timeout', 'checkSyntax took longer than 5000 ms')],
    ['crashes', new OffloadError('crash', 'the thread ended')],
    ['has a bug', new TypeError('not a function')],
  ])('shows a change as it is if a parser %s, and logs it (S148)', async (_, error) => {
    const { results, checked, logged } = await breakFiles(['a.json'], () => Promise.reject(error));
    expect(results).toMatchObject([{ kind: 'change' }]);
    expect(checked).toEqual(results);
    expect(logged).toEqual(['change not checked for syntax errors']);
  });

  it('never asks a parser about other files (S148)', async () => {
    const { results, checked, logged } = await breakFiles(['a.md', 'b'], () => Promise.reject(new Error('asked')));
    expect(checked).toEqual(results);
    expect(logged).toEqual([]);
  });

  it('ends after five seconds in one batch; the other changes are shown without a check (S148)', async () => {
    const paths = ['a.json', 'b.json', 'c.json', 'd.json'];
    const { checked } = await breakFiles(paths, () => Promise.reject(new Error('unused')), 2_600);
    expect(checked.map(({ kind }) => kind)).toEqual(['output', 'output', 'change', 'change']);
  });
});
