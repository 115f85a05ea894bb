import type { Batch, Question, Run } from '../run/run.ts';
import type { Message, ToolCall } from './message.ts';
import { pendingOutput, UNDER_WAY, WITHDRAWN } from './outputs.ts';

/**
 * A throw-away copy of a run's transcript that ends with a person's question (S111). Calls without an answer get one
 * that says how they stand now. `run` is null where the pull request has gone on to another one.
 */
export function questionTranscript(
  messages: readonly Message[],
  run: Run | null,
  question: Question,
): readonly Message[] {
  // The transcript may have grown since the run was read.
  const read = run === null ? messages : messages.slice(0, run.messages);
  return [...read, ...openCalls(read).map((call) => provisional(call, run)), questionMessage(question)];
}

/** The calls of the last response, in order, that no message answers yet. */
function openCalls(messages: readonly Message[]): readonly ToolCall[] {
  const at = messages.findLastIndex((message) => message.role === 'assistant');
  const asked = messages[at];
  if (asked?.role !== 'assistant') return [];
  return asked.calls.slice(messages.length - at - 1);
}

function provisional(call: ToolCall, run: Run | null): Message {
  return { role: 'tool', callId: call.id, content: outputNow(call, run?.batch ?? null, isOver(run)) };
}

function isOver(run: Run | null): boolean {
  return run === null || run.phase.kind === 'ended';
}

function outputNow({ id }: ToolCall, batch: Batch | null, over: boolean): string {
  const status = batch?.calls.find(({ call }) => call.id === id)?.status;
  if (status?.kind === 'answered') return status.output;
  if (over || status === undefined || status.kind === 'expired') return WITHDRAWN;
  return status.kind === 'proposed' ? pendingOutput(status.proposalId) : UNDER_WAY;
}

function questionMessage({ by, text }: Question): Message {
  const content = [
    `${by.login} asks a question beside the run, as a JSON string:`,
    JSON.stringify(text),
    'Answer it in a few plain sentences, from what you know. Call no tool: nothing is decided or changed by this answer, and the run goes on without it.',
  ].join('\n');
  return { role: 'user', content };
}
