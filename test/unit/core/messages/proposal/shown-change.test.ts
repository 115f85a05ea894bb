import { describe, expect, it } from 'vitest';
import { buildDelete, buildMove } from '../../../../../src/core/edits/build/build-file-ops.ts';
import type { FileChange } from '../../../../../src/core/edits/change.ts';
import { combineChanges } from '../../../../../src/core/edits/change-set.ts';
import { digestAtRegion } from '../../../../../src/core/edits/digest.ts';
import { listSuggestions, type Placement } from '../../../../../src/core/edits/placement.ts';
import { renderOpenProposal } from '../../../../../src/core/messages/proposal/proposal-comment.ts';
import { findShownDigest } from '../../../../../src/core/messages/proposal/shown-change.ts';
import { changeOf, stored } from '../../edits/samples.ts';
import { bigint, edit, inConversation, inSuggestion, proposal, total, view, write } from '../sample.ts';

/** The digest that is read from the comments of `shown`, where the database holds `change`. */
function read(change: FileChange, shown: FileChange = change, placement: Placement = inConversation): string | null {
  const rendered = renderOpenProposal(view(proposal(shown), placement));
  if (rendered === null) throw new Error('It cannot be shown.');
  return findShownDigest({ proposal: proposal(change), body: rendered.body });
}

/** The change with other fields, and the digest that fits them. */
function tampered(change: FileChange, fields: Partial<FileChange>): FileChange {
  const other = { ...change, ...fields };
  return { ...other, digest: digestAtRegion(other, other.region) };
}

const LONG = Array.from({ length: 1_500 }, (_, index) => `line ${index} of a long file\n`).join('');

const file = stored(total);

const CHANGES: Readonly<Record<string, FileChange>> = {
  edit: bigint,
  'an edit of several places': edit('a.txt', 'x 1\na\nb\nc\nd\ne\nf\ng\nx 2\n', 'x', 'y', true),
  'an insertion at the top': edit('a.txt', 'a\nb\n', 'a\n', 'new\na\n'),
  'an unterminated last line': edit('a.txt', 'a\nb', 'b', 'c'),
  'CR LF': edit('a.txt', 'a\r\nb\r\nc\r\n', 'b', 'd'),
  'a hidden character': edit('a.txt', 'a\nb\n', 'b', 'b\u200b'),
  'a new file': write('docs/new.md', null, '# New\n\n```diff\n+a\n```\n'),
  'an empty file': write('docs/new.md', null, ''),
  'an overwritten file': write('src/total.ts', total, total.replaceAll('total', 'sum')),
  'a long diff': write('docs/long.md', null, LONG),
  'a deletion': changeOf(buildDelete({ path: 'src/total.ts', repositoryName: 'shop', file })),
  'a move': changeOf(buildMove({ from: 'src/total.ts', to: 'src/sum.ts', repositoryName: 'shop', file })),
};

describe('the digest that a page shows (X6)', () => {
  it.each(Object.entries(CHANGES))('is read from the comments of %s', (_name, change) => {
    expect(read(change)).toBe(change.digest);
  });

  it('is read from a suggestion block too, for any stored placement', () => {
    expect(read(bigint, bigint, inSuggestion)).toBe(bigint.digest);
    const inserted = edit('a.txt', 'a\nb\nc\n', 'b\n', 'b\nnew\n');
    for (const { firstLine, lastLine: line, lines } of inserted.region === null
      ? []
      : listSuggestions(inserted.region)) {
      const placement = { kind: 'suggestion', path: 'a.txt', startLine: firstLine, line, lines } as const;
      expect(read(inserted, inserted, placement)).toBe(inserted.digest);
    }
  });

  const { region } = bigint;
  if (region === null) throw new Error('It has lines.');
  const evil = edit('src/total.ts', total, 'let total = 0;', 'let total = 9n;');
  const others: Readonly<Record<string, FileChange>> = {
    'another change as a whole': evil,
    'other lines and their digest': tampered(bigint, { region: evil.region }),
    'other lines, their digest and their blob': tampered(bigint, { region: evil.region, result: evil.result }),
    'another diff beside the same lines': { ...bigint, payload: evil.payload },
    'lines elsewhere in the file': tampered(bigint, { region: { ...region, oldStart: 4, newStart: 4 } }),
    'another context': tampered(bigint, { region: { ...region, before: ['function evil() {\n'] } }),
    'another path': tampered(bigint, { path: 'src/evil.ts' }),
    'another mode': tampered(bigint, { result: { blob: bigint.result?.blob ?? '', mode: '100755' } }),
    'another digest': { ...bigint, digest: evil.digest },
  };

  it.each(Object.entries(others))('is null if the database has %s', (_name, change) => {
    for (const placement of [inConversation, inSuggestion]) expect(read(change, bigint, placement)).toBeNull();
  });

  it('is null on the page of another proposal', () => {
    const rendered = renderOpenProposal(view(proposal(bigint), inConversation));
    const body = rendered?.body ?? '';
    expect(findShownDigest({ proposal: { ...proposal(bigint), id: 'zz99' }, body })).toBeNull();
  });
});

describe('the digest that the page of a set shows (X6, S146)', () => {
  const body = `${'a\n'.repeat(9)}old\n${'b\n'.repeat(9)}`;
  const change = combineChanges('Name it.', [
    edit('a.ts', body, 'old', 'new'),
    edit('b.ts', body, 'old', 'new'),
    write('docs/c.md', null, 'c\n'),
  ]);
  if (change === null) throw new Error('There is no change.');
  const stored = proposal(change, { currentLines: [12, 10, 1] });
  const page = renderOpenProposal(view(stored, inConversation))?.body ?? '';

  function shown(one: string): string | null {
    return findShownDigest({ proposal: stored, body: one });
  }

  it('is read while its page still names the places before or after a push', () => {
    expect(page).toContain('1. **Edit** `a.ts` (line 12), digest `');
    expect(shown(page)).toBe(change.digest);
    expect(shown(page.replace('(line 12)', '(line 10)'))).toBe(change.digest);
    expect(shown(page.replace('(line 12)', '(line 11)'))).toBe(change.digest);
  });

  it.each([
    ['another path', '`a.ts` (line 12)', '`A.ts` (line 12)'],
    ['another operation', '1. **Edit**', '1. **Delete**'],
    ['words in the place of a line', '(line 12)', '(line 12, see below)'],
    ['words beside the place', '(line 12)', '(line 12) harmless'],
    ['another extent of a file', '(1 line, new file)', '(2 lines, new file)'],
    ['another member digest', /(1\..*digest `).{12}/, '$1000000000000'],
    ['a member more', '\n2. **Edit**', '\n1. **Delete** `z.ts`\n2. **Edit**'],
    ['a member less', /1\. .*\n/, ''],
  ])('is not read from a page with %s', (_, from, to) => {
    const other = page.replace(from, to);
    expect(other).not.toBe(page);
    expect(shown(other)).toBeNull();
  });
});
