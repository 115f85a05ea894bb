import { strict as assert } from 'node:assert';
import { parseCommit } from '../../src/cli/git/objects.ts';
import { unifiedDiffOf } from '../../src/core/edits/change.ts';
import { applyUnifiedDiff, parseHunks } from '../../src/core/edits/text/hunks.ts';
import { findShownDigest } from '../../src/core/messages/proposal/shown-change.ts';
import { findChangeTrailers, parseTrailerGroups } from '../../src/core/policy/commit-message.ts';
import { redactDiff } from '../../src/lib/redaction.ts';
import { bigint, inSuggestion, proposal } from '../../test/unit/core/messages/sample.ts';
import { PAGES } from './seeds.ts';

/** The readers of a diff. */
export const DIFF_READERS = { parseHunks, applyUnifiedDiff, redactDiff };

/** Signs and texts of the rows rebuild both sides, and hiding secrets hides a key and keeps every row and its sign. */
export function checkDiff(diff: string, readers = DIFF_READERS): void {
  const hunks = readers.parseHunks(diff);
  assert.deepEqual(hunks.map(rowsOfHunk), findHunks(diff.split('\n')));
  for (const { lines, oldLines, newLines } of hunks) {
    assert.equal(lines.filter(({ kind }) => kind !== 'added').length, oldLines);
    assert.equal(lines.filter(({ kind }) => kind !== 'removed').length, newLines);
  }
  checkBuiltDiff(diff, readers);
  checkRedaction(diff, readers);
}

type Hunk = ReturnType<typeof parseHunks>[number];

const SIGNS = { context: ' ', removed: '-', added: '+' } as const;

function rowsOfHunk({ oldStart, oldLines, newStart, newLines, lines }: Hunk): readonly (string | number)[] {
  return [oldStart, oldLines, newStart, newLines, ...lines.map(({ kind, text }) => `${SIGNS[kind]}${text}`)];
}

/** The hunks by the definition: after a header, the fewest rows whose old and new sides have its counts. */
function findHunks(rows: readonly string[]): readonly (readonly (string | number)[])[] {
  const found: (readonly (string | number)[])[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(rows[at] ?? '');
    if (header === null) continue;
    const [oldStart, oldLines, newStart, newLines] = header.slice(1).map((count) => Number(count ?? '1'));
    const counts: Record<string, number> = { ' ': 0, '-': 0, '+': 0 };
    for (let end = at + 1; end <= rows.length; end += 1) {
      const { ' ': both = 0, '-': old = 0, '+': added = 0 } = counts;
      if (both + old === oldLines && both + added === newLines) {
        const body = rows.slice(at + 1, end).filter((row) => !row.startsWith('\\'));
        found.push([oldStart ?? 0, oldLines, newStart ?? 0, newLines, ...body]);
        at = end - 1;
        break;
      }
      const sign = rows[end]?.[0] ?? '';
      if (sign in counts) counts[sign] = (counts[sign] ?? 0) + 1;
      else if (sign !== '\\') break;
    }
  }
  return found;
}

/** The lines of any text as a diff: some stay, some are removed, some are added. */
function checkBuiltDiff(text: string, readers: typeof DIFF_READERS): void {
  const lines = text.split('\n').filter((line) => line !== '');
  const rows = lines.map((line, at) => `${' -+'[at % 3]}${line}`);
  const side = (left: string): string =>
    rows.flatMap((row) => (row.startsWith(left) ? [] : [`${row.slice(1)}\n`])).join('');
  const [before, after] = [side('+'), side('-')];
  const count = (version: string): number => version.split('\n').length - 1;
  const header = `@@ -1,${count(before)} +1,${count(after)} @@`;
  const built = ['--- a/x', '+++ b/x', ...(rows.length === 0 ? [] : [header, ...rows]), ''].join('\n');
  assert.equal(readers.applyUnifiedDiff(before, built), after);
  if (before === '') return;
  assert.equal(readers.applyUnifiedDiff(`x${before}`, built), null, 'another first line');
  assert.equal(readers.applyUnifiedDiff('', built), null, 'no line');
}

const KEY_LINES = [
  'MIIEowIBAAKCAQEAx1',
  'T2theSB0aGlzIGlzIG5vIGtleSBvZiBhbnlib2R5IGluIHRoaXMgd29ybGQ',
  'c3VwZXIgc2VjcmV0',
];

const KEY_HUNK = [
  '@@ -901,3 +901,5 @@',
  ' -----BEGIN RSA PRIVATE KEY-----',
  ...['-', '+', '+'].map((sign, at) => `${sign}${KEY_LINES[at]}`),
  ' -----END RSA PRIVATE KEY-----',
];

function checkRedaction(diff: string, { redactDiff: redact }: typeof DIFF_READERS): void {
  for (const text of [diff, [diff, ...KEY_HUNK].join('\n')]) {
    const [before, after] = [text.split('\n'), redact(text).split('\n')];
    assert.equal(after.length, before.length);
    for (const [at, row] of before.entries())
      if (/^[-+ ]/.test(row)) assert.equal(after[at]?.[0], row[0], `the sign of row ${at + 1}`);
  }
  const shown = redact([diff, ...KEY_HUNK].join('\n'));
  for (const line of KEY_LINES) assert.ok(diff.includes(line) || !shown.includes(line), 'a line of a key is shown');
}

/** The readers of trailers. */
export const TRAILER_READERS = { parseTrailerGroups, findChangeTrailers };

const DIGEST = 'd'.repeat(64);

const POSSIBLE_GROUP = [
  'Countersign-Proposal: m3x9',
  `Countersign-Digest: sha256:${DIGEST}`,
  'Countersign-Range: 2,1 2,3',
  `Countersign-Set: sha256:${DIGEST}`,
  'Approved-by: ana',
];

/** Groups that the App cannot have written. The first line always starts a group. */
const IMPOSSIBLE_GROUPS: readonly (readonly string[])[] = [
  ['Countersign-Proposal: K7-Q2', ...POSSIBLE_GROUP.slice(1)],
  POSSIBLE_GROUP.filter((line) => !line.startsWith('Countersign-Digest')),
  POSSIBLE_GROUP.filter((line) => !line.startsWith('Approved-by')),
  POSSIBLE_GROUP.map((line) => line.replace('sha256:', 'sha1:')),
  POSSIBLE_GROUP.map((line) => line.replace('2,1 2,3', '2 to 3')),
  ...POSSIBLE_GROUP.slice(1, 4).map((line) => [...POSSIBLE_GROUP, line]),
];

/** A group without a problem stands in the message as it is, and one that the App cannot have written has a problem. */
export function checkTrailers(message: string, readers = TRAILER_READERS): void {
  const groups = readers.parseTrailerGroups(message);
  const isComplete = ({ proposalId, digest }: (typeof groups)[number]): boolean =>
    proposalId !== null && digest !== null;
  assert.deepEqual(
    readers.findChangeTrailers(message),
    groups.filter(isComplete).map(({ proposalId, digest, range }) => ({ proposalId, digest, range })),
  );
  const starts = message.split(/\r?\n/).filter((line) => /^countersign-proposal: *\S/i.test(line)).length;
  assert.ok(groups.length === starts || groups.length === starts + 1, `${groups.length} groups for ${starts} ids`);
  for (const { problem, proposalId, digest, setDigest, approvedBy } of groups) {
    assert.equal(new Set(approvedBy).size, approvedBy.length);
    if (problem !== null) continue;
    assert.match(proposalId ?? '', /^[a-z0-9]{4,6}$/);
    assert.match(digest ?? '', /^[0-9a-f]{64}$/);
    assert.ok(approvedBy.length > 0);
    for (const value of [proposalId, `sha256:${digest}`, ...(setDigest === null ? [] : [`sha256:${setDigest}`])])
      assert.ok(message.includes(` ${value}`) || message.includes(`:${value}`), `no line has ${value}`);
  }
  const lastGroup = (lines: readonly string[]) => readers.parseTrailerGroups([message, ...lines].join('\n')).at(-1);
  assert.deepEqual(lastGroup(POSSIBLE_GROUP), {
    ...{ proposalId: 'm3x9', digest: DIGEST, setDigest: DIGEST, approvedBy: ['ana'], problem: null },
    range: { oldStart: 2, oldLines: 1, newStart: 2, newLines: 3 },
  });
  for (const lines of IMPOSSIBLE_GROUPS) assert.notEqual(lastGroup(lines)?.problem ?? null, null, lines.join(', '));
}

const SIGNATURE = 'gpgsig -----BEGIN SSH SIGNATURE-----\n x\n -----END SSH SIGNATURE-----\n';

/** A commit is signed if and only if its bytes have the header, and gives its parents and message as they are. */
export function checkCommitObject(bytes: Buffer, parse: typeof parseCommit = parseCommit): void {
  const end = bytes.indexOf('\n\n');
  const headers = Buffer.concat([Buffer.from('\n'), end === -1 ? bytes : bytes.subarray(0, end), Buffer.from('\n')]);
  const isSigned = headers.includes('\ngpgsig ') || headers.includes('\ngpgsig-sha256 ');
  const { isSigned: found, parents, message } = parse(bytes);
  assert.equal(found, isSigned);
  assert.equal(parents.length, headers.toString('latin1').split('\nparent ').length - 1);
  assert.equal(message, end === -1 ? '' : bytes.subarray(end + 2).toString('utf8'));
  assert.equal(parse(Buffer.concat([Buffer.from(SIGNATURE), bytes])).isSigned, true, 'a signature above it');
  const below = Buffer.concat([bytes, Buffer.from(`\n\n${SIGNATURE}`)]);
  assert.equal(parse(below).isSigned, isSigned, 'a signature in its message');
}

/** The lines that each of the pages shows, as they stand there. */
export const SHOWN_LINES: readonly (readonly string[])[] = [
  inSuggestion.kind === 'suggestion' ? inSuggestion.lines : [],
  (unifiedDiffOf(bigint.payload) ?? '').replace(/\n$/, '').split('\n'),
];

const LINE_CHANGES: readonly ((line: string, at: number) => string | null)[] = [
  (line, at) => `${line.slice(0, at)}x${line.slice(at)}`,
  (line, at) => `${line.slice(0, at)} ${line.slice(at)}`,
  (line, at) => (line === '' ? 'x' : line.slice(0, at) + line.slice(at + 1)),
  (line) => `${line}\n${line}`,
  () => null,
];

/** A page shows exactly the lines of the stored change, or nothing: each change of a shown line hides it. */
export function checkPage(body: string, find: typeof findShownDigest = findShownDigest): void {
  const digestOf = (page: string): string | null => find({ proposal: proposal(bigint), bodies: [page] });
  const digest = digestOf(body);
  if (PAGES.includes(body)) assert.equal(digest, bigint.digest, 'an untouched page');
  if (digest === null) return;
  assert.equal(digest, bigint.digest);
  const lines = body.split(/\r\n|\n|\r/);
  const shown = SHOWN_LINES.filter((rows) => placesOf(lines, rows).length > 0);
  assert.notEqual(shown.length, 0, 'it does not show the change');
  for (const page of shown.flatMap((rows) => pagesWithChange(lines, rows)))
    assert.equal(digestOf(page), null, `a shown line is changed:\n${page}`);
}

/** The page with each change of each of these lines, wherever it shows them: there can be a preview too. */
function pagesWithChange(lines: readonly string[], rows: readonly string[]): readonly string[] {
  const places = placesOf(lines, rows);
  return rows.flatMap((row, index) =>
    LINE_CHANGES.map((change, kind) => {
      const at = (lines.length + kind) % Math.max(1, row.length);
      const isShown = (place: number): boolean => places.includes(place - index);
      return lines.flatMap((line, place) => (isShown(place) ? (change(line, at) ?? []) : line)).join('\n');
    }),
  );
}

function placesOf(lines: readonly string[], rows: readonly string[]): readonly number[] {
  return [...lines.keys()].filter((place) => rows.every((row, index) => lines[place + index] === row));
}
