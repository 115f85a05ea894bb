import { type Change, type FileChange, membersOf, type PathResult, type StoredFile } from './change.ts';
import { setDigest } from './digest.ts';
import { applyRegion, type LineRange, regionIndex } from './region.ts';
import { blobSha, decodeText, encodeText } from './text/characters.ts';

/** Makes one change of several. A single one stays what it is, with all the ways to answer it. */
export function combineChanges(summary: string, changes: readonly FileChange[]): Change | null {
  const members = changes.toSorted(byPlace);
  const [only, ...more] = members;
  if (only === undefined) return null;
  return more.length === 0
    ? only
    : { op: 'set', summary, members, digest: setDigest(members.map(({ digest }) => digest)) };
}

/** By path in code unit order, then by line. */
function byPlace(left: FileChange, right: FileChange): number {
  if (left.path !== right.path) return left.path < right.path ? -1 : 1;
  return lineOf(left) - lineOf(right);
}

function lineOf({ region }: FileChange): number {
  return region === null ? 0 : regionIndex(region);
}

/** The file after a change of its text. Throws unless the change was built for exactly this file. */
export function applyChange(file: StoredFile | null, { region, result }: FileChange): StoredFile {
  const decoded = decodeText(file?.bytes ?? new Uint8Array());
  if (decoded.kind !== 'text' || region === null || result === null) throw new Error('The change has no text.');
  const bytes = encodeText(applyRegion(decoded.text, region));
  if (blobSha(bytes) !== result.blob) throw new Error('The change was built for another file.');
  return { ref: result, bytes };
}

/**
 * The file that a change leaves at each of its paths: a move leaves nothing at its source. Null for readings, and where
 * it is not known.
 */
export function resultsOf(change: Change): readonly PathResult[] | null {
  if (change.op === 'set' && change.results !== undefined) return change.results;
  const members = membersOf(change);
  if (members.some(({ op }) => op === 'read')) return null;
  const results = members.flatMap(({ path, from, result }) => [
    { path, file: result },
    ...(from === null ? [] : [{ path: from, file: null }]),
  ]);
  // The result of one member is not that of its file if another member changes the file too.
  return new Set(results.map(({ path }) => path)).size === results.length ? results : null;
}

/**
 * A change as committed: the digest with the context at that time, and its lines in the commit. A set has the digest of
 * its members' digests, no lines of its own, and the versions of its members in their order.
 */
export type CommittedVersion = MemberVersion & { readonly members?: readonly MemberVersion[] };

/** The digest and the lines of one member in a commit; no lines for a whole file. */
export type MemberVersion = { readonly digest: string; readonly range: LineRange | null };

/** The version of a change from those of its members in a commit. */
export function committedVersion(change: Change, versions: readonly MemberVersion[]): CommittedVersion {
  const members = versions.map(({ digest, range }) => ({ digest, range }));
  if (change.op === 'set') return { digest: setDigest(members.map(({ digest }) => digest)), range: null, members };
  return members[0] ?? { digest: change.digest, range: null };
}

/** The name of one member where changes are listed by name: a single change has that of its proposal. */
export function memberKey(proposalId: string, change: Change, index: number): string {
  return change.op === 'set' ? `${proposalId}#${index + 1}` : proposalId;
}
