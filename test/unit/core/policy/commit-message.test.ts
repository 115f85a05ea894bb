import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHiddenCharacters } from '../../../../src/core/edits/text/characters.ts';
import { findChangeTrailers, renderCommitMessage } from '../../../../src/core/policy/commit-message.ts';
import type { CommitMessageEntry } from '../../../../src/core/policy/commit-subject.ts';
import { cpuSeconds } from '../../../support/cpu-time.ts';
import { hostileText } from '../messages/hostile-text.ts';
import { ana, ben, links } from '../messages/sample.ts';

const digest = 'ab'.repeat(32);

function change(more: Partial<CommitMessageEntry> = {}): CommitMessageEntry {
  const path = more.path ?? 'src/total.ts';
  return {
    proposalId: 'k7q2',
    digest,
    range: { oldStart: 2, oldLines: 1, newStart: 2, newLines: 1 },
    setDigest: null,
    approvedBy: [ana],
    path,
    from: null,
    undoes: null,
    description: `Edit ${path}: replace 1 line`,
    words: null,
    ...more,
  };
}

describe('the commit message', () => {
  it('names change, digest, range, approvers and co-authors (S73)', () => {
    expect(renderCommitMessage([change({ approvedBy: [ana, ben, ana] })], links)).toMatchInlineSnapshot(`
      "Edit src/total.ts: replace 1 line

      Countersign-Proposal: k7q2
      Countersign-Digest: sha256:abababababababababababababababababababababababababababababababab
      Countersign-Range: 2,1 2,1
      Approved-by: ana
      Approved-by: ben-k
      Co-authored-by: ana <11+ana@users.noreply.github.com>
      Co-authored-by: ben-k <12+ben-k@users.noreply.github.com>
      "
    `);
  });

  it.each([
    ['https://github.com/ana/shop', 'users.noreply.github.com'],
    ['https://git.acme.example:8443/ana/shop', 'users.noreply.git.acme.example'],
    ['https://acme.ghe.com/ana/shop', 'users.noreply.ghe.com'],
  ])('on %s co-authors have the noreply addresses of that server (S73, J12)', (repository, domain) => {
    const lines = renderCommitMessage([change()], { repository }).split('\n');
    expect(lines).toContain(`Co-authored-by: ana <11+ana@${domain}>`);
  });

  it('has one group per change and each co-author once (S96)', () => {
    const other = change({ proposalId: 'm3x8', path: 'b.ts', range: null, approvedBy: [ana, ben] });
    const message = renderCommitMessage([change(), other], links);
    expect(message.split('\n')[0]).toBe('Apply 2 changes to 2 files');
    expect(message.match(/Co-authored-by: ana/g)).toHaveLength(1);
    expect(message.match(/Approved-by: ana/g)).toHaveLength(2);
  });

  it('counts what people decided on, of which a set is one (S96, S146)', () => {
    const members = ['a.ts', 'b.ts'].map((path) => change({ proposalId: 'm3x8', path, setDigest: 'd'.repeat(64) }));
    expect(renderCommitMessage([change(), ...members], links).split('\n')[0]).toBe('Apply 2 changes to 3 files');
  });

  it.each([
    [['src/a.ts', 'src/a.ts'], 'Change 2 places in src/a.ts'],
    [['src/a.ts', 'src/b.ts', 'src/b.ts'], 'Change 3 places in 2 files: src/a.ts, src/b.ts'],
    [['a.ts', 'b.ts', 'c.ts', 'd.ts'], 'Change 4 files: a.ts, b.ts, +2'],
    [[`${'long/'.repeat(20)}a.ts`, 'b.ts'], 'Change 2 files: a.ts, b.ts'],
    [[`${'long/'.repeat(20)}a.ts`, `${'more/'.repeat(20)}a.ts`], null],
    [['[skip ci].md', 'b.ts'], null],
    [['a@ana.ts', 'a@ana.ts'], null],
  ])('the subject for a set of %j is %s (S146, C6)', (paths, subject) => {
    const members = paths.map((path) => change({ path, setDigest: 'd'.repeat(64) }));
    expect(renderCommitMessage(members, links).split('\n')[0]).toBe(subject ?? 'Apply change k7q2');
    const undone = members.map((one) => ({ ...one, undoes: 'm3x8' }));
    expect(renderCommitMessage(undone, links).split('\n')[0]).toBe(
      subject === null ? 'Apply change k7q2' : `Undo m3x8: ${subject.replace('C', 'c')}`,
    );
  });

  it.each([
    ['src/@types/a.ts', 'Edit a.ts: replace 1 line'],
    ['docs/fixes #1', 'Apply change k7q2'],
    ['docs/my notes (2).md', 'Edit docs/my notes (2).md: replace 1 line'],
    ['❤️.md', 'Edit ❤️.md: replace 1 line'],
    ['cafe\u0301.md', 'Edit cafe\u0301.md: replace 1 line'],
    ['two  spaces', 'Apply change k7q2'],
    ['[skip ci].md', 'Apply change k7q2'],
    ['a/[no ci]', 'Apply change k7q2'],
    ['app/[id]/page.tsx', 'Edit app/[id]/page.tsx: replace 1 line'],
    ['GH-12', 'Apply change k7q2'],
    [`${'long/'.repeat(20)}a.ts`, 'Edit a.ts: replace 1 line'],
    ['$&', 'Apply change k7q2'],
    ['a\u3164b', 'Apply change k7q2'],
  ])('R34: the subject for %s is %s (C6, C12, X17)', (path, subject) => {
    expect(renderCommitMessage([change({ path })], links).split('\n')[0]).toBe(subject);
  });

  it.each<[string, string | null, string]>([
    ['a reason', 'Sum in cents, as the tests expect.', 'Sum in cents, as the tests expect'],
    ['its first line', '- Sum in cents\n\nThe tests expect that.', 'Sum in cents'],
    ['code', 'Use `total()` instead of (a + b)', 'Use `total()` instead of (a + b)'],
    ['another language', '合計をセントで計算する', '合計をセントで計算する'],
    ['a standard', 'Write UTF-8 and hash with SHA-256', 'Write UTF-8 and hash with SHA-256'],
    [
      'a long reason, cut between words',
      'Sum all prices in cents so that no rounding error can add up over the rows of an order',
      'Sum all prices in cents so that no rounding error can add up over the…',
    ],
  ])('R26: the subject is %s, which the approvers saw', (_, words, subject) => {
    const [line = '', blank] = renderCommitMessage([change({ words })], links).split('\n');
    expect([line, blank]).toEqual([subject, '']);
    expect([...line].length).toBeLessThanOrEqual(72);
  });

  it('R26: of several changes, the subject says what the first one is for and counts those with other reasons', () => {
    const subject = (...reasons: readonly (string | null)[]) => {
      const all = reasons.map((words, at) => change({ proposalId: `k7q${at}`, path: `${at}.ts`, words }));
      return renderCommitMessage(all, links).split('\n')[0];
    };
    expect(subject(...Array(11).fill('Rename sum to total'))).toBe('Rename sum to total');
    expect(subject('Rename sum to total', 'Test it', null)).toBe('Rename sum to total (+2 changes)');
    expect(subject(`${'Rename '.repeat(12)}`, 'Test it')).toMatch(/^Rename [^+]{40,60}… \(\+1 change\)$/);
    expect(subject(null, null)).toBe('Apply 2 changes to 2 files');
    const members = ['a.ts', 'b.ts'].map((path) => change({ path, words: 'Rename', setDigest: 'd'.repeat(64) }));
    expect(renderCommitMessage(members, links).split('\n')[0]).toBe('Rename');
  });

  it.each([
    ...['thanks @ana', 'fixes #12', 'closes GH-12', 'see https://example.com', 'as in SHOP-7', 'tidy [skip ci]'],
    ...[
      'tidy [ci skip] now',
      'skip-checks: true',
      '***NO_CI***',
      'fixup! sum',
      '[a](b)',
      'revert 1a2b3c4d',
      'a\u202Eb',
    ],
    ...[
      'Approved-by: boss',
      'Countersign-Proposal: m3x8',
      'Signed-off-by: boss',
      'key AKIAIOSFODNN7EXAMPLE',
      '!!!',
      '',
    ],
  ])('R26: %j is no subject', (words) => {
    expect(renderCommitMessage([change({ words })], links).split('\n')[0]).toBe('Edit src/total.ts: replace 1 line');
  });

  it('hostile text gets no line, mention, reference or CI directive (C5, C6, C12)', () => {
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (path, login, words) => {
        const description = `Edit ${path}: add 1 line at line 3`;
        const message = renderCommitMessage(
          [change({ path, description, words, approvedBy: [{ id: 7, login }] })],
          links,
        );
        const [subject = '', blank, ...trailers] = message.trimEnd().split('\n');
        expect(subject.length).toBeLessThanOrEqual(72);
        expect(subject).toMatch(/^\P{Cc}+$/u);
        expect(findHiddenCharacters(subject)).toEqual([]);
        expect(subject).not.toMatch(/@\w|#\d|gh-\d|skip ci/iu);
        expect(blank).toBe('');
        expect(trailers).toHaveLength(5);
        for (const line of trailers)
          expect(line).toMatch(/^(?:Countersign-(?:Proposal|Digest|Range)|Approved-by|Co-authored-by): /);
      }),
      { numRuns: 400 },
    );
  });

  it('the trailers are parsed as they were written (S78)', () => {
    const number = fc.nat(100_000);
    const one = fc.record({
      proposalId: fc.stringMatching(/^[a-z][0-9][a-z0-9]{2,4}$/),
      digest: fc.stringMatching(/^[0-9a-f]{64}$/),
      range: fc.option(fc.record({ oldStart: number, oldLines: number, newStart: number, newLines: number })),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 5 }), (groups) => {
        expect(
          findChangeTrailers(
            renderCommitMessage(
              groups.map((group) => change(group)),
              links,
            ),
          ),
        ).toEqual(groups);
      }),
      { numRuns: 200 },
    );
  });

  it('parses a hostile message and renders a hostile path in linear time (H12)', () => {
    const blanks = `Approved-by: a${' '.repeat(200_000)}b`;
    expect(cpuSeconds(() => findChangeTrailers(blanks))).toBeLessThan(5);
    const approvers = `Countersign-Proposal: k7q2\n${'Approved-by: ana\n'.repeat(300_000)}`;
    expect(cpuSeconds(() => findChangeTrailers(approvers))).toBeLessThan(5);
    expect(cpuSeconds(() => renderCommitMessage([change({ path: '[ci'.repeat(2_000) })], links))).toBeLessThan(5);
  });

  it('starts a group with every id, so that a malformed one does not give its digest to the group above', () => {
    const message = `Countersign-Proposal: k7q2\nCountersign-Proposal: m3\u2028x9\nCountersign-Digest: sha256:${digest}`;
    expect(findChangeTrailers(message)).toEqual([]);
  });

  it.each([
    ['a space before the colon', (line: string) => line.replace(':', ' :')],
    ['its value on the next line', (line: string) => line.replace(': ', ':\n ')],
    ['a hidden character in its name', (line: string) => line.replace('-', '\u200B-')],
    ['spaces before it, as in a quote', (line: string) => `    ${line}`],
  ])('a line is no trailer of the App with %s', (_form, write) => {
    const [id, hash] = ['Countersign-Proposal: k7q2', `Countersign-Digest: sha256:${digest}`];
    expect(findChangeTrailers(`${id}\n${hash}`)).toHaveLength(1);
    expect(findChangeTrailers(`${write(id)}\n${hash}`)).toEqual([]);
    expect(findChangeTrailers(`${id}\n${write(hash)}`)).toEqual([]);
  });

  it('ignores groups without a valid id or digest', () => {
    expect(findChangeTrailers('Countersign-Digest: sha256:00\nCountersign-Proposal: k7q2\n\nfix')).toEqual([]);
    expect(findChangeTrailers(`Countersign-Proposal: K7!\nCountersign-Digest: sha256:${digest}`)).toEqual([]);
    expect(findChangeTrailers(`x Countersign-Proposal: k7q2\nCountersign-Digest: sha256:${digest}`)).toEqual([]);
  });
});
