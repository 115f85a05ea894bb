import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { readQuestionCall } from '../../../core/agent/question-texts.ts';
import { boundResults } from '../../../core/agent/shared/response-size.ts';
import { findAnswerable } from '../../../core/agent/shared/review-threads.ts';
import { TOO_MANY_CALLS_OUTPUT, TREE_TOO_LARGE_OUTPUT } from '../../../core/agent/shared/tool-results.ts';
import { parseCall } from '../../../core/agent/tools/parse-call.ts';
import { cutOutput, touchesOtherCallOutput } from '../../../core/agent/turn-texts.ts';
import { COMMAND_GRAMMAR } from '../../../core/commands/all-commands.ts';
import { parseComment } from '../../../core/comments/parse-comment.ts';
import { isReading, mainPath } from '../../../core/edits/change.ts';
import { stripMarkers } from '../../../core/messages/shared/markdown.ts';
import { areChangesTouching } from '../../../core/policy/earlier-changes.ts';
import { type CallRef, callRefOf, type IssuedCall, isSameCall, sharesCall } from '../../../core/state/conversation.ts';
import { activeRun, type PullState } from '../../../core/state/pull-state.ts';
import type { Run } from '../../../core/state/run.ts';
import {
  isReadingTool,
  MAX_CALLS_PER_RESPONSE,
  readToolName,
  type ToolName,
  type ToolRequestOf,
} from '../../../core/state/tools.ts';
import { nullIf } from '../../../core/step/ports.ts';
import type { CallResult, ToolResult } from '../../../core/step/signals.ts';
import { DONE, type EffectResult, type Job, loadJobPull, resultIfClosed } from '../../jobs/job.ts';
import { changeFiles } from './change-files.ts';
import { checkChanges } from './check-changes.ts';
import { deleteFile, editFile, moveFile, readOrAsk, writeFile } from './propose-change.ts';
import { READING_HANDLERS, type ToolHandler } from './read-tools.ts';
import { createWorkspace, type NumberedResult, type ToolCallContext, toolOutput, type Workspace } from './workspace.ts';

/**
 * Runs the calls of one model response in order, at the current head of the pull request. A gated call computes its
 * change here; the core makes it a proposal.
 */
export async function runTools(job: Job<'run-tools'>): Promise<EffectResult> {
  const { effect } = job;
  const pull = await loadJobPull(job);
  const run = activeRun(pull);
  if (run === null || run.id !== effect.runId || run.batch?.turn !== effect.turn) return DONE;
  const workspace = await openWorkspace(job, pull, run);
  const answer = { type: 'tools-finished', runId: run.id, turn: effect.turn } as const;
  if (workspace === null) {
    const unread = effect.calls.map((call) => ({
      ...toolOutput(call.toolCall, TREE_TOO_LARGE_OUTPUT),
      turn: call.turn,
    }));
    return { kind: 'done', signal: { ...answer, headSha: null, results: unread } };
  }
  const closed = resultIfClosed(workspace);
  if (closed !== null) return closed;
  const results = await runToolCalls(workspace, effect.calls);
  return { kind: 'done', signal: { ...answer, headSha: workspace.head, results } };
}

/** Null if the repository has too many files or directories to be listed. */
function openWorkspace(job: Job<'run-tools'>, pull: PullState, run: Run): Promise<Workspace | null> {
  const input = { ...run, rules: run.settings, gate: gateOf(pull, run) };
  return createWorkspace(job, pull, input).catch(nullIf('our-mistake'));
}

/** People approve a file as it is in one version, for the rest of the run. */
function gateOf({ proposals }: PullState, { id }: Run): Workspace['gate'] {
  const approved = proposals
    .filter(({ runId, state }) => runId === id && state === 'completed')
    .flatMap(({ change }) => change.members)
    .filter(({ op }) => op === 'read');
  return {
    isApproved: (path, blob) => approved.some((one) => one.path === path && one.base?.blob === blob),
    canAsk: true,
  };
}

function toolOf(calls: readonly IssuedCall[], ref: CallRef): ToolName | null {
  const call = calls.find((one) => isSameCall(callRefOf(one), ref));
  return call === undefined ? null : readToolName(call.toolCall.name);
}

/** Runs calls in order. Refuses calls beyond the limit of their response, and bounds their outputs. */
export async function runToolCalls(workspace: Workspace, calls: readonly IssuedCall[]): Promise<readonly CallResult[]> {
  let results: readonly NumberedResult[] = [];
  for (const [index, call] of calls.entries()) {
    // Each call can take milliseconds, so let other work run in between.
    await yieldToEventLoop();
    const isExtra = calls.slice(0, index).filter(({ turn }) => turn === call.turn).length >= MAX_CALLS_PER_RESPONSE;
    const extra = { callId: call.toolCall.id, kind: 'postponed', output: TOO_MANY_CALLS_OUTPUT } as const;
    const result = isExtra ? extra : await runToolCall(workspace, call, results);
    results = addResult(workspace, results, { ...result, turn: call.turn });
  }
  const checked = await checkChanges(workspace, calls, results);
  return boundResults(checked, (call) => toolOf(calls, call));
}

/**
 * A call that touches a change of an earlier one is refused. A held call of an earlier response makes room instead, so
 * that the model can put both into one.
 */
function addResult(
  { isAnsweredEarlier }: Workspace,
  results: readonly NumberedResult[],
  added: NumberedResult,
): readonly NumberedResult[] {
  if (added.kind !== 'change') return [...results, added];
  if (isReading(added.change))
    return [...results.filter((one) => one.kind !== 'change' || !sharesCall(one.calls, added.calls)), added];
  // A change that was denied before is not shown.
  const touched = results.filter(
    (one) => one.kind === 'change' && !isAnsweredEarlier(one.change) && areChangesTouching(one.change, added.change),
  );
  if (touched.some(({ turn }) => turn === added.turn)) return [...results, ...refuseTouching(added)];
  return [...results.flatMap((one) => (touched.includes(one) ? refuseTouching(one) : [one])), added];
}

function refuseTouching(result: NumberedResult): readonly NumberedResult[] {
  if (result.kind !== 'change') return [result];
  const output = touchesOtherCallOutput(mainPath(result.change));
  return result.calls.map((call) => ({ ...call, kind: 'output', output }));
}

/** Runs one call. `earlier` are the results of the preceding calls of the same batch. */
export async function runToolCall(
  workspace: Workspace,
  call: IssuedCall,
  earlier: readonly NumberedResult[],
): Promise<ToolResult> {
  const { toolCall, isCut } = call;
  const name = readToolName(toolCall.name);
  if (!workspace.gate.canAsk && name !== null && !isReadingTool(name)) return toolOutput(toolCall, ONLY_READING_OUTPUT);
  const parsed = parseCall({ name: toolCall.name, arguments: toolCall.arguments });
  if (parsed.kind === 'call') {
    const context = { workspace, call, earlier };
    return withAnsweredThread(context, parsed.call, await handleToolCall(context, parsed.call.tool, parsed.call));
  }
  return toolOutput(toolCall, isCut ? cutOutput(toolCall.name, toolCall.arguments.length) : parsed.output);
}

/** The result of a call that does anything but read for a person's question. */
const ONLY_READING_OUTPUT =
  'Not executed: this is a person’s question, so nothing can be changed or asked here. Read if you must, then answer.';

const TOOL_HANDLERS: { readonly [Name in ToolName]: ToolHandler<Name> } = {
  ...READING_HANDLERS,
  read_file: readOrAsk,
  ask_user: askUser,
  plan: ({ call }, { steps }) => ({ callId: call.toolCall.id, kind: 'plan', steps }),
  edit_file: editFile,
  write_file: writeFile,
  delete_file: deleteFile,
  move_file: moveFile,
  change_files: changeFiles,
};

function handleToolCall<Name extends ToolName>(
  context: ToolCallContext,
  name: Name,
  request: ToolRequestOf<Name>,
): Promise<ToolResult> | ToolResult {
  return TOOL_HANDLERS[name](context, request);
}

/** The change of a call with the review thread that it answers. A wrong id is the model's slip. */
async function withAnsweredThread(
  { workspace, call }: ToolCallContext,
  request: ToolRequestOf<ToolName>,
  result: ToolResult,
): Promise<ToolResult> {
  const id = 'answers' in request ? request.answers : null;
  if (result.kind !== 'change' || id === null) return result;
  const { ownLogin, rules, pullUrl } = workspace;
  const found = findAnswerable({ discussion: await workspace.discussion(), ownLogin, rules }, id);
  if (found.kind === 'refused') return toolOutput(call.toolCall, found.output);
  const { rootId, thread } = found;
  const { path, line, root } = thread;
  const url = `${pullUrl}#discussion_r${rootId}`;
  return { ...result, answers: { rootId, nodeId: root.nodeId, url, path, line, by: root.author?.login ?? null } };
}

/** People see a text without the App's markers and the spaces around it. */
function isShownAsCommand(text: string): boolean {
  return parseComment(COMMAND_GRAMMAR, stripMarkers(text), '').parsed.kind !== 'text';
}

function askUser({ call }: ToolCallContext, request: ToolRequestOf<'ask_user'>): ToolResult {
  return { callId: call.toolCall.id, prompt: request.prompt, ...readQuestionCall(request, isShownAsCommand) };
}
