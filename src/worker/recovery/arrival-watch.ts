import type { Logger } from '../../adapters/telemetry/log.ts';
import type { LoggedDelivery } from '../../core/step/ports.ts';
import type { LostDelivery } from './delivery-log.ts';

/**
 * Tells the operator when webhooks reach no process of the App: the recovery reads them from GitHub's log, so that
 * otherwise only late answers would show it.
 */
export type ArrivalWatch = {
  /** A signed webhook reached this process, whether or not it could be stored. */
  arrived(): void;
  /**
   * Compares a complete scan of GitHub's log with what arrived. `lost` is oldest first, and `since` (GitHub's time, ms)
   * the start of the previous scan. `fetchNewest` is called if this process alone cannot tell; null means unknown.
   */
  check(
    lost: readonly LostDelivery[],
    since: number,
    fetchNewest: () => Promise<readonly LoggedDelivery[] | null>,
  ): Promise<void>;
};

type ArrivalWatchOptions = {
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** The current time of GitHub (ms), estimated from its responses. */
  readonly githubTime: () => number;
};

const MAX_STATUS_CHARACTERS = 100;

const FIX =
  'The page “Advanced” in the App’s settings on GitHub shows each failed delivery. Check the webhook URL’s host and port, its TLS certificate, the proxy and the firewall. If the log has lines “webhook refused”, do what they say.';

/** Creates the watch. It logs at most one line for each scan, and one when webhooks arrive again. */
export function createArrivalWatch({ log, githubTime }: ArrivalWatchOptions): ArrivalWatch {
  let lastArrivalAt = Number.NEGATIVE_INFINITY;
  /** Times (GitHub's, ms) of the first and the last webhook that did not arrive; null while they arrive. */
  let outage: { readonly since: number; readonly until: number } | null = null;

  function end(at: number): void {
    if (outage !== null) log.info({ ms: Math.max(0, at - outage.since) }, 'webhooks arrive again');
    outage = null;
  }

  return {
    arrived() {
      lastArrivalAt = githubTime();
      end(lastArrivalAt);
    },
    async check(lost, since, fetchNewest) {
      const unanswered = lost.filter(({ acknowledged, deliveredAt }) => !acknowledged && deliveredAt >= since);
      const [first, last] = [unanswered.at(0), unanswered.at(-1)];
      if (lastArrivalAt >= since || (first === undefined && outage === null)) return;
      // Another process can have got webhooks of which this one knows nothing.
      const newest = await fetchNewest();
      if (newest === null) return;
      const from = outage?.until ?? since;
      const answered = newest.filter(({ acknowledged, deliveredAt }) => acknowledged && deliveredAt >= from).at(-1);
      if (answered !== undefined) return end(answered.deliveredAt);
      if (first === undefined || last === undefined) return;
      outage = { since: outage?.since ?? first.deliveredAt, until: last.deliveredAt };
      const status = newest.find(({ acknowledged }) => !acknowledged)?.status.slice(0, MAX_STATUS_CHARACTERS);
      const fields = { lost: unanswered.length, status, ms: Math.max(0, githubTime() - outage.since), fix: FIX };
      log.warn(fields, 'webhooks do not arrive, they are read from the delivery log');
    },
  };
}
