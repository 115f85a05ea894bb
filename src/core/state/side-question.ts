import type { CommentLocation } from './intent.ts';
import type { ProposalState } from './proposal.ts';
import type { Person } from './vote.ts';

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
