import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type FileSearch,
  formatSearchResults,
  NO_SEARCH_RESULTS,
  recordSkippedFile,
  type SkipReason,
} from '../../core/agent/file-search.ts';
import { findReadablePaths, formatFileList } from '../../core/agent/read-only-tools.ts';
import { CHANGES_TOO_LARGE_OUTPUT, TOO_MANY_CALLS_OUTPUT } from '../../core/agent/tool-results.ts';
import { blobSha } from '../../core/edits/text/characters.ts';
import { MAX_FILE_BYTES } from '../../core/edits/text/limits.ts';
import type { ToolCall } from '../../core/state/conversation.ts';
import type { GitHub, TreeEntry } from '../../core/state/ports.ts';
import { activeRun } from '../../core/state/run.ts';
import type { ToolResult } from '../../core/state/signals.ts';
import {
  MAX_CALLS_PER_RESPONSE,
  MAX_CHANGED_CHARACTERS_PER_RESPONSE,
  type ToolName,
  type ToolRequestOf,
} from '../../core/state/tools.ts';
import { DONE, type EffectResult, type Job, loadJobPull } from '../jobs/job.ts';
import { OffloadError, offloadInline } from '../offload/offload.ts';
import { deleteFile, editFile, moveFile, writeFile } from './propose-change.ts';
import {
  createWorkspace,
  fetchAllowedFile,
  fileNotFoundText,
  READ_ACCESS,
  type ToolCallContext,
  toolOutput,
  type Workspace,
} from './workspace.ts';

/** Runs the calls of one model response in order, at the current head of the pull request. */
export async function runTools(job: Job<'run-tools'>): Promise<EffectResult> {
  const { effect } = job;
  const pull = await loadJobPull(job);
  const run = activeRun(pull);
  if (run === null || run.id !== effect.runId || run.batch?.turn !== effect.turn) return DONE;
  const workspace = await createWorkspace(job, pull, run.readBlobs);
  const results = await runToolCalls(workspace, effect.calls.slice(0, MAX_CALLS_PER_RESPONSE));
  for (const call of effect.calls.slice(MAX_CALLS_PER_RESPONSE)) results.push(toolOutput(call, TOO_MANY_CALLS_OUTPUT));
  return {
    kind: 'done',
    signal: { type: 'tools-finished', runId: run.id, turn: effect.turn, headSha: workspace.head, results },
  };
}

/** Refuses changes beyond the size limit of a response; the first change can have any size. */
async function runToolCalls(workspace: Workspace, calls: readonly ToolCall[]): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  let characters = 0;
  for (const call of calls) {
    // Each call can take milliseconds, so let other work run in between.
    await yieldToEventLoop();
    const result = await runToolCall(workspace, call, results);
    const length = changedCharacters(result);
    const isTooMuch = length > 0 && characters > 0 && characters + length > MAX_CHANGED_CHARACTERS_PER_RESPONSE;
    results.push(isTooMuch ? toolOutput(call, CHANGES_TOO_LARGE_OUTPUT) : result);
    if (!isTooMuch) characters += length;
  }
  return results;
}

function changedCharacters(result: ToolResult): number {
  if (result.kind !== 'change' || result.change.region === null) return 0;
  const { region } = result.change;
  return [...region.old, ...region.new].reduce((sum, line) => sum + line.length, 0);
}

/** Runs one call. `earlier` are the results of the preceding calls of the same response. */
export async function runToolCall(
  workspace: Workspace,
  call: ToolCall,
  earlier: readonly ToolResult[],
): Promise<ToolResult> {
  try {
    const parsed = await workspace.offload('parseCall', { name: call.name, arguments: call.arguments });
    return parsed.kind === 'refused'
      ? toolOutput(call, parsed.output)
      : await handleToolCall({ workspace, call, earlier }, parsed.call.tool, parsed.call);
  } catch (error) {
    if (error instanceof OffloadError) return toolOutput(call, OFFLOAD_ERROR_OUTPUT[error.reason]);
    throw error;
  }
}

const SMALLER_CALLS_HINT = 'Nothing was executed. Make smaller calls: less text at once, or fewer places.';

const OFFLOAD_ERROR_OUTPUT = {
  timeout: `Given up: this call took too long to work out. ${SMALLER_CALLS_HINT}`,
  crash: `Given up: this call could not be worked out. ${SMALLER_CALLS_HINT}`,
} as const satisfies Record<OffloadError['reason'], string>;

/** Runs a valid call. */
type ToolHandler<Name extends ToolName> = (
  context: ToolCallContext,
  request: ToolRequestOf<Name>,
) => Promise<ToolResult> | ToolResult;

const TOOL_HANDLERS: { readonly [Name in ToolName]: ToolHandler<Name> } = {
  read_file: readFile,
  list_files: ({ workspace, call }, { glob }) => toolOutput(call, formatFileList(workspace.tree, glob)),
  search: async ({ workspace, call }, { pattern, glob }) =>
    toolOutput(call, await searchFiles(workspace, pattern, glob)),
  edit_file: editFile,
  write_file: writeFile,
  delete_file: deleteFile,
  move_file: moveFile,
};

function handleToolCall<Name extends ToolName>(
  context: ToolCallContext,
  name: Name,
  request: ToolRequestOf<Name>,
): Promise<ToolResult> | ToolResult {
  return TOOL_HANDLERS[name](context, request);
}

async function readFile(
  { workspace, call }: ToolCallContext,
  { path: raw, start, end }: ToolRequestOf<'read_file'>,
): Promise<ToolResult> {
  const found = await fetchAllowedFile(workspace, raw, READ_ACCESS);
  if (found.kind === 'refused') return toolOutput(call, found.output);
  const { path, file } = found;
  if (file === null) return toolOutput(call, fileNotFoundText(path));
  const { blob } = file.ref;
  const text = await workspace.offload('formatFileContent', { path, blob, bytes: file.bytes, start, end });
  return { callId: call.id, kind: 'output', output: text, readBlob: { path, blob } };
}

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
