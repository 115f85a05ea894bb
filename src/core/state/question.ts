import { hash } from 'node:crypto';
import { canonicalJson } from '../edits/digest.ts';
import type { CallRef } from './conversation.ts';
import type { CommentLocation } from './intent.ts';
import type { PostedComment } from './posted-comment.ts';
import type { ProposalState } from './proposal.ts';
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
  /** Whether it is posted, or about to be. Questions are asked one by one, after all changes of their response. */
  readonly isDue: boolean;
  /** Null until it is posted. */
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

/** The question that is being asked, posted or about to be. */
export function currentQuestion(questions: readonly AgentQuestion[]): AgentQuestion | null {
  return questions.find(({ state, isDue }) => state === 'asked' && isDue) ?? null;
}

/** The question that is asked next; null while one is being asked. */
export function nextQuestion(questions: readonly AgentQuestion[]): AgentQuestion | null {
  const next = questions.find(({ state }) => state === 'asked') ?? null;
  return next?.isDue === true ? null : next;
}

/** Limits of people's questions. `pending` counts those of one pull request, `kept` its answered ones. */
export const SIDE_QUESTION_LIMITS = {
  pending: 10,
  /** Responses of the model for one question. In the last one it can call nothing. */
  responses: 8,
  kept: 5,
  keptQuestionBytes: 1_000,
  keptAnswerBytes: 4_000,
  /** Characters of the diff of the change that a question is about. A longer one is left out. */
  changeDiffCharacters: 8_000,
} as const;

/** A person's question beside the runs (`/ask`). The model can read for it, and nothing comes of it but an answer. */
export type SideQuestion = {
  /** Derived from its comment. */
  readonly id: string;
  readonly by: Person;
  readonly text: string;
  /** The text that the comment quotes; null if it quotes nothing. */
  readonly quote: string | null;
  readonly location: CommentLocation;
  /** GitHub's `created_at` of the comment. */
  readonly requestedAt: string;
  /** The run that was there when it was asked; null where no run ever was. */
  readonly runId: string | null;
  /** The change in whose thread it was asked; null elsewhere. */
  readonly askedChange: AskedChange | null;
};

/** What the model made of a question. A failure's message is safe to publish. */
export type SideQuestionOutcome =
  | { readonly kind: 'answered'; readonly content: string | null; readonly caveat: SideQuestionCaveat | null }
  | { readonly kind: 'failed'; readonly message: string };

/** Why an answer can be incomplete. */
export type SideQuestionCaveat = 'responses-used-up' | 'cut-off' | 'filtered';

/** A change as a question about it shows it to the model, which knows no id. */
export type AskedChange = {
  readonly paths: readonly string[];
  readonly state: ProposalState;
  /** Its unified diff, masked; null if it has none, a long one, or lines that the model may not read. */
  readonly diff: string | null;
};

/** An answered question, for later questions and runs. Both texts are masked and cut. */
export type AnsweredQuestion = {
  readonly by: Person;
  readonly question: string;
  readonly answer: string;
  readonly answeredAt: string;
};
