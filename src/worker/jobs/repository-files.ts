import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FilesToFetch } from '../../core/actions/head-assessment.ts';
import {
  formatSearchResults,
  NO_SEARCH_RESULTS,
  recordSkippedFile,
  type SkipReason,
  searchFile,
} from '../../core/agent/file-search.ts';
import { findReadablePaths } from '../../core/agent/read-only-tools.ts';
import type { StoredFile } from '../../core/edits/change.ts';
import { blobSha, decodeText } from '../../core/edits/text/characters.ts';
import { MAX_FILE_BYTES } from '../../core/edits/text/limits.ts';
import { type CheckedPath, checkMoveTarget, checkPath } from '../../core/policy/paths.ts';
import type { ToolCall } from '../../core/state/conversation.ts';
import type { FileAtHead } from '../../core/state/head-changes.ts';
import type { GitHub, Tree, TreeEntry } from '../../core/state/ports.ts';
import type { ToolResult } from '../../core/state/signals.ts';
import type { Offload } from '../offload/offload.ts';

/** The repository at one commit, as the agent's tools see it. */
export type Workspace = {
  readonly github: GitHub;
  readonly repo: string;
  readonly head: string;
  readonly tree: Tree;
  /** Downloads the plain files of the head once, for searches only. The result is null if the archive is too large. */
  readonly archive: () => Promise<ReadonlyMap<string, Uint8Array> | null>;
  /** The blobs that the run has read in earlier responses, by path. */
  readonly readBlobs: Readonly<Record<string, string>>;
  readonly offload: Offload;
};

/** The limits of a tool: which rule denies a path, the text of that refusal, and the largest file. */
export type PathAccess = {
  readonly deniedBy: (path: string) => string | null;
  readonly refusalText: (path: string, rule: string) => string;
  readonly limit: { readonly bytes: number; readonly verb: string };
};

type FileLookup =
  | { readonly kind: 'file'; readonly path: string; readonly file: StoredFile | null }
  | { readonly kind: 'refused'; readonly output: string };

/** Checks a path from the model and fetches its file (null if there is none). Checks the size before the download. */
export async function findFile(workspace: Workspace, rawPath: string, access: PathAccess): Promise<FileLookup> {
  const checked = checkAccess(checkPath(rawPath, { repo: workspace.repo, tree: workspace.tree }), access);
  if (checked.kind === 'refused') return checked;
  const { path } = checked;
  const entry = workspace.tree.get(path);
  if (entry === undefined) return { kind: 'file', path, file: null };
  const { mode, sha: blob, size } = entry;
  if (mode !== '100644' && mode !== '100755') return { kind: 'refused', output: `${path} is not a plain file.` };
  const { bytes: maxBytes, verb } = access.limit;
  if ((size ?? 0) > maxBytes)
    return { kind: 'refused', output: `${path} has ${size} bytes and at most ${maxBytes} can be ${verb}.` };
  return { kind: 'file', path, file: { ref: { blob, mode }, bytes: await workspace.github.fetchBlob(blob) } };
}

/** Refuses a path that a rule denies to the tool. */
export function checkAccess(
  checked: CheckedPath,
  { deniedBy, refusalText }: Pick<PathAccess, 'deniedBy' | 'refusalText'>,
): CheckedPath {
  const rule = checked.kind === 'path' ? deniedBy(checked.path) : null;
  return checked.kind === 'path' && rule !== null
    ? { kind: 'refused', output: refusalText(checked.path, rule) }
    : checked;
}

/** The result of a call that only returns text. */
export function toolOutput(call: ToolCall, text: string): ToolResult {
  return { callId: call.id, kind: 'output', output: text, readBlob: null };
}

/** Fetches files by path. The result has no prototype, because a file can be named `constructor`. */
export async function readFiles(
  github: GitHub,
  tree: Tree,
  { paths, moves }: FilesToFetch,
): Promise<Record<string, FileAtHead | null>> {
  const files: Record<string, FileAtHead | null> = Object.create(null);
  for (const { from, to } of moves) {
    files[from] = tree.has(from) ? readFileEntry(tree, from) : null;
    files[to] = readFileEntry(tree, to, from);
  }
  for (const path of paths) files[path] = await readFile(github, tree, path);
  return files;
}

/**
 * Fetches a file of a tree with its text: null if there is no file; the text is null unless it is a plain text file.
 */
export async function readFile(github: GitHub, tree: Tree, path: string): Promise<FileAtHead | null> {
  const file = readFileEntry(tree, path);
  if (file === null || (file.mode !== '100644' && file.mode !== '100755')) return file;
  const decoded = decodeText(await github.fetchBlob(file.blob));
  return { ...file, text: decoded.kind === 'text' ? decoded.text : null };
}

/** Marks a path where no file can be created, because another file or directory is in the way. */
const PATH_BLOCKED: FileAtHead = { blob: '', mode: '', text: null };

/** Returns a file without its text, from the tree alone. `from` is the source of a file to be moved to `path`. */
export function readFileEntry(tree: Tree, path: string, from: string = path): FileAtHead | null {
  const entry = tree.get(path);
  if (entry === undefined) return canPlaceFile(tree, path, from) ? null : PATH_BLOCKED;
  return { blob: entry.sha, mode: entry.mode, text: null };
}

/** Whether a file can be created at `path`: no file, link or name that differs only in case is in the way. */
function canPlaceFile(tree: Tree, path: string, from: string): boolean {
  return checkMoveTarget(path, from, { repo: '', tree }).kind === 'path';
}

/** A search of more files than this downloads the archive of the repository. */
const MAX_SINGLE_FETCHES = 5;

/**
 * Files per search that are fetched one by one besides the archive. GitHub builds it with `git archive`, so
 * `.gitattributes` can omit files (`export-ignore`) or change their bytes (`export-subst`, `eol`).
 */
const MAX_FETCHES_BESIDE_ARCHIVE = 50;

type SearchScope = Pick<Workspace, 'tree' | 'archive'> & { readonly github: Pick<GitHub, 'fetchBlob'> };

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
        : searchFile(results, { path, bytes, pattern });
  }
  return formatSearchResults(pattern, glob, results);
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
    return fetched > MAX_FETCHES_BESIDE_ARCHIVE ? 'too-many' : github.fetchBlob(entry.sha);
  };
}

const NO_ARCHIVE: ReadonlyMap<string, Uint8Array> = new Map();

/** Null unless the archive holds exactly the bytes of the blob. */
function archivedBytes(archive: ReadonlyMap<string, Uint8Array>, path: string, { sha }: TreeEntry): Uint8Array | null {
  const bytes = archive.get(path);
  return bytes !== undefined && blobSha(bytes) === sha ? bytes : null;
}
