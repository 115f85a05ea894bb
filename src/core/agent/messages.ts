import { escapeHiddenCharacters } from '../edits/text/characters.ts';
import type { ModelResponse, ToolBatch, ToolCall, ToolCallState, TranscriptMessage } from '../state/conversation.ts';
import type { Proposal } from '../state/proposal.ts';
import type { Run } from '../state/run.ts';
import { approvalVotes, distinctPeople, type Person, type Vote } from '../state/vote.ts';
import { ASKED_OUTPUT } from './question-texts.ts';
import { cleanText } from './shared/clean-text.ts';
import {
  describePerson,
  EXPIRED_CAUSE,
  instructionOutput,
  pendingOutput,
  STILL_RUNNING_OUTPUT,
  withdrawnOutput,
} from './shared/tool-results.ts';
import { buildHeldOutcomesMessage, type HeldOutcome } from './turn-texts.ts';

/** Tells the model that a person resumed the run. The transcript must not end with the model's message. */
export function buildResumedMessage(by: Person): TranscriptMessage {
  return {
    role: 'user',
    content: `${by.login} resumed the run after it had stopped. Continue the task where you stopped.`,
  };
}

/** The entry of a response. A blank one has none: endpoints refuse a message of the model with neither text nor calls. */
export function assistantMessages({ content, toolCalls, opaque }: ModelResponse): readonly TranscriptMessage[] {
  if (toolCalls.length === 0 && (content ?? '').trim() === '') return [];
  return [{ role: 'assistant', content, toolCalls, ...(opaque === undefined ? {} : { opaque }) }];
}

/**
 * The results of a batch: tool messages in the order of its response's calls, then one note with the outcomes of held
 * calls. Null while a call is unanswered.
 */
export function buildToolMessages({ calls }: ToolBatch): readonly TranscriptMessage[] | null {
  const messages: TranscriptMessage[] = [];
  const outcomes: HeldOutcome[] = [];
  for (const { toolCall, heldPath, status } of calls) {
    if (status.kind !== 'answered') return null;
    if (heldPath === null) messages.push(toolMessage(toolCall, status.output));
    else outcomes.push(heldOutcome(toolCall, heldPath, status.output));
  }
  return [...messages, ...heldNote(outcomes)];
}

function heldOutcome({ name, id }: ToolCall, path: string, output: string): HeldOutcome {
  return { tool: name, callId: id, path, output };
}

function heldNote(outcomes: readonly HeldOutcome[]): readonly TranscriptMessage[] {
  return outcomes.length === 0 ? [] : [buildHeldOutcomesMessage(outcomes)];
}

/** The result of one call. It names branches and paths that others chose, so its hidden characters are escaped here for all tools. */
export function toolMessage({ id }: Pick<ToolCall, 'id'>, output: string): TranscriptMessage {
  return { role: 'tool', toolCallId: id, content: escapeHiddenCharacters(output) };
}

/**
 * Temporary results that complete a run's transcript for a person's question (S111): of unanswered calls, and of held
 * ones. `run` is null if the pull request has a newer run.
 */
export function buildInterimResults(
  transcript: readonly TranscriptMessage[],
  run: Run | null,
): readonly TranscriptMessage[] {
  return [
    ...findUnansweredCalls(transcript).map((call) =>
      toolMessage(call, currentOutput(call, run?.batch ?? null, isRunOver(run))),
    ),
    ...provisionalHeldNote(run),
  ];
}

/** The calls of the last response that no message answers yet, in order. */
function findUnansweredCalls(messages: readonly TranscriptMessage[]): readonly ToolCall[] {
  const at = messages.findLastIndex((message) => message.role === 'assistant');
  const lastResponse = messages[at];
  if (lastResponse?.role !== 'assistant') return [];
  return lastResponse.toolCalls.slice(messages.length - at - 1);
}

function isRunOver(run: Run | null): boolean {
  return run === null || run.phase.kind === 'ended';
}

function currentOutput({ id }: ToolCall, batch: ToolBatch | null, isRunOver: boolean): string {
  const call = batch?.calls.find(({ toolCall, heldPath }) => toolCall.id === id && heldPath === null);
  return outputOfStatus(call?.status, isRunOver);
}

/** The state of held calls that people see, or never will because the run is over. */
function provisionalHeldNote(run: Run | null): readonly TranscriptMessage[] {
  if (run === null) return [];
  const shown = run.batch?.calls ?? [];
  const outcomes = shown.flatMap(({ toolCall, heldPath, status }) =>
    heldPath === null ? [] : [heldOutcome(toolCall, heldPath, outputOfStatus(status, isRunOver(run)))],
  );
  const unseen = isRunOver(run) && outcomes.length === 0 ? run.heldCalls : [];
  return heldNote([...outcomes, ...unseen.map(({ toolCall, path }) => heldOutcome(toolCall, path, RUN_OVER_OUTPUT))]);
}

const RUN_OVER_OUTPUT = withdrawnOutput('The run ended before.');

function outputOfStatus(status: ToolCallState['status'] | undefined, isRunOver: boolean): string {
  if (status?.kind === 'answered') return status.output;
  if (status?.kind === 'expired') return withdrawnOutput(EXPIRED_CAUSE);
  if (isRunOver || status === undefined) return RUN_OVER_OUTPUT;
  if (status.kind === 'asked') return ASKED_OUTPUT;
  return status.kind === 'proposed' ? pendingOutput(status.proposalId) : STILL_RUNNING_OUTPUT;
}

/**
 * T1 for a vote with an instruction. Where several people spoke, the instruction says whose it is, and what others
 * wrote beside their votes (S140).
 */
export function instructedOutput({ votes }: Pick<Proposal, 'votes'>, vote: Vote, taskBy: Person | null): string {
  const text = cleanText(vote.text ?? '');
  const others = votes.filter(({ by, text: words }) => by.id !== vote.by.id && words !== null);
  if (!hasSeveralSpeakers(taskBy, [vote, ...others])) return instructionOutput(text);
  const earlier = others.map((one) => `Earlier, ${nameWords(one)}`);
  return instructionOutput([nameWords({ ...vote, text }), ...earlier].join('\n\n'));
}

/** The notes below people's approvals; null if there are none. Where several people spoke, each note has its author. */
export function approverNotes(proposal: Proposal, taskBy: Person | null): string | null {
  const votes = approvalVotes(proposal).filter(({ text }) => text !== null);
  if (votes.length === 0) return null;
  const isNamed = hasSeveralSpeakers(taskBy, votes);
  return votes.map((vote) => (isNamed ? nameWords(vote) : (vote.text ?? ''))).join('\n\n');
}

function nameWords(vote: Vote): string {
  return `${describePerson(vote)}: ${cleanText(vote.text ?? '')}`;
}

/** The author of the task spoke too. */
function hasSeveralSpeakers(taskBy: Person | null, votes: readonly Vote[]): boolean {
  return distinctPeople([...(taskBy === null ? [] : [taskBy]), ...votes.map(({ by }) => by)]).length > 1;
}
