/** The limits of every run. What the model is told and what ends a run derive from this table. */
export const LIMITS = {
  /** Responses without a proposal since a person's last words. */
  responses: 60,
  /** Responses without a proposal since a person last wrote or decided anything. */
  responsesAlone: 40,
  /** The model is told when this many responses are left. */
  announcedResponses: 3,
  /** Consecutive responses after which valid calls are held back. The next one's are shown in any case. */
  heldResponses: 3,
  /** Undecided and uncommitted changes at the same time. */
  openProposals: 20,
  /** Their members, which one commit can name. */
  openMembers: 300,
  /** Runs that start in one repository within 24 hours. */
  runsPerDay: 50,
} as const satisfies Readonly<Record<string, number>>;

/** Responses without a proposal: since a person's last words, and since a person's last words or decision. */
export type IdleResponses = { readonly sinceWords: number; readonly sincePeople: number };

export const NO_IDLE_RESPONSES: IdleResponses = { sinceWords: 0, sincePeople: 0 };

/** The number of responses that a run may still get. */
export function remainingResponses({ sinceWords, sincePeople }: IdleResponses): number {
  return Math.max(0, Math.min(LIMITS.responses - sinceWords, LIMITS.responsesAlone - sincePeople));
}
