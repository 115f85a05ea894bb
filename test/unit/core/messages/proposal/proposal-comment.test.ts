import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildDelete } from '../../../../../src/core/edits/build/build-files.ts';
import { type FileChange, unifiedDiffOf } from '../../../../../src/core/edits/change.ts';
import type { Placement } from '../../../../../src/core/edits/placement.ts';
import { byteLength } from '../../../../../src/core/edits/text/characters.ts';
import {
  parsePostedMarkdown,
  renderPostedProposal,
  suggestionRoundTrips,
} from '../../../../../src/core/messages/proposal/exact-page.ts';
import { renderOpenProposal, renderProposal } from '../../../../../src/core/messages/proposal/proposal-comment.ts';
import { stateLabel } from '../../../../../src/core/messages/proposal/proposal-status.ts';
import { PROPOSAL_STATES } from '../../../../../src/core/state/proposal.ts';
import { changeOf, stored } from '../../edits/samples.ts';
import { foreignNodes } from '../foreign-nodes.ts';
import { hostileText } from '../hostile-text.ts';
import { liveText, nodesOf } from '../markdown-tree.ts';
import {
  ana,
  ben,
  bigint,
  commit,
  edit,
  inConversation,
  inSuggestion,
  longWrite,
  origin,
  proposal,
  total,
  view,
  vote,
  write,
} from '../sample.ts';
import { suggestionIn } from '../suggestion-in.ts';

const runs = { numRuns: 200 };

const inFile: Placement = { kind: 'file', path: 'src/total.ts' };

function lines(amount: number, word = 'line'): string {
  return Array.from({ length: amount }, (_, index) => `${word} ${index + 1}\n`).join('');
}

function body(...args: Parameters<typeof view>): string {
  return renderProposal(view(...args)).body;
}

function suggestionPlacement(block: readonly string[]): Placement {
  return { kind: 'suggestion', path: 'src/total.ts', startLine: null, line: 2, lines: block };
}

function diffLines(text: string): readonly string[] {
  return nodesOf(text).flatMap((node) => (node.type === 'code' && node.lang === 'diff' ? [node.value] : []));
}

describe('an open proposal', () => {
  it('shows a suggestion with everything needed to decide (S31, S36)', () => {
    expect(body(proposal(bigint), inSuggestion)).toMatchInlineSnapshot(`
      "<!-- countersign:proposal:k7q2 -->

      **Edit** \`src/total.ts\` (line 2) · \`k7q2\`

      \`\`\`suggestion
        let total = 0n;
      \`\`\`

      Reason, written by the model:

      > Sums beyond \`2^53\` lose digits.

      **Pending:** \`/approve\` · \`/deny [reason]\` · reply with what to change, or with a \`suggestion\` block for line 2 · \`/help\` for more

      Change 1 of 2 · digest \`b93c30667e39\` · head \`9f8e7d6\`: [\`src/total.ts\`](https://github.com/ana/shop/blob/9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c/src/total.ts#L2)"
    `);
  });

  it('shows the same in the conversation, with the id in every command (S36, C15)', () => {
    expect(body(proposal(bigint), inConversation, ['package.json can run code.'])).toMatchInlineSnapshot(`
      "<!-- countersign:proposal:k7q2 -->

      **Edit** \`src/total.ts\` (line 2) · \`k7q2\`

      ⚠️ \`package.json\` can run code.

      \`\`\`diff
      --- a/src/total.ts
      +++ b/src/total.ts
      @@ -1,5 +1,5 @@
       export function sum(items) {
      -  let total = 0;
      +  let total = 0n;
         for (const item of items) total += item;
         return total;
       }
      \`\`\`

      Reason, written by the model:

      > Sums beyond \`2^53\` lose digits.

      **Pending:** \`/approve k7q2\` · \`/deny k7q2 [reason]\` · \`/edit k7q2 <instruction>\` · \`/help\` for more

      Change 1 of 2 · digest \`b93c30667e39\` · head \`9f8e7d6\`: [\`src/total.ts\`](https://github.com/ana/shop/blob/9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c/src/total.ts#L2)"
    `);
  });

  it.each([
    [{}, null],
    [{ requiredApprovers: 'admin' }, '0 of 1 approvals**: 1 more needed, by somebody with admin access.'],
    [
      { requiredApprovers: 'maintain', requiredApprovals: 3 },
      '3 more needed, by people with maintain or admin access.',
    ],
    [{ requiredApprovers: 'codeowners' }, ': 1 more needed, with a code owner of each path among the approvers.'],
  ] as const)('with %j it says who must approve (S36, S70)', (more, expected) => {
    const text = body(proposal(bigint, { requiredApprovals: 1, ...more }), inConversation);
    if (expected === null) expect(text).not.toContain('approvals**');
    else expect(text).toContain(expected);
  });

  it('warns with this text before a file is overwritten, and shows a diff (S31, S32, T11)', () => {
    const text = body(proposal(write('notes.md', lines(42), lines(150, 'new'))), inFile);
    expect(text).toContain('⚠️ This will overwrite existing file (was 42 lines, now 150 lines)');
    expect(text).toContain('**Write** `notes.md` (150 lines)');
    expect(diffLines(text)[0]).toContain('-line 1\n');
  });

  it('calls a new file new (S31)', () => {
    expect(body(proposal(write('notes.md', null, lines(150))), inConversation)).toContain('(150 lines, new file)');
  });

  it.each([
    [20, 0],
    [60, 1],
    [200, 1],
  ])('a new file of %i lines has each row once, the later ones in %i folds (S29, R25)', (amount, folds) => {
    const change = write('notes.md', null, lines(amount));
    const text = body(proposal(change), inConversation);
    expect(text.split('<details>').length - 1).toBe(folds);
    expect(`${diffLines(text).join('\n')}\n`).toBe(unifiedDiffOf(change.payload));
  });

  it('a deletion shows its first lines and a link to the whole file (S29)', () => {
    const file = stored(lines(900));
    const change = changeOf(buildDelete({ path: 'notes.md', repositoryName: 'shop', file }));
    const text = body(proposal(change), inConversation);
    expect(diffLines(text).join('\n').split('\n')).toHaveLength(50);
    expect(text).toContain('(showing 50 of 903 lines)');
    expect(text).toContain('head `9f8e7d6`: [`notes.md`](');
  });

  it('the change comes before the model’s text (B15)', () => {
    const text = body(proposal(bigint), inSuggestion);
    expect(text.indexOf('```suggestion')).toBeLessThan(text.indexOf('written by the model'));
  });

  it('shows rows as they are, and names characters that nobody sees (C8, S35)', () => {
    const why = { kind: 'conversation', path: 'a.ts' } as const;
    const text = body(proposal(edit('a.ts', 'one\ntwo\n', 'two', 'tw\u202Eo')), why);
    expect(text).toMatch(/⚠️ This adds characters that nobody sees: .*U\+202E.* in line 2\./);
    expect(text).toContain('+tw\u202Eo\n');
    const unchanged = body(proposal(edit('a.ts', 'one\u202E\ntwo\u001B\n', 'two', 'three')), inConversation);
    expect(unchanged).not.toContain('⚠️');
    expect(unchanged).toMatch(/The file has characters that nobody sees: .*U\+202E/);
    expect(unchanged).toContain('+three\u241B\n');
  });

  it('does not say that a change adds the byte order mark that was there (S35)', () => {
    const why = { kind: 'file', path: 'a.txt' } as const;
    const text = body(proposal(edit('a.txt', '\u{FEFF}a\n', 'a', 'z')), why);
    expect(text).not.toContain('characters that nobody sees:');
  });

  it('warns of a new path that mixes letters of several alphabets (C9)', () => {
    const bodyOf = (change: FileChange) => body(proposal(change), inConversation);
    const path = 'src/p\u0430y.ts';
    const warning = 'mixes letters of several alphabets';
    expect(bodyOf(write(path, null, 'x\n'))).toContain(warning);
    expect(bodyOf({ ...bigint, op: 'move', from: 'src/pay.ts', path })).toContain(warning);
    expect(bodyOf(edit(path, 'one\n', 'one', 'two'))).not.toContain(warning);
    expect(bodyOf(write('docs/\u043F\u043B\u0430\u043D.md', null, 'x\n'))).not.toContain(warning);
  });

  it.each([
    ['requirements/dev.txt', 'a package manifest: its content can run as code'],
    ['.mcp.json', 'a setting of coding agents: its content steers coding agents and can run as code'],
    ['.cursor/rules/a.mdc', 'a setting of coding agents: its content steers coding agents and can run as code'],
  ])('warns that %s is %s (X16)', (path, text) => {
    const shown = body(proposal(write(path, null, 'x\n')), inConversation);
    expect(shown).toContain(`is ${text}.`);
  });

  it('files that GitHub would fold as generated or vendored are shown unfolded (E17)', () => {
    for (const path of ['dist/app.min.js', 'vendor/left-pad.js', 'api/client.pb.go'])
      expect(body(proposal(write(path, null, 'x();\n')), inConversation)).toMatch(/\n```diff\n(?!.*<details>)/s);
  });

  it('a suspected secret is masked only in the model’s text: path, commands and all lines stay unchanged (S38)', () => {
    const [before, after] = [`ghp_${'a1B2'.repeat(9)}`, `AKIA${'Q7'.repeat(8)}`];
    const path = `keys/xoxb-${'12'.repeat(6)}.ts`;
    const text = `one\nconst token = '${before}';\ntwo\n`;
    const change = write(path, text, text.replace(before, after));
    const asked = proposal(change, { modelReason: `Puts ${after} for ${before}` });
    for (const place of [inConversation, suggestionPlacement([`const token = '${after}';`])]) {
      const shown = body(asked, place);
      expect(shown).toContain(`\`${path}\``);
      expect(shown).toContain(`const token = '${after}';`);
      expect(shown).toContain('/approve');
      const quoted = shown.split('\n').filter((line) => line.startsWith('> '));
      expect(quoted.join('\n')).toMatch(/Puts .*\[redacted\].*for.*\[redacted\]/);
    }
    expect(diffLines(body(asked, inConversation)).join('\n')).toContain(
      `-const token = '${before}';\n+const token = '${after}';`,
    );
  });

  it('a change of line endings alone can be seen (B18)', () => {
    const text = body(proposal(write('a.txt', 'a\nb\n', 'a\r\nb\n')), { kind: 'file', path: 'a.txt' });
    expect(text).toContain('-a\n+a\n');
    expect(text).toContain('Only white space differs: line 1.');
    expect(text).toContain('Some lines end with CR LF, others with LF.');
    const all = body(proposal(edit('a.txt', 'a\r\nb\r\n', 'b', 'c')), inFile);
    expect(all).toContain('All lines end with CR LF');
    expect(all).toContain('-b\n+c\n');
  });

  it.each([
    ['-- drop\n-- keep\r\n', '-- drop\r\n-- keep\r\n', '--- drop\n+-- drop\n'],
    ['a\r\nb\r\n', 'a\r\n++ x\nb\r\n', ' a\n+++ x\n b\n'],
  ])(
    'does not say that all lines end with CR LF when at least one line does not: %j (B15, B18)',
    (before, after, shown) => {
      const text = body(proposal(write('a.sql', before, after)), inConversation);
      expect(text).not.toContain('All lines end with CR LF');
      expect(text).toContain('Some lines end with CR LF, others with LF.');
      expect(text).toContain(shown);
    },
  );

  it('an unknown type shows its description and the commands (S25)', () => {
    const unknown = JSON.parse(JSON.stringify(bigint));
    unknown.payload = { type: 'teleport', description: 'Teleport a.ts to b.ts', path: 'a.ts', sandbox: 'shop' };
    const text = body(proposal(unknown), inConversation);
    expect(text).toContain('Teleport `a.ts` to `b.ts`');
    expect(text).toContain('`/approve k7q2`');
  });

  it('a change that fits in no comment has no command to approve it (B16)', () => {
    const big = proposal(longWrite('big.txt', ['x'.repeat(60_000)]));
    expect(renderOpenProposal(view(big, inConversation))).toBeNull();
    const text = body(big, inConversation);
    expect(text).not.toContain('/approve');
    expect(renderOpenProposal(view(proposal(bigint), inSuggestion))).not.toBeNull();
  });
});

describe('a decided proposal', () => {
  const decided = {
    approved: { votes: [vote('approve', ana)] },
    executing: { votes: [vote('approve', ana)] },
    completed: { votes: [vote('approve', ana), vote('approve', ben)], commitSha: commit },
    rejected: { votes: [vote('edit', ben, 'use a Decimal\n/approve')], replacedBy: 'm3x8' },
    failed: { votes: [vote('approve', ana)], note: 'the branch is protected' },
    superseded: { note: 'withdrawn by ana with /continue' },
    expired: {},
    cancelled: { note: 'the run was stopped' },
  } as const;

  it('shows its outcome and who decided (S72)', () => {
    const said = PROPOSAL_STATES.flatMap((state) => {
      if (state === 'proposed') return [];
      const one = proposal(bigint, { state, ...decided[state] });
      return body(one, inSuggestion).split('\n\n<details>')[0]?.split('`k7q2`\n\n')[1];
    });
    expect(said.join('\n----\n')).toMatchInlineSnapshot(`
      "**Approved** by ana. It will be committed shortly.
      ----
      **Executing**, approved by ana. It is being committed now.
      ----
      **Completed:** applied in [\`1a2b3c4\`](https://github.com/ana/shop/commit/1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d), approved by ana and ben-k.
      ----
      **Asked for something else** by ben-k. Nothing was changed.

      > use a Decimal
      >
      > \`/approve\`

      Replaced by \`m3x8\`.
      ----
      **Failed.** Nothing was changed. The branch is protected.
      ----
      **Withdrawn** without a decision. Nothing was changed. Withdrawn by ana with \`/continue\`.
      ----
      **Expired** without a decision. Nothing was changed.
      ----
      **Cancelled** without a decision. Nothing was changed. The run was stopped."
    `);
  });

  it.each(PROPOSAL_STATES)('%s: its page names the state by the word of the run’s table (S72, S75)', (state) => {
    const one = proposal(bigint, { state, ...(state === 'proposed' ? {} : decided[state]) });
    const page = body(one, inSuggestion);
    expect(page.toLowerCase()).toMatch(new RegExp(`^(?:⚠️ )?\\*\\*${stateLabel(one)}\\b`, 'm'));
    const reading = proposal(bigint, { state, commitSha: commit });
    if (state === 'failed') expect(body(reading, inSuggestion)).toContain('**Failed: not as approved.**');
  });

  it('the button is removed, and the change is a folded diff (S72)', () => {
    for (const state of PROPOSAL_STATES.filter((one) => one !== 'proposed')) {
      const text = body(proposal(bigint, { state }), inSuggestion);
      expect(suggestionIn(text)).toEqual({ kind: 'none' });
      expect(diffLines(text)).toHaveLength(1);
      expect(text).not.toContain('`/approve');
    }
  });

  it('a posted proposal is read back again, and offers no suggestion that would read differently (S34)', () => {
    const standing = view(proposal(bigint), inSuggestion);
    expect(renderPostedProposal(standing)).toEqual(renderProposal(standing));
    const { body: text } = renderPostedProposal(view(proposal(bigint), suggestionPlacement(['let total\0 = 0n;'])));
    expect(suggestionIn(text)).toEqual({ kind: 'none' });
    expect(text).toContain('you cannot decide on it here');
    expect(text).not.toContain('/approve');
  });

  it('does not say that nobody decided when an approved change is withdrawn (S72)', () => {
    const note = 'the file changed after the change was proposed';
    const text = body(proposal(bigint, { state: 'superseded', votes: [vote('approve', ana)], note }), inSuggestion);
    expect(text).toContain('**Withdrawn** after it was approved. Nothing was changed. The file changed');
  });
});

describe('any proposal', () => {
  const change = fc.record({
    path: hostileText,
    text: hostileText,
    reason: hostileText,
    note: hostileText,
    times: fc.constantFrom(1, 1, 1, 20),
  });

  it('contains nothing foreign and at most 60,000 bytes, with any content (S30, C1, C2, C3, C7)', () => {
    fc.assert(
      fc.property(change, fc.constantFrom(...PROPOSAL_STATES), fc.boolean(), (made, state, block) => {
        const content = `${made.text.toWellFormed().replaceAll('\0', '')}\n`.repeat(made.times);
        const written = { ...write('f.txt', null, content), path: made.path };
        const placement: Placement = block
          ? { kind: 'suggestion', path: made.path, startLine: null, line: 1, lines: content.split('\n') }
          : inConversation;
        const one = proposal(written, {
          state,
          modelReason: made.reason,
          note: made.note,
          votes: [vote('deny', ana, made.note)],
        });
        const text = body(one, placement, [made.note]);
        expect(byteLength(text)).toBeLessThanOrEqual(60_000);
        expect(foreignNodes(text, origin)).toEqual([]);
        const open = state === 'proposed' && block && renderOpenProposal(view(one, placement, [made.note])) !== null;
        expect(suggestionIn(text).kind === 'none').toBe(!open);
        for (const live of liveText(text)) expect(live).not.toMatch(/@|#\d|:\/\/|<!--/);
      }),
      runs,
    );
  });

  it('near the limit a body is complete or contains no command (S30, B16)', () => {
    for (let amount = 52_000; amount < 60_500; amount += 171) {
      const one = proposal(longWrite('f.txt', ['x'.repeat(amount)]));
      const { body: text } = renderProposal(view(one, inConversation));
      expect(byteLength(text)).toBeLessThanOrEqual(60_000);
      expect(text.split('\n').includes(`+${'x'.repeat(amount)}`)).toBe(text.includes('/approve'));
      expect(
        byteLength(body({ ...one, state: 'completed', note: 'x '.repeat(9000) }, inConversation)),
      ).toBeLessThanOrEqual(60_000);
    }
    const ticks = proposal(longWrite('f.txt', ['`'.repeat(30_000)]), { state: 'rejected' });
    expect(byteLength(body(ticks, inConversation))).toBeLessThanOrEqual(60_000);
  });

  it('refuses two blocks, an unclosed fence and a block inside a quote (S34)', () => {
    const block = '```suggestion\na\n```';
    expect(suggestionRoundTrips(parsePostedMarkdown(block), ['a'])).toBe(true);
    expect(suggestionRoundTrips(parsePostedMarkdown(`${block}\n\n${block}`), ['a'])).toBe(false);
    expect(suggestionRoundTrips(parsePostedMarkdown('```suggestion\na'), ['a'])).toBe(false);
    expect(suggestionRoundTrips(parsePostedMarkdown('> ```suggestion\n> a\n> ```'), ['a'])).toBe(false);
    expect(suggestionRoundTrips(parsePostedMarkdown('> ```suggestion\n> a\n> ```'), null)).toBe(false);
  });

  it('the check of foreign parts can fail (C3)', () => {
    expect(foreignNodes('<b>x</b> ![a](b) [a](http://evil.test) \n\n# A', origin)).toHaveLength(5);
    expect(total).toContain('total');
  });
});
