import type { TokenUsage, ToolCall } from './conversation.ts';
import type { CommentLocation } from './intent.ts';
import type { ModelContext } from './model-context.ts';
import type { Person, ProposalState } from './proposal.ts';
import { totalTokens } from './spending.ts';

/** Limits of people's questions. `pending` counts those of one pull request, `kept` its answered ones. */
export const SIDE_QUESTION_LIMITS = {
  pending: 10,
  pendingOfOnePerson: 3,
  /** Responses of the model for one question. In the last one it can call nothing. */
  responses: 8,
  /** Tokens of one question, read and written. The response after them is its last. */
  tokens: 300_000,
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
  /** What the comment quotes; null if it quotes nothing. */
  readonly quote: string | null;
  readonly location: CommentLocation;
  /** GitHub's `created_at` of the comment. */
  readonly requestedAt: string;
  /** The run that was there when it was asked; null where no run ever was. */
  readonly runId: string | null;
  /** The change in whose thread it was asked; null elsewhere. */
  readonly askedChange: AskedChange | null;
  readonly phase: SideQuestionPhase;
  /** Messages of the run's transcript that its own transcript continues; 0 if it has a beginning of its own. */
  readonly runMessageCount: number;
  /** Messages of its own transcript. */
  readonly messageCount: number;
  /** The last response held no call, and the model was asked to go on or to close. */
  readonly isNudged: boolean;
  /** What it cost so far, with the requests that failed. */
  readonly usage: TokenUsage;
  /** Null before the first response: then it is the run's. */
  readonly modelContext: ModelContext | null;
};

/** The limit that makes the response of this turn the last one, in which nothing can be called; null if none does. */
export function reachedSideLimit({ usage }: SideQuestion, turn: number): 'responses' | 'tokens' | null {
  if (turn >= SIDE_QUESTION_LIMITS.responses) return 'responses';
  return totalTokens(usage) >= SIDE_QUESTION_LIMITS.tokens ? 'tokens' : null;
}

type SideQuestionPhase =
  /** Another question is before it. */
  | { readonly kind: 'queued' }
  /** The worker reads what its transcript begins with. */
  | { readonly kind: 'opening' }
  | { readonly kind: 'awaiting-model'; readonly turn: number }
  | { readonly kind: 'running-tools'; readonly turn: number; readonly calls: readonly ToolCall[] };

/** A change as a question about it shows it to the model, which knows no id. */
export type AskedChange = {
  readonly paths: readonly string[];
  readonly state: ProposalState;
  /** Its unified diff, masked; null if it has none, or a long one. */
  readonly diff: string | null;
};

/** An answered question, for later questions and runs. Both texts are masked and cut. */
export type AnsweredQuestion = {
  readonly by: Person;
  readonly question: string;
  readonly answer: string;
  readonly answeredAt: string;
};
