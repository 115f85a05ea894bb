import { fileNotFoundText } from '../../../core/agent/shared/file-list.ts';
import { findReading } from '../../../core/agent/tools/read-file.ts';
import { EARLIER_CALL_HINT, touchesOtherCallOutput } from '../../../core/agent/turn-texts.ts';
import type { BuildResult } from '../../../core/edits/build/build-change.ts';
import { buildDelete, buildMove, buildRead } from '../../../core/edits/build/build-files.ts';
import { buildText, type TextStep } from '../../../core/edits/build/build-text.ts';
import { pathsOf, singleChange } from '../../../core/edits/change.ts';
import { CHANGE_TOOLS, MOVE_TOOLS } from '../../../core/policy/path-policy.ts';
import { checkMoveTarget, checkPath } from '../../../core/policy/paths.ts';
import { callRefOf, cutReason } from '../../../core/state/conversation.ts';
import type { ProposingToolName, ToolName, ToolRequestOf } from '../../../core/state/tools.ts';
import type { ToolResult } from '../../../core/step/signals.ts';
import { readFile, readingsSoFar } from './read-tools.ts';
import {
  checkAccess,
  editAccess,
  fetchAllowedFile,
  findGate,
  readAccess,
  type ToolCallContext,
  toolOutput,
  wholeFileAccess,
  writeAccess,
} from './workspace.ts';

/** Reads a file, or asks people whether it may be read. Calls for the same file are one question. */
export async function readOrAsk(context: ToolCallContext, request: ToolRequestOf<'read_file'>): Promise<ToolResult> {
  const { workspace, earlier, call } = context;
  const checked = checkPath(request.path, workspace);
  const entry = checked.kind === 'path' ? workspace.tree.get(checked.path) : undefined;
  // People approve versions at the head, so the version before the pull request stays unread.
  const isAsked =
    workspace.gate.canAsk &&
    request.ref === 'head' &&
    checked.kind === 'path' &&
    entry !== undefined &&
    findGate(workspace, checked.path, entry.sha) !== null;
  if (!isAsked) return readFile(context, request);
  const found = await fetchAllowedFile(workspace, request.path, { ...readAccess('read_file'), passesGate: true });
  if (found.kind === 'refused' || found.file === null) return readFile(context, request);
  const { path, file } = found;
  const change = singleChange(buildRead({ path, repositoryName: workspace.repo, file }));
  const same = earlier.find((one) => one.kind === 'change' && one.change.digest === change.digest);
  const calls = [...(same?.kind === 'change' ? same.calls : []), callRefOf(call)];
  return { callId: call.toolCall.id, kind: 'change', calls, tool: 'read_file', reason: null, change };
}

// Each function builds the change of a call, or the output for the model if it is refused.

/** The result of a call whose change is computed. */
function toResult(
  { call }: ToolCallContext,
  { tool, reason }: { readonly tool: ProposingToolName; readonly reason: string | null },
  built: BuildResult,
): ToolResult {
  if (built.kind === 'refused') return toolOutput(call.toolCall, built.output);
  const change = { kind: 'change', calls: [callRefOf(call)], change: singleChange(built.change) } as const;
  return { callId: call.toolCall.id, tool, reason: cutReason(reason ?? ''), ...change };
}

export function editFile(context: ToolCallContext, request: ToolRequestOf<'edit_file'>): Promise<ToolResult> {
  return changeText(context, request, CHANGE_TOOLS.edit, { kind: 'edits', edits: editsOf(request) });
}

/** Changes the text of a file as it is at the head: the calls of a response do not see each other's changes. */
async function changeText(
  context: ToolCallContext,
  request: ToolRequestOf<'edit_file' | 'write_file'>,
  tools: readonly ToolName[],
  step: TextStep,
): Promise<ToolResult> {
  const { workspace, call, earlier } = context;
  const found = await fetchAllowedFile(workspace, request.path, editAccess(tools));
  if (found.kind === 'refused') return toolOutput(call.toolCall, found.output);
  const { path, file } = found;
  const isChangedEarlier = earlier.some((one) => one.kind === 'change' && pathsOf(one.change).includes(path));
  if (file === null && step.kind === 'edits')
    return toolOutput(
      call.toolCall,
      isChangedEarlier
        ? touchesOtherCallOutput(path)
        : fileNotFoundText(workspace, path, 'Use write_file to create it.'),
    );
  const lastBlob = lastReadBlob(context, path);
  const built = buildText({ path, repositoryName: workspace.repo, file, lastReadBlob: lastBlob, step });
  return built.kind === 'refused' && isChangedEarlier
    ? toolOutput(call.toolCall, `${built.output} ${EARLIER_CALL_HINT}`)
    : toResult(context, request, built);
}

type EditStep = Extract<TextStep, { kind: 'edits' }>;

function editsOf({ edits, old_string, new_string, replace_all }: ToolRequestOf<'edit_file'>): EditStep['edits'] {
  const listed = edits ?? [{ old_string: old_string ?? '', new_string: new_string ?? '', replace_all }];
  return listed.map((one) => {
    return { oldString: one.old_string, newString: one.new_string, replaceAll: one.replace_all };
  });
}

export function writeFile(context: ToolCallContext, request: ToolRequestOf<'write_file'>): Promise<ToolResult> {
  return changeText(context, request, CHANGE_TOOLS.write, { kind: 'content', content: request.content });
}

export async function deleteFile(context: ToolCallContext, request: ToolRequestOf<'delete_file'>): Promise<ToolResult> {
  const { workspace, call } = context;
  const found = await fetchAllowedFile(workspace, request.path, wholeFileAccess(CHANGE_TOOLS.delete));
  if (found.kind === 'refused') return toolOutput(call.toolCall, found.output);
  const { path, file } = found;
  if (file === null) return toolOutput(call.toolCall, fileNotFoundText(workspace, path));
  const built = buildDelete({ path, repositoryName: workspace.repo, file });
  return toResult(context, request, built);
}

export async function moveFile(context: ToolCallContext, request: ToolRequestOf<'move_file'>): Promise<ToolResult> {
  const { workspace, call } = context;
  const found = await fetchAllowedFile(workspace, request.from, wholeFileAccess(MOVE_TOOLS.source));
  if (found.kind === 'refused') return toolOutput(call.toolCall, found.output);
  const { path: from, file } = found;
  if (file === null) return toolOutput(call.toolCall, fileNotFoundText(workspace, from));
  const target = checkAccess(checkMoveTarget(request.to, from, workspace), writeAccess(MOVE_TOOLS.target), workspace);
  if (target.kind === 'refused') return toolOutput(call.toolCall, target.output);
  const { path: to } = target;
  const built = buildMove({ from, to, repositoryName: workspace.repo, file });
  return toResult(context, request, built);
}

/** The blob of this path that the run read last at the head, where changes are made. */
export function lastReadBlob(context: Omit<ToolCallContext, 'call'>, path: string): string | null {
  return findReading(readingsSoFar(context), { path, ref: 'head' })?.blob ?? null;
}
