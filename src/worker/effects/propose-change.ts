import type { BuildResult } from '../../core/edits/build-edit.ts';
import type { FileChange, StoredFile } from '../../core/edits/change.ts';
import type { TextAfterEdit } from '../../core/policy/earlier-changes.ts';
import { checkMoveTarget } from '../../core/policy/paths.ts';
import type { ToolCall } from '../../core/state/conversation.ts';
import type { ToolResult } from '../../core/state/signals.ts';
import type { GatedToolName, ToolRequestOf } from '../../core/state/tools.ts';
import {
  checkAccess,
  EDIT_ACCESS,
  fetchAllowedFile,
  fileNotFoundText,
  type ToolCallContext,
  toolOutput,
  WHOLE_FILE_ACCESS,
  type Workspace,
  WRITE_ACCESS,
} from './workspace.ts';

// Each function builds the change of a call, or the output for the model if it is refused.

export async function editFile(context: ToolCallContext, request: ToolRequestOf<'edit_file'>): Promise<ToolResult> {
  const { workspace, call } = context;
  const found = await fetchAllowedFile(workspace, request.path, EDIT_ACCESS);
  if (found.kind === 'refused') return toolOutput(call, found.output);
  const { path, file } = found;
  const { old_string: oldString, new_string: newString, replace_all: replaceAll } = request;
  if (file === null) {
    const notFound = `File not found: ${path}. Use write_file to create it.`;
    return (await findDependency(context, path, null, oldString)) ?? toolOutput(call, notFound);
  }
  const edit = { path, repositoryName: workspace.repo, file, oldString, newString, replaceAll };
  const built = await workspace.offload('buildEdit', edit);
  if (built.kind === 'refused')
    return (await findDependency(context, path, file, oldString)) ?? toolOutput(call, built.output);
  return toToolResult(call, request, built);
}

export async function writeFile(
  { workspace, call, earlier }: ToolCallContext,
  request: ToolRequestOf<'write_file'>,
): Promise<ToolResult> {
  const found = await fetchAllowedFile(workspace, request.path, EDIT_ACCESS);
  if (found.kind === 'refused') return toolOutput(call, found.output);
  const { path, file } = found;
  const { content } = request;
  const input = {
    path,
    repositoryName: workspace.repo,
    file,
    content,
    lastReadBlob: lastReadBlob(workspace, path, earlier),
  };
  return toToolResult(call, request, await workspace.offload('buildWrite', input));
}

export async function deleteFile(
  { workspace, call }: ToolCallContext,
  request: ToolRequestOf<'delete_file'>,
): Promise<ToolResult> {
  const found = await fetchAllowedFile(workspace, request.path, WHOLE_FILE_ACCESS);
  if (found.kind === 'refused') return toolOutput(call, found.output);
  const { path, file } = found;
  if (file === null) return toolOutput(call, fileNotFoundText(path));
  const built = await workspace.offload('buildDelete', { path, repositoryName: workspace.repo, file });
  return toToolResult(call, request, built);
}

export async function moveFile(
  { workspace, call }: ToolCallContext,
  request: ToolRequestOf<'move_file'>,
): Promise<ToolResult> {
  const found = await fetchAllowedFile(workspace, request.from, WHOLE_FILE_ACCESS);
  if (found.kind === 'refused') return toolOutput(call, found.output);
  const { path: from, file } = found;
  if (file === null) return toolOutput(call, fileNotFoundText(from));
  const target = checkAccess(checkMoveTarget(request.to, from, workspace), WRITE_ACCESS);
  if (target.kind === 'refused') return toolOutput(call, target.output);
  const { path: to } = target;
  const built = await workspace.offload('buildMove', { from, to, repositoryName: workspace.repo, file });
  return toToolResult(call, request, built);
}

function toToolResult(call: ToolCall, request: ToolRequestOf<GatedToolName>, built: BuildResult): ToolResult {
  if (built.kind === 'refused') return toolOutput(call, built.output);
  return { callId: call.id, kind: 'change', tool: request.tool, reason: request.reason, change: built.change };
}

/** The blob of this path that the run read last, including reads of the same response. */
function lastReadBlob(workspace: Workspace, path: string, earlier: readonly ToolResult[]): string | null {
  const read = earlier.findLast((result) => result.kind === 'output' && result.readBlob?.path === path);
  if (read?.kind === 'output' && read.readBlob !== null) return read.readBlob.blob;
  return Object.hasOwn(workspace.readBlobs, path) ? (workspace.readBlobs[path] ?? null) : null;
}

/** Finds the earlier change of this response that would add the searched text; its file might not exist yet. [T15] */
async function findDependency(
  { workspace, call, earlier }: ToolCallContext,
  path: string,
  file: StoredFile | null,
  searchText: string,
): Promise<ToolResult | null> {
  const changes = earlier.flatMap((one) => (one.kind === 'change' && one.change.path === path ? [one] : []));
  const bytes = file?.bytes ?? NO_BYTES;
  const isFound = (after: Omit<TextAfterEdit, 'searchText'>) =>
    workspace.offload('isFoundAfterEdit', { ...after, searchText });
  if (changes.length === 0 || (await isFound({ bytes, region: null }))) return null;
  // One at a time, because each check copies the file to the offload thread.
  for (const { callId, change } of changes) {
    const after = await contentAfter(workspace, change, bytes);
    if (after !== null && (await isFound(after)))
      return { callId: call.id, kind: 'depends-on-call', path, dependsOnCallId: callId };
  }
  return null;
}

const NO_BYTES = new Uint8Array();

/** The content of a path after a change, as the old bytes and the changed region; null if the result is not text. */
async function contentAfter(
  { github }: Workspace,
  { op, base, region }: FileChange,
  bytes: Uint8Array,
): Promise<Omit<TextAfterEdit, 'searchText'> | null> {
  if (op === 'move' && base !== null) return { bytes: await github.fetchBlob(base.blob), region };
  return region === null ? null : { bytes, region };
}
