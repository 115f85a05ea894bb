import type { DeliveryLog, LoggedDelivery } from '../sweep/delivery-log.ts';

/** One attempt of GitHub's, with what was sent. */
export type Attempt = LoggedDelivery & { readonly payload: Readonly<Record<string, unknown>> };

/** GitHub's log of what it tried to deliver in a case, only ever added to. */
export type AttemptLog = {
  readonly attempts: readonly Attempt[];
  readonly add: (attempt: Omit<Attempt, 'id'>) => void;
  /** As the App may read it. */
  readonly port: DeliveryLog;
};

/** Not as short as GitHub's, but none older than what the App itself remembers. */
const REACH_MS = 29 * 86_400_000;

export function openAttemptLog(now: () => number): AttemptLog {
  const attempts: Attempt[] = [];
  return {
    attempts,
    add: (attempt) => void attempts.push({ ...attempt, id: String(attempts.length) }),
    port: {
      page: async (_cursor, which) => ({
        deliveries: attempts
          .filter(({ answered, deliveredAt }) => (which === 'all' || !answered) && deliveredAt > now() - REACH_MS)
          .toReversed(),
        next: null,
      }),
      payload: async (id) => attempts[Number(id)]?.payload ?? null,
    },
  };
}
