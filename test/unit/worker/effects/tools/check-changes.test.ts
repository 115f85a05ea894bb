import { describe, expect, it } from 'vitest';
import type { IssuedCall } from '../../../../../src/core/state/conversation.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';
import { checkChanges } from '../../../../../src/worker/effects/tools/check-changes.ts';
import { runToolCall } from '../../../../../src/worker/effects/tools/run-tools.ts';
import type { NumberedResult, Workspace } from '../../../../../src/worker/effects/tools/workspace.ts';
import { stored } from '../../../core/edits/samples.ts';

const { ref, bytes } = stored('{}\n');

/** Breaks each of these files with one call, and checks the changes. */
async function breakFiles(paths: readonly string[], msPerBlob = 0) {
  let now = 0;
  const logged: string[] = [];
  const workspace: Workspace = Object.assign(Object.create(null), {
    tree: new Map(paths.map((path) => [path, { mode: ref.mode, sha: ref.blob, size: bytes.length }])),
    repo: 'shop',
    rules: DEFAULT_SETTINGS,
    gate: { isApproved: () => false, canAsk: true },
    readings: [],
    syntaxRefusals: new Set(),
    isAnsweredEarlier: () => false,
    github: {
      fetchBlob: async () => {
        now += msPerBlob;
        return bytes;
      },
    },
    log: { warn: (_: object, message: string) => void logged.push(message) },
    now: () => now,
  });
  const results: NumberedResult[] = [];
  const calls: IssuedCall[] = [];
  for (const [index, path] of paths.entries()) {
    const toolCall = {
      id: `c${index}`,
      name: 'edit_file',
      arguments: JSON.stringify({ path, old_string: '{}', new_string: '{' }),
    };
    const call = { turn: 1, toolCall, isCut: false };
    calls.push(call);
    results.push({ ...(await runToolCall(workspace, call, results)), turn: 1 });
  }
  return { results, checked: await checkChanges(workspace, calls, results), logged };
}

describe('checkChanges', () => {
  it('never asks a parser about other files (S148)', async () => {
    const { results, checked, logged } = await breakFiles(['a.md', 'b']);
    expect(checked).toEqual(results);
    expect(logged).toEqual([]);
  });

  it('ends after five seconds in one batch; the other changes are shown without a check (S148)', async () => {
    const paths = ['a.json', 'b.json', 'c.json', 'd.json'];
    const { checked } = await breakFiles(paths, 2_600);
    expect(checked.map(({ kind }) => kind)).toEqual(['output', 'output', 'change', 'change']);
  });
});
