/** One attempt of GitHub's to deliver a webhook, as the App's log lists it. */
export type LoggedDelivery = {
  /** GitHub's number of this attempt; beyond what a JavaScript number holds. */
  readonly id: string;
  /** `X-GitHub-Delivery`: one for all attempts at the same webhook. */
  readonly guid: string;
  /** GitHub's time (ms since the epoch). */
  readonly deliveredAt: number;
  /** Somebody answered 2xx. */
  readonly answered: boolean;
  readonly event: string;
  readonly action: string | null;
  /** Null where it concerns a whole installation. */
  readonly repositoryId: number | null;
};

/** Newest first; `next` continues the list with older ones, null at its end. */
export type LogPage = { readonly deliveries: readonly LoggedDelivery[]; readonly next: string | null };

/** GitHub's log of what it sent to this App. Failures are `GitHubFault`s; each call is one request. */
export type DeliveryLog = {
  /** `cursor` is a former page's `next`, null for the newest. */
  page(cursor: string | null, which: 'all' | 'failed'): Promise<LogPage>;
  /** What was sent, parsed; null where GitHub has it no longer. */
  payload(id: string): Promise<Readonly<Record<string, unknown>> | null>;
};
