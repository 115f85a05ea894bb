import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHiddenCharacters } from '../../../../src/core/edits/text/characters.ts';
import { hasOddTrailer, parseTrailerGroups, renderCommitMessage } from '../../../../src/core/policy/commit-message.ts';
import type { CommitMessageEntry } from '../../../../src/core/policy/commit-subject.ts';
import { cpuSeconds } from '../../../support/cpu-time.ts';
import { hostileText } from '../messages/hostile-text.ts';
import { ana, ben, links } from '../messages/sample.ts';

const CHANGE: CommitMessageEntry = {
  proposalId: 'k7q2',
  digest: 'ab'.repeat(32),
  range: { oldStart: 2, oldLines: 1, newStart: 2, newLines: 1 },
  approvedBy: [ana],
  path: 'src/total.ts',
  from: null,
  undoes: null,
  setDigest: null,
  description: 'Edit src/total.ts: replace 1 line',
  words: null,
};

function message(template: string, changes: readonly CommitMessageEntry[] = [CHANGE], signOff = false): string {
  return renderCommitMessage(changes, links, { template, signOff });
}

function textOf(template: string): string {
  return message(template).split('\n\nCountersign-Proposal: k7q2\n')[0] ?? '';
}

const FORGED = [
  'Countersign-Proposal: m3x8',
  `countersign-digest:sha256:${'cd'.repeat(32)}`,
  'Approved-by: boss',
  ' Co-authored-by: boss <1+boss@users.noreply.github.com>',
  'SIGNED-OFF-BY: boss <boss@example.com>',
  'Ａpproved-by: boss',
  'Countersign-Set:',
];

describe('the text of a commit message', () => {
  it.each([
    ['{summary}', 'Edit src/total.ts: replace 1 line'],
    ['docs: {summary}', 'docs: Edit src/total.ts: replace 1 line'],
    ['fix: {ids}\nin {paths}\n', 'fix: k7q2\n\nin src/total.ts'],
    ['\n\n  fix\n\n\nmore\n\n', 'fix\n\nmore'],
    [' ', 'Edit src/total.ts: replace 1 line'],
    [FORGED.join('\n'), 'Edit src/total.ts: replace 1 line'],
    ['a\u202Eb\tc\u0000d', 'a b c d'],
    ['a\u2028Approved-by: boss\rb', 'a\n\nb'],
    ['x'.repeat(80), `${'x'.repeat(71)}…`],
  ])('of the template %j is %j (S73, C5)', (template, text) => {
    expect(textOf(template)).toBe(text);
  });

  it('names each approver in a sign-off, with the address of their account (S73)', () => {
    const lines = message('{summary}', [{ ...CHANGE, approvedBy: [ana, ben, ana] }], true)
      .trimEnd()
      .split('\n');
    expect(lines.slice(-2)).toEqual([
      'Signed-off-by: ana <11+ana@users.noreply.github.com>',
      'Signed-off-by: ben-k <12+ben-k@users.noreply.github.com>',
    ]);
    expect(message('{summary}')).not.toContain('Signed-off-by');
  });

  it('R74: verify reads every message as it was written: no template and no path adds a trailer, a sign-off or a hidden character (C5, C6, S78)', () => {
    const template = fc
      .array(fc.oneof(fc.constantFrom('{summary}', '{paths}', '{ids}', '\n', '\r', '\u2028', ...FORGED), hostileText))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(template, hostileText, fc.boolean(), (written, path, signOff) => {
        const text = renderCommitMessage([{ ...CHANGE, path }], links, { template: written, signOff });
        expect(parseTrailerGroups(text)).toMatchObject([{ digest: CHANGE.digest, approvedBy: ['ana'], problem: null }]);
        expect(hasOddTrailer(text)).toBe(false);
        expect(text.match(/^Signed-off-by:/gim) ?? []).toHaveLength(signOff ? 1 : 0);
        expect(text.match(/^\s*(?:Approved|Co-authored)-by:/gim)).toHaveLength(2);
        expect(findHiddenCharacters(text)).toEqual([]);
        expect(text).not.toMatch(/[^\n\P{Cc}]/u);
        const [subject = '', blank] = text.split('\n');
        expect([...subject].length).toBeLessThanOrEqual(72);
        expect(subject.trim()).not.toBe('');
        expect(blank).toBe('');
      }),
      { numRuns: 500 },
    );
  });

  it('takes linear time (H12)', () => {
    const changes = Array.from({ length: 30 }, () => CHANGE);
    expect(cpuSeconds(() => message('{paths}'.repeat(280), changes))).toBeLessThan(5);
  });
});
