import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../../src/core/state/settings.ts';
import { runToolCall } from '../../../../../src/worker/effects/tools/run-tools.ts';
import type { DraftResult } from '../../../../../src/worker/effects/tools/workspace.ts';
import { type Offload, offloadInline } from '../../../../../src/worker/offload/offload.ts';
import { stored } from '../../../core/edits/samples.ts';

const PATH = 'src/rows.ts';

const row = (index: number) => `const row${index} = ${index};\n`;

const { ref, bytes } = stored(Array.from({ length: 200 }, (_, index) => row(index)).join(''));

/** Runs edits of one file as the calls of one response; counts how often the file is computed. */
async function runEdits(edits: readonly (readonly [search: string, replacement: string])[], maxAttempts = 100) {
  let [builds, attempts] = [0, 0];
  const offload: Offload = (name, input) => {
    if (name === 'buildText') builds += 1;
    return offloadInline(name, input);
  };
  const workspace = Object.assign(Object.create(null), {
    tree: new Map([[PATH, { mode: ref.mode, sha: ref.blob, size: bytes.length }]]),
    repo: 'shop',
    rules: DEFAULT_SETTINGS,
    gate: { isApproved: () => false, canAsk: true },
    readBlobs: {},
    proposedPaths: new Set(),
    isAnsweredEarlier: () => false,
    offload,
    takeJoinAttempt: () => {
      attempts += 1;
      return attempts <= maxAttempts;
    },
    github: { fetchBlob: async () => bytes },
  });
  const results: DraftResult[] = [];
  for (const [index, [search, replacement]] of edits.entries()) {
    const args = JSON.stringify({ path: PATH, old_string: search, new_string: replacement });
    const call = { turn: 1, toolCall: { id: `c${index}`, name: 'edit_file', arguments: args }, isCut: false };
    results.push(await runToolCall(workspace, call, { index, earlier: results }));
  }
  return { results, builds };
}

describe('calls of one response in one file', () => {
  const apart = Array.from({ length: 12 }, (_, index) => [row(9 * index), `const other${index} = 1;\n`] as const);

  it('that search text which is nowhere compute the file once each, beside any number of changes (S145)', async () => {
    const failing = Array.from({ length: 12 }, (_, index) => [`there is no value ${index}`, 'x'] as const);
    const { results, builds } = await runEdits([...apart, ...failing]);
    expect(results.map(({ kind }) => kind)).toEqual([...apart.map(() => 'change'), ...failing.map(() => 'output')]);
    expect(builds).toBe(24);
  });

  it('that need the text of an earlier one wait for it after many attempts to join them (S145, T15)', async () => {
    const needing = ['const other3', 'const other4'].map((text) => [text, 'const more'] as const);
    const { results } = await runEdits([...apart, ...needing], 1);
    expect(results.slice(-2)).toMatchObject([
      { kind: 'change', calls: [{ callId: 'c3' }, { callId: 'c12' }] },
      { kind: 'depends-on-call', dependsOn: { callId: 'c4' }, relation: 'needs-text' },
    ]);
  });

  it('become one change also where the text is there only without lines that an earlier one deletes (S145)', async () => {
    const { results } = await runEdits([
      [row(5), ''],
      [`${row(4)}${row(6)}`, 'gone();\n'],
    ]);
    expect(results[1]).toMatchObject({ kind: 'change', calls: [{ callId: 'c0' }, { callId: 'c1' }] });
  });
});
