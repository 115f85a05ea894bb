import type { RunLimits } from './settings.ts';

/** The limits of every run beside those of its settings, which no settings change. */
export const LIMITS = {
  /** Responses without a proposal since a person last wrote or decided anything. `limits.turns` can be smaller. */
  responsesAlone: 40,
  /** The model is told when this many responses are left. */
  announcedResponses: 3,
  /** Consecutive responses after which valid calls are held back. The next one's are shown in any case. */
  heldResponses: 3,
  /** Members of undecided and uncommitted changes, which one commit can name. */
  openMembers: 300,
  /** Tasks that can wait for the active run, and those of one person, who cannot take the places of all others. */
  queuedTasks: 20,
  queuedTasksOfOnePerson: 10,
} as const satisfies Readonly<Record<string, number>>;

/** Responses without a proposal: since a person's last words, and since a person's last words or decision. */
export type IdleResponses = { readonly sinceWords: number; readonly sincePeople: number };

export const NO_IDLE_RESPONSES: IdleResponses = { sinceWords: 0, sincePeople: 0 };

/** The number of responses that a run may still get. */
export function remainingResponses({ sinceWords, sincePeople }: IdleResponses, { turns }: RunLimits): number {
  return Math.max(0, Math.min(turns - sinceWords, responsesAlone(turns) - sincePeople));
}

/** The responses without a proposal that a run with `turns` may get in a row, without a person. */
export function responsesAlone(turns: number): number {
  return Math.min(turns, LIMITS.responsesAlone);
}

/**
 * The start of a run, counted with all that started in its repository within `DAY_MS`. A run whose limits begin anew
 * counts again, because else people could spend without an end by going on with one.
 */
export type RunStart = Pick<RunLimits, 'runsPerDay' | 'runsPerPersonPerDay'> & {
  /** The numeric id of the person who gives the task, or goes on with the run. */
  readonly requesterId: number;
};

export const HOUR_MS = 3_600_000;

export const DAY_MS = 24 * HOUR_MS;

/** The time (ISO 8601) at which something of this time expires. */
export function expiryAfter(from: string, expiryHours: number): string {
  return new Date(Date.parse(from) + expiryHours * HOUR_MS).toISOString();
}

/** The limit of runs that keeps a repository, or a person in it, from starting one until `freeAt` (ISO 8601). */
export type ReachedRunLimit = {
  readonly key: 'limits.runs_per_day' | 'limits.runs_per_person_per_day';
  readonly max: number;
  readonly freeAt: string;
};
