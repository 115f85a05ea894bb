import { cutText } from '../agent/shared/clean-text.ts';
import { pathsOf } from '../edits/change.ts';
import { committed } from '../messages/change-replies.ts';
import type { Proposal } from '../state/proposal.ts';
import type { AnsweredQuestion } from '../state/question.ts';
import type { AgentNote, DecidedChange, Run, WordsNote } from '../state/run.ts';
import { CONTEXT_LIMITS } from '../state/task-context.ts';
import type { Person } from '../state/vote.ts';
import { type StepBuilder, withReply, withRun } from './step-builder.ts';

/** Keeps news for the agent until the pending outcomes are complete. */
export function withNote(builder: StepBuilder, note: AgentNote): StepBuilder {
  const { run } = builder.pull;
  return run === null ? builder : withRun(builder, { agentNotes: boundNotes([...run.agentNotes, note]) });
}

/**
 * Whether a person told the agent something, so that the run goes on. A push or an answered question does not count.
 */
export function hasWords({ agentNotes }: Pick<Run, 'agentNotes'>): boolean {
  return agentNotes.some(({ kind }) => kind === 'words');
}

/** Tells of a committed change: the agent of an undo, and its review thread of all in the commit that answer it. */
export function tellOfCommit(
  builder: StepBuilder,
  proposal: Proposal,
  commitSha: string,
  together: readonly Proposal[],
): StepBuilder {
  const { origin, change, answers } = proposal;
  if (origin.kind === 'undo')
    return withNote(builder, { kind: 'undo', by: origin.by, paths: pathsOf(change), commitSha });
  if (answers === null) return builder;
  const { rootId, nodeId } = answers;
  const once = `thread-answered:${rootId}:${commitSha}`;
  const answering = together.filter((one) => one.answers?.rootId === rootId);
  return withReply(builder, { at: 'answered-thread', rootId, nodeId }, committed(commitSha, answering), once);
}

/** A person's comment for the agent. */
export function wordsNote(by: Person, text: string, at: string, about: DecidedChange | null = null): WordsNote {
  return { kind: 'words', by, text, at, about };
}

/** One line of a question and the beginning of its answer. */
export function questionNote({ by, question, answer }: AnsweredQuestion): AgentNote {
  const { noteQuestion, noteAnswer } = CONTEXT_LIMITS;
  return {
    kind: 'question',
    by,
    question: cutText(question, noteQuestion),
    answer: cutText(answer, noteAnswer),
  };
}

/** All words of people, and the newest of all other news: a run can wait for weeks. */
function boundNotes(notes: readonly AgentNote[]): readonly AgentNote[] {
  const others = notes.filter(({ kind }) => kind !== 'words');
  const dropped = new Set(others.slice(0, -MAX_OTHER_NOTES));
  return notes.filter((note) => !dropped.has(note));
}

const MAX_OTHER_NOTES = 20;
