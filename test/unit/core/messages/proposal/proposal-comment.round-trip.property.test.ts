import { applyPatch, structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileChange, singleChange } from '../../../../../src/core/edits/change.ts';
import { applySuggestion, choosePlacement, type Placement } from '../../../../../src/core/edits/placement.ts';
import { applyUnifiedDiff } from '../../../../../src/core/edits/text/hunks.ts';
import { proposalRoundTrips } from '../../../../../src/core/messages/proposal/exact-page.ts';
import {
  type RenderedProposal,
  renderOpenProposal,
} from '../../../../../src/core/messages/proposal/proposal-comment.ts';
import { anyText, editOf, plainText, rewriteOf, rewritten, shownDiff } from '../../edits/samples.ts';
import { hostileText } from '../hostile-text.ts';
import { nodesOf } from '../markdown-tree.ts';
import { inConversation, links, proposal, view, write } from '../sample.ts';
import { suggestionIn } from '../suggestion-in.ts';

/** 600 with every push; a release sets ROUND_TRIPS=200000. */
const ROUND_TRIPS = Number(process.env['ROUND_TRIPS'] ?? 600);

function patchOf(old: string, text: string): string {
  const { hunks } = structuredPatch('a', 'b', old, text, '', '', { context: 3 });
  const head = (hunk: (typeof hunks)[number]) =>
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
  return hunks.map((hunk) => [head(hunk), ...hunk.lines].join('\n')).join('\n');
}

function rendered(change: FileChange, placement: Placement, modelReason = 'So it is right.'): RenderedProposal {
  const comments = renderOpenProposal(view(proposal(change, { modelReason }), placement, [modelReason]));
  if (comments === null) throw new Error('It cannot be shown.');
  return comments;
}

function isExact(page: RenderedProposal, change: FileChange, placement: Placement, text: string): boolean {
  return proposalRoundTrips(page, { change: singleChange(change), placement, memberTexts: [text] });
}

/** The file after the page's button is pressed or its diff is applied. */
function taken(before: string, { body }: RenderedProposal, placement: Placement): string | false {
  if (placement.kind === 'suggestion') {
    const found = suggestionIn(body);
    return found.kind === 'one' && applySuggestion(before, placement.startLine, placement.line, found.lines);
  }
  const diff = nodesOf(body)
    .map((node) => (node.type === 'code' ? `${node.value}\n` : ''))
    .join('');
  return applyPatch(before, diff, { fuzzFactor: 0, autoConvertLineEndings: false });
}

describe('any change in its posted Markdown', () => {
  it.each([
    ['plain', plainText],
    ['any', anyText],
  ])(`is the stored change, as a block and as a diff (%s) (S34, B17)`, { timeout: 60 * ROUND_TRIPS }, (_, text) => {
    let blocks = 0;
    fc.assert(
      fc.property(text, rewritten(text), (old, { before, after }) => {
        const change = rewriteOf(before, after);
        if (change === null) return;
        const made = applyUnifiedDiff(before, shownDiff(change));
        expect(made).not.toBeNull();
        const best = choosePlacement({ change, baseText: before, patch: patchOf(old, before), inPullRequest: true });
        if (best.kind === 'suggestion') blocks += 1;
        for (const placement of best.kind === 'suggestion' ? [best, inConversation] : [best]) {
          const page = rendered(change, placement);
          expect(isExact(page, change, placement, before)).toBe(true);
          if (!/[\r\u{FEFF}]/u.test(before + (made ?? ''))) expect(taken(before, page, placement)).toBe(made);
        }
      }),
      { numRuns: Math.ceil(ROUND_TRIPS / 2) },
    );
    expect(blocks).toBeGreaterThan(ROUND_TRIPS / 40);
  });

  it('with any lines and any description (S34, C1, C7)', () => {
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (before, after, reason) => {
        const [base, text] = [before, after].map((one) => one.toWellFormed().replaceAll('\0', '')) as [string, string];
        const change = rewriteOf(base, text);
        if (change === null) return;
        const page = rendered(change, inConversation, reason);
        expect(isExact(page, change, inConversation, base)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each([3, 4, 40])('with %i backticks (S34, C1)', (ticks) => {
    const change = editOf('a\nb\n', 'b', `${'`'.repeat(ticks)}suggestion\nrm\n${'`'.repeat(ticks)}`);
    const placement = choosePlacement({
      change,
      baseText: 'a\nb\n',
      patch: patchOf('', 'a\nb\n'),
      inPullRequest: true,
    });
    for (const place of [placement, inConversation])
      expect(isExact(rendered(change, place), change, place, 'a\nb\n')).toBe(true);
    expect(placement.kind).toBe('suggestion');
  });
});

describe('the check before posting', () => {
  const base = 'one\ntwo\nthree\n';
  const change = editOf(base, 'two', 'zwei');
  const block = choosePlacement({ change, baseText: base, patch: patchOf('', base), inPullRequest: true });
  const meant = { change: singleChange(change), placement: inConversation, memberTexts: [base] };

  it('refuses a page with other, less, or more content (B3, B16)', () => {
    const page = rendered(change, inConversation);
    const says = (body: string): boolean => proposalRoundTrips({ ...page, body }, meant);
    expect(says(page.body)).toBe(true);
    expect(says(page.body.replace('+zwei', '+drei'))).toBe(false);
    expect(says(page.body.replace(' three\n', ''))).toBe(false);
    expect(says(page.body.replace('-two\n+zwei', '+zwei\n-two'))).toBe(false);
    for (const more of ['```suggestion\nx\n```', '<b>x</b>', '![x](https://evil.test)', '# Approved'])
      expect(says(`${page.body}\n\n${more}`)).toBe(false);
  });

  it.each([
    '[x](https://evil.test)',
    '<https://evil.test>',
    'https://evil.test',
    'www.evil.test',
    '@ana',
    `[x](${links.repository}-evil/x)`,
  ])('refuses a page that links elsewhere or mentions a person: %s (C5, C7)', (more) => {
    const page = rendered(change, inConversation);
    expect(proposalRoundTrips({ ...page, body: `${page.body}\n\nSee ${more}.` }, meant)).toBe(false);
    expect(proposalRoundTrips({ ...page, body: `${page.body}\n\nSee \`${more}\`.` }, meant)).toBe(true);
  });

  it('refuses a stored change whose diff, block and bytes do not agree, or that was made for another file (B3, B4)', () => {
    const page = rendered(change, inConversation);
    const { payload } = change;
    const forged = 'unified_diff' in payload ? { ...change, payload: { ...payload, unified_diff: 'x' } } : change;
    expect(proposalRoundTrips(page, { ...meant, change: singleChange(forged as FileChange) })).toBe(false);
    const other = singleChange({ ...change, result: { blob: '0'.repeat(40), mode: '100644' } });
    expect(proposalRoundTrips(page, { ...meant, change: other })).toBe(false);
    expect(proposalRoundTrips(page, { ...meant, memberTexts: ['one\ntwo\nfour\n'] })).toBe(false);
    const pressed = rendered(change, block);
    expect(proposalRoundTrips(pressed, { ...meant, placement: block })).toBe(true);
    expect(proposalRoundTrips(pressed, { ...meant, placement: block, memberTexts: ['zero\none\ntwo\n'] })).toBe(false);
    expect(proposalRoundTrips(pressed, meant)).toBe(false);
    const beside = { ...pressed, body: `${pressed.body}\n\n\`\`\`diff\n+drei\n\`\`\`` };
    expect(proposalRoundTrips(beside, { ...meant, placement: block })).toBe(false);
  });

  it('shows and names the CR of lines that end in CR CR LF (S35, E11, C8)', () => {
    const [before, after] = ['a\r\n', 'a\r\nx\r\r\n'];
    const made = rewriteOf(before, after);
    if (made === null) throw new Error('It changes nothing.');
    const page = rendered(made, inConversation);
    expect(page.body).toMatch(/U\+000D.* in line 2/);
    expect(page.body).toContain('+x\u240D\n');
    expect(isExact(page, made, inConversation, before)).toBe(true);
  });

  it('refuses a preview that differs from the stored text (S24, S36, B16)', () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}\n`).join('');
    const made = write('f.txt', null, lines);
    const page = rendered(made, inConversation);
    const says = (body: string): boolean => isExact({ ...page, body }, made, inConversation, '');
    expect(says(page.body)).toBe(true);
    expect(page.body.match(/^\+line 3$/gm)).toHaveLength(1);
    expect(says(page.body.replace('+line 3\n', '+line 4\n'))).toBe(false);
    for (const more of ['    +line 4', '~~~diff\n+line 4\n~~~', '```js\n+line 4\n```', '```text\n+line 3\n```'])
      expect(says(`${more}\n\n${page.body}`)).toBe(false);
    expect(says(`${page.body}\n\n\`\`\`diff\n+other\n\`\`\``)).toBe(false);
  });
});
