import type { CommentLocation, InstallationEvent, Intent } from '../state/intent.ts';
import type { AppIdentity } from '../step/facts.ts';
import type { IgnoreReason } from '../step/reasons.ts';
import {
  type CommentExtractor,
  createEditedCommentReader,
  createNewCommentReader,
  extractIssueComment,
  extractReviewBody,
  extractReviewComment,
} from './comment-events.ts';
import { INSTALLATION_EVENT_READERS, type InstallationEventReader } from './installation-events.ts';
import { type PullRequestEventReader, WebhookEnvelope } from './payload-schemas.ts';
import { readClosedPull, readDismissedReview, readPush, readRetargetedPull } from './pull-request-events.ts';

/** A delivery with a verified signature: GitHub's event name and the parsed body. `app` is the App itself. */
type VerifiedDelivery = { readonly event: string; readonly payload: unknown; readonly app: AppIdentity };

export type Interpretation =
  | { readonly kind: 'intent'; readonly intent: Intent }
  | { readonly kind: 'installation-event'; readonly installationEvent: InstallationEvent }
  | { readonly kind: 'ignored'; readonly reason: IgnoreReason };

/** Interprets a delivery from its payload alone. Total: every payload has exactly one outcome, and nothing throws. */
export function interpret({ event, payload, app }: VerifiedDelivery): Interpretation {
  const readers = INSTALLATION_EVENT_READERS.get(event);
  if (readers !== undefined) return interpretInstallationEvent(readers, payload);
  const result = interpretPullRequestEvent(event, payload, app);
  return typeof result === 'string' ? { kind: 'ignored', reason: result } : { kind: 'intent', intent: result };
}

/** Whether a delivery of this event and action can matter; `action` is null if the event has none. */
export function isRelevantEvent(event: string, action: string | null): boolean {
  const readers = INSTALLATION_EVENT_READERS.get(event) ?? PULL_REQUEST_EVENT_READERS.get(event);
  return action !== null && (readers?.has(action) ?? false);
}

/** Identifies the comment or review of an intent, equally for all its deliveries. Null for intents without one. */
export function contentKey(intent: Intent): string | null {
  if (intent.kind !== 'comment') return null;
  const { location } = intent;
  return `${KEY_PREFIXES[location.at]}:${location.at === 'review' ? location.reviewId : location.commentId}`;
}

const KEY_PREFIXES = {
  conversation: 'issue-comment',
  thread: 'review-comment',
  review: 'review',
} as const satisfies Record<CommentLocation['at'], string>;

function interpretInstallationEvent(
  readers: ReadonlyMap<string, InstallationEventReader>,
  payload: unknown,
): Interpretation {
  const envelope = WebhookEnvelope.safeParse(payload);
  const read = envelope.success ? readers.get(envelope.data.action) : undefined;
  if (read === undefined) return { kind: 'ignored', reason: envelope.success ? 'unknown-event' : 'malformed' };
  const result = read(payload);
  return typeof result === 'string'
    ? { kind: 'ignored', reason: result }
    : { kind: 'installation-event', installationEvent: result };
}

function interpretPullRequestEvent(event: string, payload: unknown, app: AppIdentity): Intent | IgnoreReason {
  const readers = PULL_REQUEST_EVENT_READERS.get(event);
  if (readers === undefined) return event === 'ping' ? 'ping' : 'unknown-event';
  const envelope = WebhookEnvelope.safeParse(payload);
  if (!envelope.success) return 'malformed';
  const { action, installation, sender } = envelope.data;
  const read = readers.get(action);
  if (read === undefined) return 'unknown-event';
  return installation ? read(payload, { app, installationId: installation.id, sender }) : 'malformed';
}

/** Readers by event and action. */
const PULL_REQUEST_EVENT_READERS: ReadonlyMap<string, ReadonlyMap<string, PullRequestEventReader>> = new Map([
  ['issue_comment', createCommentReaders(extractIssueComment)],
  ['pull_request_review_comment', createCommentReaders(extractReviewComment)],
  [
    'pull_request_review',
    new Map([
      ['submitted', createNewCommentReader(extractReviewBody)],
      ['edited', createEditedCommentReader(extractReviewBody)],
      ['dismissed', readDismissedReview],
    ]),
  ],
  [
    'pull_request',
    new Map<string, PullRequestEventReader>([
      ['synchronize', readPush],
      ['closed', readClosedPull],
      ['edited', readRetargetedPull],
    ]),
  ],
]);

function createCommentReaders(extract: CommentExtractor): ReadonlyMap<string, PullRequestEventReader> {
  return new Map([
    ['created', createNewCommentReader(extract)],
    ['edited', createEditedCommentReader(extract)],
  ]);
}
