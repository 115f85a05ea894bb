/**
 * What work is for: to hear (what a decision needs to know), to act (commits, proposals, tools), or only to tell. In this
 * order: what tells is the first to wait.
 */
export type Rank = 'hear' | 'act' | 'tell';
export const RANKS = ['hear', 'act', 'tell'] as const satisfies readonly Rank[];

/** How much of each limit a rank may use up: the rest is left to those before it. */
export const SHARES = { hear: 1, act: 0.9, tell: 0.7 } as const satisfies Record<Rank, number>;

/** What one request costs, in GitHub's own units. */
export type Cost = { readonly points: number; readonly writes: number };
export const READ: Cost = { points: 1, writes: 0 };
export const WRITE: Cost = { points: 5, writes: 1 };

/** At most so much of a unit in any stretch of this length (ms), for one installation. */
export type Limit = {
  readonly name: string;
  readonly unit: keyof Cost;
  readonly most: number;
  readonly spanMs: number;
};

const MINUTE_MS = 60_000;

/** GitHub's secondary limits. Nothing tells how far they are used up, so we count ourselves; every write counts as content. */
export const GITHUB_LIMITS: readonly Limit[] = [
  { name: 'writes-minute', unit: 'writes', most: 80, spanMs: MINUTE_MS },
  { name: 'writes-hour', unit: 'writes', most: 500, spanMs: 60 * MINUTE_MS },
  { name: 'points-minute', unit: 'points', most: 900, spanMs: MINUTE_MS },
];

/** The limits of a server: an Enterprise Server has none, unless its answers tell of some. */
export function limitsOf(host: string): readonly Limit[] {
  return host === 'github.com' || host.endsWith('.ghe.com') ? GITHUB_LIMITS : [];
}
