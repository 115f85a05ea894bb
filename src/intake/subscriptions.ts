/** The events that the App subscribes to, as its manifest lists them. */
export const SUBSCRIPTIONS = [
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'push',
] as const;

export type Subscription = (typeof SUBSCRIPTIONS)[number];

/** Whether this is an event of ours; `__proto__` and the like are not. */
export function isSubscribed(name: string): name is Subscription {
  const known: readonly string[] = SUBSCRIPTIONS;
  return known.includes(name);
}
