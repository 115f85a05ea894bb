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

export function openAttemptLog(): AttemptLog {
  const attempts: Attempt[] = [];
  return {
    attempts,
    add: (attempt) => void attempts.push({ ...attempt, id: String(attempts.length) }),
    port: {
      page: async (_cursor, which) => ({
        deliveries: attempts.filter(({ answered }) => which === 'all' || !answered).toReversed(),
        next: null,
      }),
      payload: async (id) => attempts[Number(id)]?.payload ?? null,
    },
  };
}
