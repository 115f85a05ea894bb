import { fileNotFoundText } from '../../../core/agent/tools/nearest-path.ts';
import { buildDelete, buildMove, buildRead } from '../../../core/edits/build/build-file-ops.ts';
import type { TextInput, TextStep } from '../../../core/edits/build/build-text.ts';
import { mainPath, type StoredFile } from '../../../core/edits/change.ts';
import { isFoundAfterEdit } from '../../../core/policy/earlier-changes.ts';
import { CHANGE_TOOLS, MOVE_TOOLS } from '../../../core/policy/path-policy.ts';
import { checkMoveTarget, checkPath } from '../../../core/policy/paths.ts';
import type { ToolRequestOf } from '../../../core/state/tools.ts';
import { draftPart, proposeText, toDraftResult } from './join-changes.ts';
import { readFile } from './read-tools.ts';
import type { DraftResult } from './workspace.ts';
import {
  checkAccess,
  editAccess,
  fetchAllowedFile,
  findGate,
  readAccess,
  type ToolCallContext,
  toolOutput,
  type Workspace,
  wholeFileAccess,
  writeAccess,
} from './workspace.ts';

/** Reads a file, or asks people whether it may be read. Calls for the same file are one question. */
export async function readOrAsk(context: ToolCallContext, request: ToolRequestOf<'read_file'>): Promise<DraftResult> {
  const { workspace, earlier, call } = context;
  const checked = checkPath(request.path, workspace);
  const entry = checked.kind === 'path' ? workspace.tree.get(checked.path) : undefined;
  // People approve versions at the head, so the version before the pull request stays unread.
  const isAsked =
    request.ref === 'head' &&
    checked.kind === 'path' &&
    entry !== undefined &&
    findGate(workspace, checked.path, entry.sha) !== null;
  if (!isAsked) return readFile(context, request);
  const found = await fetchAllowedFile(workspace, request.path, { ...readAccess('read_file'), passesGate: true });
  if (found.kind === 'refused' || found.file === null) return readFile(context, request);
  const { path, file } = found;
  const change = buildRead({ path, repositoryName: workspace.repo, file });
  const same = earlier.find((one) => one.kind === 'change' && one.change.digest === change.digest);
  const part = draftPart(context, { tool: 'read_file', reason: null }, null);
  const parts = same?.kind === 'change' ? [...same.parts, part] : [part];
  const calls = parts.map((one) => one.call);
  return { callId: call.toolCall.id, kind: 'change', calls, tool: 'read_file', reason: null, change, parts };
}

// Each function builds the change of a call, or the output for the model if it is refused.

export async function editFile(context: ToolCallContext, request: ToolRequestOf<'edit_file'>): Promise<DraftResult> {
  const { workspace, call } = context;
  const found = await fetchAllowedFile(workspace, request.path, editAccess(CHANGE_TOOLS.edit));
  if (found.kind === 'refused') return toolOutput(call.toolCall, found.output);
  const { path, file } = found;
  const edits = editsOf(request);
  const step = { kind: 'edits', edits } as const;
  const proposed = await proposeText(context, {
    part: draftPart(context, request, step),
    input: textInput(context, path, file),
  });
  const [first] = edits;
  if (proposed.kind !== 'output' || first === undefined) return proposed;
  const moved = await findMovedText(context, path, first.oldString);
  if (moved !== null || file !== null || hasEarlierText(context, path)) return moved ?? proposed;
  return toolOutput(call.toolCall, fileNotFoundText(workspace, path, 'Use write_file to create it.'));
}

/** Whether an earlier call of the batch writes the file. */
function hasEarlierText({ earlier }: ToolCallContext, path: string): boolean {
  return earlier.some((one) => one.kind === 'change' && mainPath(one.change) === path);
}

type EditStep = Extract<TextStep, { kind: 'edits' }>;

function editsOf({ edits, old_string, new_string, replace_all }: ToolRequestOf<'edit_file'>): EditStep['edits'] {
  const listed = edits ?? [{ old_string: old_string ?? '', new_string: new_string ?? '', replace_all }];
  return listed.map((one) => {
    return { oldString: one.old_string, newString: one.new_string, replaceAll: one.replace_all };
  });
}

export async function writeFile(context: ToolCallContext, request: ToolRequestOf<'write_file'>): Promise<DraftResult> {
  const found = await fetchAllowedFile(context.workspace, request.path, editAccess(CHANGE_TOOLS.write));
  if (found.kind === 'refused') return toolOutput(context.call.toolCall, found.output);
  const { path, file } = found;
  const part = draftPart(context, request, { kind: 'content', content: request.content });
  return proposeText(context, { part, input: textInput(context, path, file) });
}

function textInput(
  { workspace, earlier }: ToolCallContext,
  path: string,
  file: StoredFile | null,
): Omit<TextInput, 'steps'> {
  return { path, repositoryName: workspace.repo, file, lastReadBlob: lastReadBlob(workspace, path, earlier) };
}

export async function deleteFile(
  context: ToolCallContext,
  request: ToolRequestOf<'delete_file'>,
): Promise<DraftResult> {
  const {
    workspace,
    call: { toolCall: call },
  } = context;
  const found = await fetchAllowedFile(workspace, request.path, wholeFileAccess(CHANGE_TOOLS.delete));
  if (found.kind === 'refused') return toolOutput(call, found.output);
  const { path, file } = found;
  if (file === null) return toolOutput(call, fileNotFoundText(workspace, path));
  const built = buildDelete({ path, repositoryName: workspace.repo, file });
  return toDraftResult(context, [draftPart(context, request, null)], built);
}

export async function moveFile(context: ToolCallContext, request: ToolRequestOf<'move_file'>): Promise<DraftResult> {
  const {
    workspace,
    call: { toolCall: call },
  } = context;
  const found = await fetchAllowedFile(workspace, request.from, wholeFileAccess(MOVE_TOOLS.source));
  if (found.kind === 'refused') return toolOutput(call, found.output);
  const { path: from, file } = found;
  if (file === null) return toolOutput(call, fileNotFoundText(workspace, from));
  const target = checkAccess(checkMoveTarget(request.to, from, workspace), writeAccess(MOVE_TOOLS.target), workspace);
  if (target.kind === 'refused') return toolOutput(call, target.output);
  const { path: to } = target;
  const built = buildMove({ from, to, repositoryName: workspace.repo, file });
  return toDraftResult(context, [draftPart(context, request, null)], built);
}

/** The blob of this path that the run read last, including reads of the same response. */
export function lastReadBlob(workspace: Workspace, path: string, earlier: readonly DraftResult[]): string | null {
  const read = earlier.findLast((result) => result.kind === 'output' && result.readBlob?.path === path);
  if (read?.kind === 'output' && read.readBlob !== null) return read.readBlob.blob;
  return Object.hasOwn(workspace.readBlobs, path) ? (workspace.readBlobs[path] ?? null) : null;
}

/** Finds the earlier move of this batch that brings the searched text to this path. [T15] */
async function findMovedText(
  { workspace, call: { toolCall }, earlier }: ToolCallContext,
  path: string,
  searchText: string,
): Promise<DraftResult | null> {
  const move = earlier.find((one) => one.kind === 'change' && one.change.op === 'move' && one.change.path === path);
  if (move?.kind !== 'change' || move.change.op === 'set' || move.change.base === null) return null;
  const bytes = await workspace.github.fetchBlob(move.change.base.blob);
  const isFound = isFoundAfterEdit({ bytes, region: null, searchText });
  const [dependsOn] = move.calls;
  if (!isFound || dependsOn === undefined) return null;
  return { callId: toolCall.id, kind: 'depends-on-call', path, dependsOn, relation: 'needs-text' };
}
