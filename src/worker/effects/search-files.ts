import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type FileSearch,
  formatSearchResults,
  NO_SEARCH_RESULTS,
  recordSkippedFile,
  type SkipReason,
} from '../../core/agent/file-search.ts';
import { findReadablePaths } from '../../core/agent/read-only-tools.ts';
import { blobSha } from '../../core/edits/text/characters.ts';
import { MAX_FILE_BYTES } from '../../core/edits/text/limits.ts';
import type { GitHub, TreeEntry } from '../../core/state/ports.ts';
import { offloadInline } from '../offload/offload.ts';
import type { Workspace } from './workspace.ts';

/** A search of more files than this downloads the archive of the repository. */
const MAX_SINGLE_FETCHES = 5;

/**
 * Files per search that are fetched one by one besides the archive. GitHub builds it with `git archive`, so
 * `.gitattributes` can omit files (`export-ignore`) or change their bytes (`export-subst`, `eol`).
 */
const MAX_FETCHES_BESIDE_ARCHIVE = 50;

type SearchScope = Pick<Workspace, 'tree' | 'archive' | 'offload'> & { readonly github: Pick<GitHub, 'fetchBlob'> };

/** Searches the readable files of the head and returns the output for the model. */
export async function searchFiles(workspace: SearchScope, pattern: string, glob: string | null): Promise<string> {
  const paths = findReadablePaths(workspace.tree, glob);
  const archive = paths.length > MAX_SINGLE_FETCHES ? await workspace.archive() : NO_ARCHIVE;
  if (archive === null)
    return 'The repository is too large to be searched at once. Search with a glob that fits few files.';
  const read = createFileReader(workspace, archive);
  let results = NO_SEARCH_RESULTS;
  for (const path of paths) {
    await yieldToEventLoop();
    const entry = workspace.tree.get(path);
    if (entry === undefined) continue;
    const bytes = await read(path, entry);
    results =
      typeof bytes === 'string'
        ? recordSkippedFile(results, path, bytes)
        : await offloadIfFound(workspace, { results, path, bytes, pattern });
  }
  return formatSearchResults(pattern, glob, results);
}

/** Only a file with the pattern is searched for secrets, which takes time. */
function offloadIfFound({ offload }: SearchScope, input: FileSearch): Promise<FileSearch['results']> {
  return (Buffer.from(input.bytes).includes(input.pattern) ? offload : offloadInline)('searchFile', input);
}

type FileReader = (path: string, entry: TreeEntry) => Promise<Uint8Array | SkipReason>;

/** Reads files from the archive and fetches a limited number of the others. */
function createFileReader({ github }: SearchScope, archive: ReadonlyMap<string, Uint8Array>): FileReader {
  let fetched = 0;
  return async (path, entry) => {
    if ((entry.size ?? 0) > MAX_FILE_BYTES) return 'too-large';
    const archived = archivedBytes(archive, path, entry);
    if (archived !== null) return archived;
    fetched += 1;
    return fetched > MAX_FETCHES_BESIDE_ARCHIVE ? 'too-many' : github.fetchBlob(entry.sha, entry.size);
  };
}

const NO_ARCHIVE: ReadonlyMap<string, Uint8Array> = new Map();

/** Null unless the archive holds exactly the bytes of the blob. */
function archivedBytes(archive: ReadonlyMap<string, Uint8Array>, path: string, { sha }: TreeEntry): Uint8Array | null {
  const bytes = archive.get(path);
  return bytes !== undefined && blobSha(bytes) === sha ? bytes : null;
}
