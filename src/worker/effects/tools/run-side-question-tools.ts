import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { currentSideQuestion } from '../../../core/actions/side-questions.ts';
import { maxReadingBytes } from '../../../core/agent/clear-readings.ts';
import { TOO_MANY_CALLS_OUTPUT } from '../../../core/agent/shared/tool-results.ts';
import { ONLY_READING_OUTPUT } from '../../../core/agent/side-question-texts.ts';
import { boundResults } from '../../../core/agent/tools/bound-results.ts';
import type { ToolCall } from '../../../core/state/conversation.ts';
import {
  isReadingTool,
  MAX_CALLS_PER_RESPONSE,
  type ReadingToolName,
  readToolName,
  type ToolName,
  type ToolRequestOf,
} from '../../../core/state/tools.ts';
import type { Signal } from '../../../core/step/signals.ts';
import { fetchPathRules } from '../../jobs/gather-facts.ts';
import { DONE, type EffectResult, type Job, loadJobPull } from '../../jobs/job.ts';
import { READING_HANDLERS } from './read-tools.ts';
import { parseAndRun } from './run-tools.ts';
import { createWorkspace, type ToolCallContext, type ToolOutput, toolOutput, type Workspace } from './workspace.ts';

/** Runs the calls of one response to a person's question, at the current head. Calls that do not read are refused. */
export async function runSideQuestionTools(job: Job<'run-side-question-tools'>): Promise<EffectResult> {
  const { questionId, turn, calls } = job.effect;
  const pull = await loadJobPull(job);
  const question = currentSideQuestion(pull, questionId);
  if (question?.phase.kind !== 'running-tools' || question.phase.turn !== turn) return DONE;
  const rules = await fetchPathRules(job.context, job.context.githubApp.forPull(pull.ref), pull);
  const workspace = await createWorkspace(job, pull, {
    rules,
    gate: { isApproved: () => false, canAsk: false },
    task: question,
    readBlobs: {},
    shownFiles: {},
    syntaxRefusals: [],
  });
  const results: ToolOutput[] = [];
  for (const [index, toolCall] of calls.entries()) {
    // Each call can take milliseconds, so let other work run in between.
    await yieldToEventLoop();
    results.push(
      index < MAX_CALLS_PER_RESPONSE
        ? await runReadingCall(workspace, { turn, toolCall, index, earlier: results })
        : toolOutput(toolCall, TOO_MANY_CALLS_OUTPUT),
    );
  }
  const bounded = boundResults(
    results.map((result) => ({ ...result, turn })),
    ({ callId }) => toolOf(calls, callId),
    question.modelContext === null ? null : maxReadingBytes(question.modelContext),
  );
  const outputs = bounded.flatMap((result) => (result.kind === 'output' ? [result] : []));
  return {
    kind: 'done',
    signal: {
      type: 'side-question-tools-finished',
      ...{ questionId, turn, outputs: outputs.map(toSideOutput) },
    },
  };
}

function toSideOutput({ callId, output }: ToolOutput): SideOutput {
  return { callId, output };
}

function toolOf(calls: readonly ToolCall[], callId: string): ToolName | null {
  const call = calls.find(({ id }) => id === callId);
  return call === undefined ? null : readToolName(call.name);
}

type SideOutput = Extract<Signal, { type: 'side-question-tools-finished' }>['outputs'][number];

type ReadingCall = Pick<ToolCallContext, 'index' | 'earlier'> & { readonly turn: number; readonly toolCall: ToolCall };

/** A call of another tool is refused before its arguments are read. */
async function runReadingCall(workspace: Workspace, { turn, toolCall, ...place }: ReadingCall): Promise<ToolOutput> {
  const name = readToolName(toolCall.name);
  if (name !== null && !isReadingTool(name)) return toolOutput(toolCall, ONLY_READING_OUTPUT);
  const call = { turn, toolCall, isCut: false };
  return parseAndRun(call, (request) =>
    isReadingRequest(request)
      ? handleReadingCall({ workspace, call, ...place }, request.tool, request)
      : toolOutput(toolCall, ONLY_READING_OUTPUT),
  );
}

function isReadingRequest(request: ToolRequestOf<ToolName>): request is ToolRequestOf<ReadingToolName> {
  return isReadingTool(request.tool);
}

function handleReadingCall<Name extends ReadingToolName>(
  context: ToolCallContext,
  name: Name,
  request: ToolRequestOf<Name>,
): Promise<ToolOutput> | ToolOutput {
  return READING_HANDLERS[name](context, request);
}
