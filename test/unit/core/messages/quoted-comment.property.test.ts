import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderProposal } from '../../../../src/core/messages/proposal-comment.ts';
import { isQuoteOfProposal } from '../../../../src/core/messages/quoted-comment.ts';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import { quoteReply } from '../../../stories/support/open-and-close.ts';
import { plainText, rewriteOf, rewritten } from '../edits/samples.ts';
import { ben, bigint, inConversation, inSuggestion, longWrite, proposal, view, vote, write } from './sample.ts';

const NUMBERED = Array.from({ length: 60 }, (_, at) => `row ${at}`);

const OPEN = proposal(bigint, { placement: inConversation });

const FOLDED = proposal(write('docs/long.md', null, `${NUMBERED.join('\n')}\n`), { placement: inConversation });

const SHOWN: readonly (readonly [string, Proposal])[] = [
  ['a suggestion', proposal(bigint, { placement: inSuggestion })],
  ['an open diff', OPEN],
  ['a folded diff', FOLDED],
];

/** The lines that *Quote reply* quotes, without their marks. */
function quotedLines(page: string): readonly string[] {
  return quoteReply(page, '')
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^> ?/, ''));
}

function pagesOf(shown: Proposal): readonly string[] {
  const { body, parts } = renderProposal(view(shown, shown.placement ?? inConversation));
  return [body, ...parts];
}

function isQuote(lines: readonly string[], shown: Proposal): boolean {
  return isQuoteOfProposal(lines, shown, null);
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

  it('is each numbered part of a long one', () => {
    const content = Array.from({ length: 3_000 }, (_, at) => `row ${at} ${'x'.repeat(30)}`);
    const shown = proposal(longWrite('docs/long.md', content), { placement: inConversation });
    const pages = pagesOf(shown);
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(isQuote(quotedLines(page), shown)).toBe(true);
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
