import { z } from 'zod';
import type { CheckEvent } from '../state/checks.ts';
import type { CommentLocation, InstallationEvent, Intent } from '../state/intent.ts';
import { missingPermissions } from '../step/app-rights.ts';
import type { AppIdentity } from '../step/facts.ts';
import type { IgnoreReason } from '../step/reasons.ts';
import { readCheckEvent, readMergeGroup, readPressedButton } from './check-events.ts';
import {
  type CommentExtractor,
  createEditedCommentReader,
  createNewCommentReader,
  extractIssueComment,
  extractReviewBody,
  extractReviewComment,
} from './comment-events.ts';
import { createReader, PositiveId, type PullRequestEventReader, WebhookEnvelope } from './payload-schemas.ts';
import {
  readClosedPull,
  readDismissedReview,
  readOpenedPull,
  readPush,
  readRetargetedPull,
} from './pull-request-events.ts';

/** A delivery with a verified signature: GitHub's event name and the parsed body. `app` is the App itself. */
type VerifiedDelivery = { readonly event: string; readonly payload: unknown; readonly app: AppIdentity };

export type Interpretation =
  | { readonly kind: 'intent'; readonly intent: Intent }
  | { readonly kind: 'installation-event'; readonly installationEvent: InstallationEvent }
  | { readonly kind: 'check-event'; readonly checkEvent: CheckEvent }
  | { readonly kind: 'ignored'; readonly reason: IgnoreReason };

/** Interprets a delivery from its payload alone. Total: every payload has exactly one outcome, and nothing throws. */
export function interpret({ event, payload, app }: VerifiedDelivery): Interpretation {
  const readers = INSTALLATION_EVENT_READERS.get(event);
  if (readers !== undefined) return interpretInstallationEvent(readers, payload);
  const ofChecks = readCheckEvent(event, payload, app);
  if (ofChecks !== null)
    return typeof ofChecks === 'string'
      ? { kind: 'ignored', reason: ofChecks }
      : { kind: 'check-event', checkEvent: ofChecks };
  const result = interpretPullRequestEvent(event, payload, app);
  return typeof result === 'string' ? { kind: 'ignored', reason: result } : { kind: 'intent', intent: result };
}

/** Whether a delivery of this event and action can matter; `action` is null if the event has none. */
export function isRelevantEvent(event: string, action: string | null): boolean {
  const readers = INSTALLATION_EVENT_READERS.get(event) ?? PULL_REQUEST_EVENT_READERS.get(event);
  return action !== null && (readers?.has(action) ?? false);
}

/** Whether a row of GitHub's delivery log, which has no payload, says that checks are completed. */
export function isCheckEvent(event: string, action: string | null): boolean {
  return event === 'status' || (event === 'check_suite' && action === 'completed');
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
  check: 'check-run',
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
      ['opened', readOpenedPull],
      ['reopened', readOpenedPull],
      ['closed', readClosedPull],
      ['edited', readRetargetedPull],
    ]),
  ],
  ['check_run', new Map([['requested_action', readPressedButton]])],
  ['merge_group', new Map([['checks_requested', readMergeGroup]])],
]);

function createCommentReaders(extract: CommentExtractor): ReadonlyMap<string, PullRequestEventReader> {
  return new Map([
    ['created', createNewCommentReader(extract)],
    ['edited', createEditedCommentReader(extract)],
  ]);
}

/** Converts the payload of one event and action that concern a whole installation. It never throws. */
type InstallationEventReader = (payload: unknown) => InstallationEvent | IgnoreReason;

const About = z.object({
  installation: z.object({ id: PositiveId, permissions: z.record(z.string(), z.unknown()) }),
});

const readUninstalled: InstallationEventReader = createReader(About, ({ installation: { id: installationId } }) => {
  return { kind: 'access-lost', installationId, repositoryIds: null, cause: 'uninstalled' };
});

/** New permissions matter only if a required one is missing now. */
const readPermissionsChange: InstallationEventReader = createReader(About, ({ installation: { id, permissions } }) => {
  return missingPermissions(permissions).length === 0
    ? 'irrelevant-edit'
    : { kind: 'access-lost', installationId: id, repositoryIds: null, cause: 'permissions' };
});

const readUnsuspended: InstallationEventReader = createReader(About, ({ installation: { id: installationId } }) => {
  return { kind: 'unsuspended', installationId, repositoryIds: null };
});

const RepositoriesRemoved = About.extend({ repositories_removed: z.array(z.object({ id: PositiveId })).min(1) });

const readRepositoriesRemoved: InstallationEventReader = createReader(
  RepositoriesRemoved,
  ({ installation, repositories_removed }) => {
    const repositoryIds = repositories_removed.map(({ id }) => id);
    return { kind: 'access-lost', installationId: installation.id, repositoryIds, cause: 'repository-removed' };
  },
);

/**
 * Readers by event and action. A suspension needs none: GitHub refuses all requests during it, and pending work resumes
 * after it.
 */
const INSTALLATION_EVENT_READERS: ReadonlyMap<string, ReadonlyMap<string, InstallationEventReader>> = new Map([
  [
    'installation',
    new Map([
      ['deleted', readUninstalled],
      ['new_permissions_accepted', readPermissionsChange],
      ['unsuspend', readUnsuspended],
    ]),
  ],
  ['installation_repositories', new Map([['removed', readRepositoriesRemoved]])],
]);
