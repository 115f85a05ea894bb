import type { Change, FileChange, PathResult, StoredFile } from './change.ts';
import { membersDigest } from './digest.ts';
import { applyRegion, type LineRange, regionIndex } from './region.ts';
import { blobSha, decodeText, encodeText } from './text/characters.ts';

/** Makes one change of several; null without any. A single one has no summary. */
export function combineChanges(summary: string, changes: readonly FileChange[]): Change | null {
  const [first, ...others] = changes.toSorted(byPlace);
  if (first === undefined) return null;
  const members = [first, ...others] as const;
  return { summary: others.length === 0 ? null : summary, members, digest: membersDigest(members) };
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
  const { members } = change;
  if (change.results !== undefined) return change.results;
  if (members.some(({ op }) => op === 'read')) return null;
  const results = members.flatMap(({ path, from, result }) => [
    { path, file: result },
    ...(from === null ? [] : [{ path: from, file: null }]),
  ]);
  // The result of one member is not that of its file if another member changes the file too.
  return new Set(results.map(({ path }) => path)).size === results.length ? results : null;
}

/**
 * A change as committed: the digest with the context at that time, the lines of a single one, and the versions of its
 * members in their order.
 */
export type CommittedVersion = MemberVersion & { readonly members: readonly MemberVersion[] };

/** The digest and the lines of one member in a commit; no lines for a whole file. */
export type MemberVersion = { readonly digest: string; readonly range: LineRange | null };

/** The version of a change from those of its members in a commit. */
export function committedVersion(versions: readonly MemberVersion[]): CommittedVersion {
  const members = versions.map(({ digest, range }) => ({ digest, range }));
  const range = members.length === 1 ? (members[0]?.range ?? null) : null;
  return { digest: membersDigest(members), range, members };
}

/** The name of one member where those of several changes are listed. */
export function memberKey(proposalId: string, index: number): string {
  return `${proposalId}#${index + 1}`;
}
