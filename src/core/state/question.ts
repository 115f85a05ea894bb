import { hash } from 'node:crypto';
import { canonicalJson } from '../edits/digest.ts';
import type { CallRef } from './conversation.ts';
import type { PostedComment } from './posted-comment.ts';
import type { Permission, Person, Vote } from './vote.ts';

/** A question of the agent to people, and its progress. Its id is of the same series as those of proposals. */
export type AgentQuestion = {
  readonly id: string;
  readonly runId: string;
  /** The call that it answers. */
  readonly call: CallRef;
  readonly input: QuestionInput;
  readonly prompt: string;
  /** The model's text beside its call; null if the review of its proposals shows it, or if there is none. */
  readonly precedingText: string | null;
  readonly digest: string;
  readonly place: QuestionPlace;
  readonly state: QuestionState;
  /** Null until it is posted. Questions of one response are posted one after the other. */
  readonly comment: PostedComment | null;
  readonly answer: QuestionAnswer | null;
  /** The note of its answer's author for the agent, or their reason for rejecting it. */
  readonly note: string | null;
  /** The person who answered or rejected it. */
  readonly by: Person | null;
  /** For people: why it could not be asked, or was cancelled. */
  readonly problem: string | null;
};

/** The kinds of answer that a question takes. An approval has two labels: to approve and to reject. */
export type QuestionInput =
  | { readonly type: 'approval'; readonly choices: readonly [approve: string, reject: string] }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  | { readonly type: 'text' };

/** The place of its comment: the thread where the task was given, or else the conversation. */
type QuestionPlace = { readonly at: 'conversation' } | { readonly at: 'thread'; readonly rootId: number };

/** All but `asked` are final. A question that `failed` was never shown. */
type QuestionState = 'asked' | 'answered' | 'rejected' | 'expired' | 'cancelled' | 'failed';

/** A rejection is never a text: the text `reject` is one. */
export type QuestionAnswer =
  | { readonly kind: 'approve' }
  | { readonly kind: 'reject' }
  | { readonly kind: 'choice'; readonly index: number; readonly value: string }
  | { readonly kind: 'text'; readonly value: string };

/** One person's answer to one question, as the ledger stores it. */
export type AnswerRecord = Pick<Vote, 'surface' | 'commentId' | 'bodyHash' | 'deliveryId' | 'headSha' | 'at'> & {
  readonly questionId: string;
  readonly digest: string;
  readonly answer: QuestionAnswer;
  /** The ledger leaves it out: it is no part of the answer. */
  readonly note: string | null;
  readonly by: Person;
  readonly permission: Permission;
};

/** The value that the model gets: `approve` or `reject`, an index with its choice, or the person's text. */
export function responseOf(answer: QuestionAnswer): string | { readonly index: number; readonly value: string } {
  switch (answer.kind) {
    case 'approve':
    case 'reject':
      return answer.kind;
    case 'choice':
      return { index: answer.index, value: answer.value };
    case 'text':
      return answer.value;
  }
}

/** SHA-256 in hex of what people are asked. */
export function questionDigest(input: QuestionInput, prompt: string): string {
  const choices = input.type === 'text' ? [] : input.choices;
  return hash('sha256', canonicalJson(['countersign-question-v1', input.type, prompt, choices]), 'hex');
}

/** Whether people can answer it now. */
export function isAnswerable({ state, comment }: AgentQuestion): boolean {
  return state === 'asked' && comment !== null;
}

/** The question that is being asked. The others of its response follow once it is over. */
export function currentQuestion(questions: readonly AgentQuestion[]): AgentQuestion | null {
  return questions.find(({ state }) => state === 'asked') ?? null;
}
