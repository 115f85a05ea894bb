import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildMove } from '../../../../src/core/edits/build/build-file-ops.ts';
import { combineChanges } from '../../../../src/core/edits/change-set.ts';
import { renderProposal } from '../../../../src/core/messages/proposal/proposal-comment.ts';
import { type QuoteExtent, quoteExtent } from '../../../../src/core/messages/quoted-comment.ts';
import type { PostedComment } from '../../../../src/core/state/posted-comment.ts';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import { quoteReply } from '../../../stories/support/open-and-close.ts';
import { changeOf, plainText, rewriteOf, rewritten, stored } from '../edits/samples.ts';
import {
  ben,
  bigint,
  inConversation,
  inSuggestion,
  links,
  proposal as postedProposal,
  view,
  vote,
  write,
} from './sample.ts';

const COMMENT: PostedComment = {
  kind: 'issue-comment',
  id: 40,
  nodeId: 'n',
  createdAt: '2026-01-01T00:00:10Z',
  bodyHash: '',
  url: `${links.repository}/pull/1#issuecomment-40`,
};

const REF = { installationId: 1, repositoryId: 2, owner: 'ana', repo: 'shop', number: 1 };

function proposal(...[change, more]: Parameters<typeof postedProposal>): Proposal {
  return postedProposal(change, { comment: COMMENT, ...more });
}

const NUMBERED = Array.from({ length: 60 }, (_, at) => `row ${at}`);

const OPEN = proposal(bigint, { placement: inConversation });

const FOLDED = proposal(write('docs/long.md', null, `${NUMBERED.join('\n')}\n`), { placement: inConversation });

const SET_CHANGE = combineChanges('Write it down.', [
  write('docs/a.md', null, `${NUMBERED.join('\n')}\n`),
  write('docs/b.md', null, 'short\n'),
  write('docs/c.md', null, `${NUMBERED.join('\n')}\n`),
  write('docs/d<textarea>.md', null, 'short\n'),
]);

/** A set with folded diffs before open ones. */
const SET = proposal(SET_CHANGE ?? bigint, { placement: inConversation });

const SHOWN: readonly (readonly [string, Proposal])[] = [
  ['a suggestion', proposal(bigint, { placement: inSuggestion })],
  ['an open diff', OPEN],
  ['a folded diff', FOLDED],
  ['a set with folded diffs before open ones', SET],
];

/** The lines that *Quote reply* quotes, without their marks. */
function quotedLines(page: string): readonly string[] {
  return quoteReply(page, '')
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^> ?/, ''));
}

function pagesOf(shown: Proposal): readonly string[] {
  const { body } = renderProposal(view(shown, shown.placement ?? inConversation));
  return [body];
}

function extentOf(lines: readonly string[], shown: Proposal): QuoteExtent | null {
  return quoteExtent(lines, shown, { ref: REF, run: null, proposals: [shown] });
}

function isQuote(lines: readonly string[], shown: Proposal): boolean {
  return extentOf(lines, shown) !== null;
}

const isText = (line: string): boolean => !/^[ >]*(?:`{3,}.*)?$/.test(line);

describe('a quote of a proposal (X2, S59)', () => {
  it.each(SHOWN)('is its comment, also if it is copied without Markdown or cut at its end: %s', (_, shown) => {
    for (const page of pagesOf(shown)) {
      const whole = quotedLines(page);
      for (const end of whole.keys()) expect(isQuote(whole.slice(0, end + 1), shown)).toBe(true);
      expect(
        isQuote(
          whole.map((line) => line.replace(/^(?!`)(?![-+ @]).*$/, (text) => text.replaceAll('`', ''))),
          shown,
        ),
      ).toBe(true);
      expect(isQuote(page.split('\n'), shown)).toBe(true);
      expect(
        isQuote(
          whole.map((line) => (/^`{4,}/.test(line) ? '```' : line)),
          shown,
        ),
      ).toBe(true);
    }
  });

  it('can leave out a folded block, which is not selected, but none that is open', () => {
    const outside = quotedLines((pagesOf(FOLDED)[0] ?? '').replace(/<details>.*<\/details>/s, ''));
    expect(outside.length).toBeLessThan(quotedLines(pagesOf(FOLDED)[0] ?? '').length);
    expect(isQuote(outside, FOLDED)).toBe(true);
    const withoutCode = quotedLines(pagesOf(OPEN)[0] ?? '').filter((line) => !/^[-+@]/.test(line));
    expect(isQuote(withoutCode, OPEN)).toBe(false);
  });

  it.each(SHOWN)('holds the whole change only from the last line of its whole diff on: %s', (_, shown) => {
    const whole = quotedLines(pagesOf(shown)[0] ?? '');
    const last = whole.findLastIndex((line) => /^`{3,}$/.test(line)) - 1;
    for (const end of whole.keys())
      expect(extentOf(whole.slice(0, end + 1), shown)).toBe(end < last ? 'piece' : 'whole-change');
  });

  it.each(SHOWN)('holds the whole change only with its lines in a code block: %s', (_, shown) => {
    const whole = quotedLines(pagesOf(shown)[0] ?? '');
    const isFence = (line: string): boolean => /^`{3,}/.test(line);
    const copies = {
      'without a language': whole.map((line) => line.replace(/^(`{3,}).*/, '$1')),
      'without tags': whole.filter((line) => !/^<\/?details>$/.test(line)),
      'without fences': whole.filter((line) => !isFence(line)),
      'as a formula': whole.map((line) => line.replace(/^(`{3,})[a-z]+/, '$1math')),
      'in a fold of their own': ['<details>', '<details>', '', ...whole],
    };
    expect(Object.entries(copies).map(([name, lines]) => [name, extentOf(lines, shown)])).toEqual([
      ['without a language', 'whole-change'],
      ['without tags', 'whole-change'],
      ['without fences', 'piece'],
      ['as a formula', 'piece'],
      ['in a fold of their own', 'piece'],
    ]);
  });

  it('of a set that hides one of its diffs does not hold the whole change (S146, X7)', () => {
    const whole = quotedLines(pagesOf(SET)[0] ?? '');
    expect(extentOf(whole, SET)).toBe('whole-change');
    const closing = whole.indexOf('</details>');
    const opening = whole.indexOf('<details>');
    const other = (change: (line: string, index: number) => string | readonly string[]) => whole.flatMap(change);
    const forged = {
      'an escaped closing tag': other((line, at) => (at === closing ? '\\</details>' : line)),
      'no closing tag': other((line, at) => (at === closing ? [] : line)),
      'a closing tag as code': other((line, at) => (at === closing ? '`</details>`' : line)),
      'a closing tag in a comment': other((line, at) => (at === closing ? '<!-- </details> -->' : line)),
      'a fold more': other((line, at) => (at === opening ? ['<details>', line] : line)),
      'a path as HTML': other((line) => line.replace('`docs/d<textarea>.md`', 'docs/d<textarea>.md')),
      'no blank line below the summary': other((line, at) => (line === '' && at === opening + 2 ? [] : line)),
    };
    for (const [name, lines] of Object.entries(forged)) {
      expect(lines, name).not.toEqual(whole);
      expect(extentOf(lines, SET), name).not.toBe('whole-change');
    }
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('<details>', '\\', '<!--', '    ', '- ', '\u00a0'), (at, text) => {
        const written = [...whole.keys()].filter((one) => text !== '    ' || whole[one] !== '');
        const shown = written.slice(0, 1 + written.findLastIndex((one) => whole[one]?.startsWith('+')));
        const index = shown[at % shown.length] ?? 0;
        const lines = whole.with(index, `${text}${whole[index] ?? ''}`);
        expect(extentOf(lines, SET)).not.toBe('whole-change');
      }),
      { numRuns: 200 },
    );
  });

  it('with a fence that a line of the change closes does not hold the whole change', () => {
    const before = ['# How', '', '```sh', 'make', '```', 'end', ''].join('\n');
    const change = rewriteOf(before, before.replace('end', 'the end'));
    if (change === null) throw new Error('no change');
    const shown = proposal(change, { placement: inConversation });
    const whole = quotedLines(pagesOf(shown)[0] ?? '');
    expect(whole).toContain('````diff');
    expect(extentOf(whole, shown)).toBe('whole-change');
    const shortened = whole.map((line) => line.replace(/^````/, '```'));
    expect(extentOf(shortened, shown)).toBe('piece');
  });

  it('without the lines in a fold does not hold the whole change', () => {
    const [page = ''] = pagesOf(FOLDED);
    const closed = quotedLines(page.replace(/(?<=<\/summary>\n)[\s\S]*?(?=<\/details>)/, ''));
    expect(extentOf(closed, FOLDED)).toBe('piece');
    expect(extentOf(quotedLines(page), FOLDED)).toBe('whole-change');
  });

  it('of a change without lines holds it only to the last line of the comment', () => {
    const file = stored('text\n');
    const move = changeOf(buildMove({ from: 'old.md', to: 'new.md', repositoryName: 'shop', file }));
    const shown = proposal(move, { placement: inConversation });
    const whole = quotedLines(pagesOf(shown)[0] ?? '');
    for (const end of whole.keys())
      expect(extentOf(whole.slice(0, end + 1), shown)).toBe(end < whole.length - 1 ? 'piece' : 'whole-change');
  });

  it('has the link addresses of the comment, under the name that the repository had or has', () => {
    const whole = quotedLines(pagesOf(OPEN)[0] ?? '');
    const renamed = whole.map((line) => line.replace('github.com/ana/shop', 'github.com/ana/store'));
    expect(renamed).not.toEqual(whole);
    expect(extentOf(renamed, OPEN)).toBeNull();
    const ref = { ...REF, repo: 'store' };
    for (const lines of [whole, renamed])
      expect(quoteExtent(lines, OPEN, { ref, run: null, proposals: [OPEN] })).toBe('whole-change');
    fc.assert(
      fc.property(fc.constantFrom('*', '\\', '`', 'x', '/', '%2F'), fc.nat(), (added, at) => {
        const forged = whole.map((line) =>
          line.replace(/(?<=\]\()[^)]+/, (url) => url.slice(0, at % url.length) + added + url.slice(at % url.length)),
        );
        expect(extentOf(forged, OPEN)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  it('can have lines that a mail program wrapped, and is still one after the decision', () => {
    const shown = proposal(bigint, { placement: inConversation });
    const wrapped = quotedLines(pagesOf(shown)[0] ?? '').flatMap((line) =>
      line.startsWith('**Pending') ? line.split(/(?<= · )/) : [line],
    );
    expect(isQuote(wrapped, shown)).toBe(true);
    const rejected: Proposal = { ...shown, state: 'rejected', votes: [vote('deny', ben)] };
    expect(isQuote(wrapped, rejected)).toBe(true);
    expect(isQuote(quotedLines(pagesOf(rejected)[0] ?? ''), rejected)).toBe(true);
  });

  it.each(SHOWN)('has no line more, less or changed before its last one: %s', (_, shown) => {
    const line = fc.constantFrom(
      '+ harmless',
      'It fixes a typo.',
      '![picture](https://example.com/a.png)',
      '```text',
      'x',
    );
    fc.assert(
      fc.property(fc.nat(), line, fc.constantFrom('insert', 'replace', 'remove', 'append'), (at, text, change) => {
        const whole = quotedLines(pagesOf(shown)[0] ?? '');
        const places = [...whole.keys()].filter((index) => isText(whole[index] ?? '') && index < whole.length - 1);
        const index = change === 'append' ? whole.length : (places[at % places.length] ?? 0);
        const forged = whole.toSpliced(
          index,
          change === 'insert' || change === 'append' ? 0 : 1,
          ...(change === 'remove' ? [] : [text]),
        );
        const isSame = !isText(text) && (change === 'insert' || change === 'append');
        const removesTag =
          /<\/?(?:details|summary)>/.test(whole[index] ?? '') && (change === 'remove' || !isText(text));
        if (!removesTag) expect(isQuote(forged, shown)).toBe(isSame);
      }),
      { numRuns: 300 },
    );
  });

  it('is none of another change with the same title and id line', () => {
    fc.assert(
      fc.property(plainText, rewritten(plainText), rewritten(plainText), (_, real, forged) => {
        const [change, other] = [rewriteOf(real.before, real.after), rewriteOf(forged.before, forged.after)];
        if (change === null || other === null) return;
        const shown = proposal(change, { placement: inConversation });
        const lines = quotedLines(pagesOf(proposal(other, { placement: inConversation }))[0] ?? '');
        const header = quotedLines(pagesOf(shown)[0] ?? '').slice(0, 2);
        const isEqual = pagesOf(shown)[0] === [...header, ...lines.slice(2)].join('\n');
        const body = [...header, ...lines.slice(2)];
        if (!isEqual && change.digest !== other.digest) expect(isQuote(body, shown)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('is not a copy with an image after an exclamation mark (X2)', () => {
    const shown = proposal(write('docs/new!.md', null, 'text\n'), { placement: inConversation });
    const lines = quotedLines(pagesOf(shown)[0] ?? '');
    expect(isQuote(lines, shown)).toBe(true);
    const forged = lines.map((line) => line.replace('new!', 'new![](https://evil.example/x.png)'));
    expect(isQuote(forged, shown)).toBe(false);
  });
});
