import { findDeclarations } from '../../../adapters/syntax/parse-source.ts';
import { commentedLine } from '../../../core/agent/context/diff-excerpt.ts';
import { findSpeakers, formatDiscussion } from '../../../core/agent/shared/discussion.ts';
import { fileNotFoundText, formatFileList } from '../../../core/agent/shared/file-list.ts';
import { UNCHANGED_OUTPUT } from '../../../core/agent/shared/tool-results.ts';
import { formatOutline } from '../../../core/agent/tools/outline.ts';
import { formatPullDiff } from '../../../core/agent/tools/pull-diff.ts';
import { addReading, areShown, formatFileContent } from '../../../core/agent/tools/read-file.ts';
import { decodeText } from '../../../core/edits/text/characters.ts';
import { pathRulesOf } from '../../../core/policy/path-policy.ts';
import { findDirectory, findListed, normalizeGlob, stripPathPrefixes } from '../../../core/policy/paths.ts';
import type { ReadingToolName, ToolName, ToolRequestOf } from '../../../core/state/tools.ts';
import type { Permission } from '../../../core/state/vote.ts';
import type { GitHub, ReviewThread } from '../../../core/step/ports.ts';
import type { ToolResult } from '../../../core/step/signals.ts';
import { readChecks } from './read-checks.ts';
import { search } from './search-repository.ts';
import {
  fetchAllowedFile,
  findReadablePaths,
  readAccess,
  type ToolCallContext,
  type ToolOutput,
  toolOutput,
  type Workspace,
} from './workspace.ts';

/** Lists the readable files of the head. */
async function listFiles(
  { workspace, call: { toolCall: call } }: ToolCallContext,
  { glob }: ToolRequestOf<'list_files'>,
): Promise<ToolOutput> {
  return toolOutput(call, await listMatching(workspace, glob === null ? null : normalizeGlob(glob, workspace)));
}

async function listMatching(workspace: Workspace, glob: string | null): Promise<string> {
  return formatFileList(await findReadablePaths(workspace, glob), glob);
}

/** Shows a file of the head, or of the commit from which the pull request branched off. A directory is listed. */
export async function readFile(context: ToolCallContext, request: ToolRequestOf<'read_file'>): Promise<ToolOutput> {
  const call = context.call.toolCall;
  const { ref, start, end } = request;
  const workspace = ref === 'head' ? context.workspace : await context.workspace.atBase();
  const directory = findDirectory(request.path, workspace);
  if (directory !== null)
    return toolOutput(call, await listMatching(workspace, directory === '' ? null : `${directory}/**`));
  const found = await fetchAllowedFile(workspace, request.path, readAccess('read_file'));
  if (found.kind === 'refused') return toolOutput(call, found.output);
  const { path, file } = found;
  if (file === null) return toolOutput(call, fileNotFoundText(workspace, path));
  const { blob } = file.ref;
  const view = formatFileContent({ path, blob, bytes: file.bytes, start, end });
  const isShown = view.lines !== null && areShown(readingsSoFar(context), { path, ref, blob }, view.lines);
  const shown = view.lines === null || isShown ? [] : [view.lines];
  return { ...toolOutput(call, isShown ? UNCHANGED_OUTPUT : view.text), reading: { path, ref, blob, shown } };
}

/** Shows where things are declared in a file of the head. If its grammar fails, a plain outline takes its place. */
async function outlineFile(
  { workspace, call: { toolCall: call } }: ToolCallContext,
  { path: raw }: ToolRequestOf<'outline'>,
): Promise<ToolOutput> {
  const found = await fetchAllowedFile(workspace, raw, readAccess('outline'));
  if (found.kind === 'refused') return toolOutput(call, found.output);
  const { path, file } = found;
  if (file === null) return toolOutput(call, fileNotFoundText(workspace, path));
  const input = { path, blob: file.ref.blob, bytes: file.bytes };
  const decoded = decodeText(file.bytes);
  const declarations = decoded.kind === 'text' ? await findDeclarations({ path, text: decoded.text }) : null;
  return toolOutput(call, formatOutline(input, declarations));
}

/** The files that the run has read, with the preceding calls of the same response. */
export function readingsSoFar({ workspace, earlier }: Omit<ToolCallContext, 'call'>): Workspace['readings'] {
  return earlier.reduce(
    (readings, result) =>
      result.kind === 'output' && result.reading !== undefined ? addReading(readings, result.reading) : readings,
    workspace.readings,
  );
}

/** Shows the diff of the pull request, or of one of its files or directories. */
async function readDiff(
  { workspace, call: { toolCall: call } }: ToolCallContext,
  { path: raw }: ToolRequestOf<'read_diff'>,
): Promise<ToolOutput> {
  const files = await workspace.changedFiles();
  const directory = raw === null ? '' : nameChanged(raw, workspace);
  const path = directory === '' ? null : directory;
  return toolOutput(call, formatPullDiff({ files, path, rules: pathRulesOf(workspace.rules) }));
}

/** A deleted file or directory is not in the tree. */
function nameChanged(raw: string, workspace: Workspace): string {
  return findDirectory(raw, workspace) ?? findListed(raw, workspace) ?? stripPathPrefixes(raw, workspace);
}

/** Shows what people and bots wrote on the pull request, and who of them has write access. */
async function readDiscussion(
  { workspace, call: { toolCall: call } }: ToolCallContext,
  { skip }: ToolRequestOf<'read_discussion'>,
): Promise<ToolOutput> {
  const { ownLogin, task } = workspace;
  const rules = pathRulesOf(workspace.rules);
  const [discussion, files] = [await workspace.discussion(), await workspace.changedFiles()];
  const lineOf = (thread: ReviewThread): string => commentedLine(thread, files, rules);
  const input = { discussion, task, ownLogin, rules, lineOf };
  const permissions = await askPermissions(workspace.github, findSpeakers(input, skip), workspace.permissions);
  return toolOutput(call, formatDiscussion({ ...input, permissions }, skip));
}

/** The permission of each person, asked once. */
export async function askPermissions(
  github: Pick<GitHub, 'fetchPermission'>,
  logins: readonly string[],
  known: Map<string, Permission> = new Map(),
): Promise<ReadonlyMap<string, Permission>> {
  for (const login of logins) if (!known.has(login)) known.set(login, (await github.fetchPermission(login)).permission);
  return known;
}

/** Runs a valid call. */
export type ToolHandler<Name extends ToolName, Result = ToolResult> = (
  context: ToolCallContext,
  request: ToolRequestOf<Name>,
) => Promise<Result> | Result;

/** The tools that read. Their results are text, so none of them can change anything. */
export const READING_HANDLERS: { readonly [Name in ReadingToolName]: ToolHandler<Name, ToolOutput> } = {
  read_file: readFile,
  list_files: listFiles,
  search,
  outline: outlineFile,
  read_diff: readDiff,
  read_discussion: readDiscussion,
  read_checks: readChecks,
};
