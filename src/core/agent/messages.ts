import { escapeHiddenCharacters, stripHiddenAndCr } from '../edits/text/unicode.ts';
import type { ToolCall, TranscriptMessage } from '../state/conversation.ts';
import type { PullFacts } from '../state/facts.ts';
import type { PullRequestRef } from '../state/intent.ts';
import type { Person } from '../state/proposal.ts';
import type { AgentNote, Question, Run, Task, ToolBatch } from '../state/run.ts';
import { stripHtmlComments } from './hidden-comments.ts';
import { pendingOutput, STILL_RUNNING_OUTPUT, WITHDRAWN_OUTPUT } from './tool-results.ts';

/** The first user message: the pull request as JSON data, and the task as its author's words. */
export function buildFirstMessage(input: FirstMessageInput): string {
  const { task, pull, facts } = input;
  const data = {
    repository: `${pull.owner}/${pull.repo}`,
    pull_request: pull.number,
    title: facts === undefined ? undefined : cleanText(facts.title).text,
    author: facts?.author?.login,
    base: facts && escapeHiddenCharacters(facts.baseRef),
    head: facts && escapeHiddenCharacters(facts.headRef),
    head_commit: facts?.headSha,
    changed_paths: input.changedPaths.slice(0, MAX_LISTED_PATHS).map((path) => escapeHiddenCharacters(path)),
    changed_paths_not_listed: countUnlistedPaths(input) || undefined,
  };
  return [
    'The pull request, as data:',
    JSON.stringify(data, null, 2),
    `The task, in the words of ${task.by.login}, as a JSON string:`,
    JSON.stringify(cleanText(task.text).text),
  ].join('\n');
}

/** `facts` is absent only if GitHub was not asked. */
type FirstMessageInput = {
  readonly task: Task;
  readonly pull: PullRequestRef;
  readonly facts: PullFacts | undefined;
  readonly changedPaths: readonly string[];
};

const MAX_LISTED_PATHS = 200;

/** Counts against the whole pull request, because GitHub's own list can be cut. */
function countUnlistedPaths({ changedPaths, facts }: FirstMessageInput): number {
  const all = Math.max(changedPaths.length, facts?.changedFiles ?? 0);
  return all - Math.min(changedPaths.length, MAX_LISTED_PATHS);
}

/** Tells the model that a person resumed the run. The transcript must not end with the model's message. */
export function buildResumedMessage(by: Person): TranscriptMessage {
  return {
    role: 'user',
    content: `${by.login} resumed the run after it had stopped. Continue the task where you stopped.`,
  };
}

/** A person's comment to the agent between two turns, as a JSON string with the author's login. */
export function buildNoteMessage(note: AgentNote): TranscriptMessage {
  const content = `${note.by.login} says, as a JSON string:\n${JSON.stringify(cleanText(note.text).text)}`;
  return { role: 'user', content };
}

/** The tool messages of a batch, in the order of its calls; null while a call is unanswered. */
export function buildToolMessages(batch: ToolBatch): readonly TranscriptMessage[] | null {
  const messages: TranscriptMessage[] = [];
  for (const { toolCall, status } of batch.calls) {
    if (status.kind !== 'answered') return null;
    messages.push(toolMessage(toolCall, status.output));
  }
  return messages;
}

/** An output names branches and paths that others chose, so its hidden characters are escaped here for all tools. */
function toolMessage({ id }: ToolCall, output: string): TranscriptMessage {
  return { role: 'tool', toolCallId: id, content: escapeHiddenCharacters(output) };
}

/**
 * A temporary copy of a run's transcript that ends with a person's question (S111). Unanswered calls get a provisional
 * result. `run` is null if the pull request has a newer run.
 */
export function buildQuestionTranscript(
  messages: readonly TranscriptMessage[],
  run: Run | null,
  question: Question,
): readonly TranscriptMessage[] {
  // The transcript can be newer than the run.
  const transcript = run === null ? messages : messages.slice(0, run.messageCount);
  return [
    ...transcript,
    ...findUnansweredCalls(transcript).map((call) => provisionalResult(call, run)),
    buildQuestionMessage(question),
  ];
}

/** The calls of the last response that no message answers yet, in order. */
function findUnansweredCalls(messages: readonly TranscriptMessage[]): readonly ToolCall[] {
  const at = messages.findLastIndex((message) => message.role === 'assistant');
  const lastResponse = messages[at];
  if (lastResponse?.role !== 'assistant') return [];
  return lastResponse.toolCalls.slice(messages.length - at - 1);
}

function provisionalResult(call: ToolCall, run: Run | null): TranscriptMessage {
  return toolMessage(call, currentOutput(call, run?.batch ?? null, isRunOver(run)));
}

function isRunOver(run: Run | null): boolean {
  return run === null || run.phase.kind === 'ended';
}

function currentOutput({ id }: ToolCall, batch: ToolBatch | null, isRunOver: boolean): string {
  const status = batch?.calls.find(({ toolCall }) => toolCall.id === id)?.status;
  if (status?.kind === 'answered') return status.output;
  if (isRunOver || status === undefined || status.kind === 'expired') return WITHDRAWN_OUTPUT;
  return status.kind === 'proposed' ? pendingOutput(status.proposalId) : STILL_RUNNING_OUTPUT;
}

function buildQuestionMessage({ by, text }: Question): TranscriptMessage {
  const content = [
    `${by.login} asks a question beside the run, as a JSON string:`,
    JSON.stringify(text),
    'Answer it in a few plain sentences, from what you know. Call no tool: nothing is decided or changed by this answer, and the run goes on without it.',
  ].join('\n');
  return { role: 'user', content };
}

/**
 * Problems that make a transcript invalid as a request; empty if it is valid. Each call needs exactly one tool message,
 * in order and directly after its assistant message, and the last message must not be the model's.
 */
export function checkTranscript(messages: readonly TranscriptMessage[]): readonly string[] {
  const problems: string[] = [];
  let expectedIds: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const [next, ...rest] = expectedIds;
      if (next !== message.toolCallId)
        problems.push(`message ${index} answers ${message.toolCallId}, expected ${next ?? 'none'}`);
      expectedIds = rest;
      continue;
    }
    if (expectedIds.length > 0) problems.push(`message ${index} comes before the answer to ${expectedIds.join(', ')}`);
    expectedIds = message.role === 'assistant' ? message.toolCalls.map((call) => call.id) : [];
    if (message.role === 'assistant') {
      problems.push(
        ...findDuplicateCallIds(message.toolCalls).map((id) => `message ${index} uses the call id ${id} twice`),
      );
    }
  }
  if (expectedIds.length > 0) problems.push(`no answer to ${expectedIds.join(', ')}`);
  const last = messages.at(-1);
  if (last === undefined || last.role === 'assistant') problems.push('the last message is the model’s');
  return problems;
}

/** Call ids that a response uses more than once, so that its calls cannot be answered one by one. */
export function findDuplicateCallIds(calls: readonly ToolCall[]): readonly string[] {
  const ids = calls.map((call) => call.id);
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}

/**
 * A person's Markdown without HTML comments outside code and without invisible characters, so that the agent gets
 * nothing that people cannot see.
 */
export function cleanText(text: string): CleanText {
  const uncommented = stripHtmlComments(text.toWellFormed().replace(/\r\n?/g, '\n'));
  const clean = stripHiddenAndCr(uncommented.text);
  return {
    text: clean.trim(),
    removedCount: uncommented.removedCount + ([...uncommented.text].length - [...clean].length),
  };
}

/** A text as people see it; `removedCount` counts removed hidden characters and comments. */
type CleanText = { readonly text: string; readonly removedCount: number };
