import { setImmediate as breath } from 'node:timers/promises';
import { blobSha } from '../change/blob.ts';
import { MOST_FILE_BYTES } from '../change/limits.ts';
import type { TreeEntry } from '../policy/tree.ts';
import { readableFiles } from '../tools/list-result.ts';
import { leaveOut, NOTHING_FOUND, searchFile, searchResult } from '../tools/search-result.ts';
import type { WhyUnsearched } from '../tools/unsearched.ts';
import type { GitHub } from './ports.ts';
import type { Workspace } from './workspace.ts';

/** Up to so many files are fetched one by one; more come in one archive. */
const FEW_FILES = 5;
/**
 * Files of one search that are fetched one by one although there is an archive: GitHub makes it as `git archive` does,
 * so `.gitattributes` may leave files out of it (`export-ignore`) or write other bytes (`export-subst`, `eol`).
 */
const MOST_APART = 50;

/** What of a workspace is searched. */
type Searched = Pick<Workspace, 'tree' | 'archive'> & { readonly github: Pick<GitHub, 'blob'> };

/** Looks through the files of the head that may be read. */
export async function searchFiles(workspace: Searched, pattern: string, glob: string | null): Promise<string> {
  const paths = readableFiles(workspace.tree, glob);
  const archive = paths.length > FEW_FILES ? await workspace.archive() : NO_ARCHIVE;
  if (archive === null)
    return 'The repository is too large to be searched at once. Search with a glob that fits few files.';
  const read = reader(workspace, archive);
  let findings = NOTHING_FOUND;
  for (const path of paths) {
    await breath();
    const entry = workspace.tree.get(path);
    if (entry === undefined) continue;
    const bytes = await read(path, entry);
    findings =
      typeof bytes === 'string' ? leaveOut(findings, path, bytes) : searchFile(findings, { path, bytes, pattern });
  }
  return searchResult(pattern, glob, findings);
}

type Read = (path: string, entry: TreeEntry) => Promise<Uint8Array | WhyUnsearched>;

/** Takes files from the archive, a few others one by one; the rest it only gives a reason for. */
function reader({ github }: Searched, archive: ReadonlyMap<string, Uint8Array>): Read {
  let apart = 0;
  return async (path, entry) => {
    if ((entry.size ?? 0) > MOST_FILE_BYTES) return 'too-large';
    const packed = bytesIn(archive, path, entry);
    if (packed !== null) return packed;
    apart += 1;
    return apart > MOST_APART ? 'too-many' : github.blob(entry.sha);
  };
}

const NO_ARCHIVE: ReadonlyMap<string, Uint8Array> = new Map();

/** Null where the archive does not hold the very bytes that the tree names. */
function bytesIn(archive: ReadonlyMap<string, Uint8Array>, path: string, { sha }: TreeEntry): Uint8Array | null {
  const bytes = archive.get(path);
  return bytes !== undefined && blobSha(bytes) === sha ? bytes : null;
}
