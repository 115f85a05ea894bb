import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeDiff, type FileChange, MAX_DIFF_BYTES, singleChange } from '../../../../../src/core/edits/change.ts';
import { combineChanges } from '../../../../../src/core/edits/change-set.ts';
import { byteLength } from '../../../../../src/core/edits/text/characters.ts';
import { proposalRoundTrips } from '../../../../../src/core/messages/proposal/exact-page.ts';
import { renderOpenProposal, renderProposal } from '../../../../../src/core/messages/proposal/proposal-comment.ts';
import { setIntroduction } from '../../../../../src/core/messages/proposal/proposal-header.ts';
import type { Proposal } from '../../../../../src/core/state/proposal.ts';
import { inConversation, proposal, view, write } from '../sample.ts';

const MAX_BODY_BYTES = 60_000;

const LONG_LINE = 4_000;

/** One new file: the length of its path and its text, and whether it is one that people are warned of. */
const file = fc.record({
  depth: fc.constantFrom(0, 0, 1, 4, 20),
  lines: fc.oneof(fc.nat(40), fc.nat(1_500)),
  columns: fc.constantFrom(1, 40, 160, LONG_LINE),
  name: fc.constantFrom('a.ts', 'package.json', 'paypаl.ts', 'a b`c.md', 'é'.repeat(60)),
  text: fc.constantFrom('x', 'é', '`', '\u200b', '```', 'a\t\t\t\t\tb'),
});

type NewFile = typeof file extends fc.Arbitrary<infer One> ? One : never;

function written({ depth, lines, columns, name, text }: NewFile, index: number, share: number): FileChange {
  const line = text.repeat(Math.max(1, Math.floor(columns / text.length)));
  const count = Math.min(lines, Math.floor(share / (byteLength(line) + 2)));
  const path = `${String(index).padStart(2, '0')}/${'directory/'.repeat(depth)}${name}`;
  return write(path, null, `${line}\n`.repeat(Math.max(1, count)));
}

/** A set as `change_files` builds it: within the limits of its diff. */
const newFiles = fc
  .tuple(fc.array(file, { minLength: 2, maxLength: 30 }), fc.integer({ min: 1, max: 600 }))
  .map(([files, summary]) => {
    const share = Math.floor((MAX_DIFF_BYTES - 5_000) / files.length);
    const members = files.map((one, index) => written(one, index, share));
    return { members, summary: 's'.repeat(summary) };
  });

function setOf(members: readonly FileChange[], summary: string, more: Partial<Proposal> = {}): Proposal {
  const change = combineChanges(summary, members);
  if (change === null) throw new Error('There is no change.');
  return proposal(change, { placement: inConversation, ...more });
}

function warningsIn(body: string): number {
  const lines = body.split('\n').filter((line) => line.startsWith('⚠️'));
  return byteLength(lines.join('\n\n'));
}

/** Bytes of the lines before and after each diff, which are longer than the longest run of backticks in it. */
function fencesAround(members: readonly FileChange[]): number {
  const longest =
    members
      .flatMap((one) => changeDiff(singleChange(one))?.match(/`+/g) ?? [])
      .sort()
      .at(-1) ?? '';
  return 2 * longest.length * members.length;
}

describe('the page of a set', () => {
  it('shows all of it in a comment that GitHub takes, or is not posted at all (S146)', () => {
    fc.assert(
      fc.property(newFiles, ({ members, summary }) => {
        const shown = setOf(members, summary);
        const { change } = shown;
        if (byteLength(changeDiff(change) ?? '') > MAX_DIFF_BYTES) return;
        const pages = renderOpenProposal(view(shown, inConversation));
        if (pages === null) {
          const { body } = renderProposal(view(shown, inConversation));
          const fixed = byteLength(setIntroduction(shown)) + warningsIn(body) + fencesAround(members);
          expect(fixed, 'the list, the warnings and the fences leave no room').toBeGreaterThan(600);
          return;
        }
        expect(byteLength(pages.body)).toBeLessThanOrEqual(MAX_BODY_BYTES);
        const memberTexts = change.members.map(() => '');
        expect(proposalRoundTrips(pages, { change, placement: inConversation, memberTexts })).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});
