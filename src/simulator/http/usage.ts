/** What is granted to each installation. `secondary` is null where nobody counts, as on an Enterprise Server. */
export type GrantedLimits = {
  readonly requestsPerHour: number;
  readonly secondary: {
    readonly writesPerMinute: number;
    readonly writesPerHour: number;
    readonly pointsPerMinute: number;
  } | null;
};

export const ENTERPRISE_LIMITS: GrantedLimits = { requestsPerHour: 5_000, secondary: null };
export const GITHUB_COM_LIMITS: GrantedLimits = {
  requestsPerHour: 5_000,
  secondary: { writesPerMinute: 80, writesPerHour: 500, pointsPerMinute: 900 },
};

/** REST and GraphQL have an hourly quota each. */
export type Resource = 'core' | 'graphql';

/** What an installation has used. Times are ms. */
export type Usage = {
  readonly hourEnds: number;
  readonly used: Readonly<Record<Resource, number>>;
  /** What was answered in the last hour, oldest first; only where somebody counts. */
  readonly sent: readonly { readonly at: number; readonly write: boolean }[];
  /** Until then it was told to wait. */
  readonly restUntil: number;
};

export const HOUR_MS = 3_600_000;

/** As it is for whoever has asked for nothing yet. */
export function unused(now: number): Usage {
  return { hourEnds: now + HOUR_MS, used: { core: 0, graphql: 0 }, sent: [], restUntil: 0 };
}
