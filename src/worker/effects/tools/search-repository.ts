import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  createFileSearch,
  type FoundFile,
  findQueryProblem,
  formatNothingSearched,
  formatSearchResults,
  type SearchQuery,
  type SearchResults,
  type SkipReason,
} from '../../../core/agent/tools/search.ts';
import { MAX_FILE_BYTES } from '../../../core/edits/change.ts';
import { blobSha } from '../../../core/edits/text/characters.ts';
import { decideReading } from '../../../core/policy/path-policy.ts';
import { normalizeGlob } from '../../../core/policy/paths.ts';
import type { ToolRequestOf } from '../../../core/state/tools.ts';
import type { GitHub, TreeEntry } from '../../../core/step/ports.ts';
import {
  findGate,
  findReadablePaths,
  type ToolCallContext,
  type ToolOutput,
  toolOutput,
  type Workspace,
} from './workspace.ts';

/** Searches the readable files of the head, the files of the pull request first. */
export async function search(
  { workspace, call: { toolCall: call } }: ToolCallContext,
  { query, regex, ignore_case: ignoreCase, context, glob }: ToolRequestOf<'search'>,
): Promise<ToolOutput> {
  const scope = glob === null ? null : normalizeGlob(glob, workspace);
  return toolOutput(call, await searchFiles(workspace, { query, regex, ignoreCase, context }, scope));
}

/** A search of more files than this downloads the archive of the repository. */
const MAX_SINGLE_FETCHES = 5;

/**
 * Files per search that are fetched one by one besides the archive. GitHub builds it with `git archive`, so
 * `.gitattributes` can omit files (`export-ignore`) or change their bytes (`export-subst`, `eol`).
 */
const MAX_FETCHES_BESIDE_ARCHIVE = 50;

/** Time after which a search ends with what it has found (ms). */
const MAX_SEARCH_MS = 30_000;

type SearchScope = Pick<Workspace, 'tree' | 'rules' | 'gate' | 'archive' | 'changedFiles' | 'now'> & {
  readonly github: Pick<GitHub, 'fetchBlob'>;
};

/** Searches the readable files of the head and returns the output for the model. */
export async function searchFiles(workspace: SearchScope, query: SearchQuery, glob: string | null): Promise<string> {
  const problem = findQueryProblem(query);
  if (problem !== null) return problem;
  const listed = await findReadablePaths(workspace, glob);
  const paths = listed.filter((path) => decideReading(workspace.rules, 'search', path).kind !== 'deny');
  if (paths.length === 0 && glob !== null) return formatNothingSearched(query, glob);
  const archive = paths.length > MAX_SINGLE_FETCHES ? await workspace.archive() : NO_ARCHIVE;
  if (archive === null)
    return 'The repository is too large to be searched at once. Search with a glob that fits few files.';
  const read = createFileReader(workspace, archive);
  const sorted = await sortPaths(workspace, paths);
  return formatSearchResults(query, glob, await searchEach(workspace, query, sorted, read));
}

/** The files that the pull request changes come first. */
async function sortPaths(workspace: SearchScope, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length < 2) return paths;
  const changed = new Set((await workspace.changedFiles()).map(({ path }) => path));
  return [...paths.filter((path) => changed.has(path)), ...paths.filter((path) => !changed.has(path))];
}

/** Searches one file after the other, until the time is up. */
async function searchEach(
  workspace: SearchScope,
  query: SearchQuery,
  paths: readonly string[],
  read: FileReader,
): Promise<SearchResults> {
  const deadline = workspace.now() + MAX_SEARCH_MS;
  const searchFile = createFileSearch(query);
  const found: FoundFile[] = [];
  const skipped: { readonly path: string; readonly reason: SkipReason }[] = [];
  for (const path of paths) {
    await yieldToEventLoop();
    if (workspace.now() > deadline) return { found, skipped, isComplete: false };
    const bytes = await read(path);
    const result = typeof bytes === 'string' ? bytes : searchFile({ path, bytes });
    if (typeof result === 'string') skipped.push({ path, reason: result });
    else if (result !== null) found.push(result);
  }
  return { found, skipped, isComplete: true };
}

type FileReader = (path: string) => Promise<Uint8Array | SkipReason>;

/** Reads files from the archive and fetches a limited number of the others. */
function createFileReader(scope: SearchScope, archive: ReadonlyMap<string, Uint8Array>): FileReader {
  const { github, tree } = scope;
  let fetched = 0;
  return async (path) => {
    const entry = tree.get(path);
    if (entry === undefined) return NO_BYTES;
    if (findGate(scope, path, entry.sha) !== null) return 'needs-approval';
    if ((entry.size ?? 0) > MAX_FILE_BYTES) return 'too-large';
    const archived = archivedBytes(archive, path, entry);
    if (archived !== null) return archived;
    fetched += 1;
    return fetched > MAX_FETCHES_BESIDE_ARCHIVE ? 'too-many' : github.fetchBlob(entry.sha);
  };
}

const NO_BYTES = new Uint8Array();

const NO_ARCHIVE: ReadonlyMap<string, Uint8Array> = new Map();

/** Null unless the archive holds exactly the bytes of the blob. */
function archivedBytes(archive: ReadonlyMap<string, Uint8Array>, path: string, { sha }: TreeEntry): Uint8Array | null {
  const bytes = archive.get(path);
  return bytes !== undefined && blobSha(bytes) === sha ? bytes : null;
}
