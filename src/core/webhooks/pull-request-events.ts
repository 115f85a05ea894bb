import type { Actor, Intent } from '../state/intent.ts';
import type { IgnoreReason } from '../step/reasons.ts';
import {
  ClosedPullPayload,
  type DeliveryContext,
  EditedPullPayload,
  PushedPayload,
  ReviewDismissedPayload,
  toActor,
  toPullRequestRef,
} from './payload-schemas.ts';

/**
 * Reads a push, by any account. The App's own pushes count too: the commit might belong to another pull request with
 * the same head branch.
 */
export function readPush(payload: unknown, context: DeliveryContext): Intent | IgnoreReason {
  const parsed = PushedPayload.safeParse(payload);
  if (!parsed.success) return 'malformed';
  const { sender } = context;
  if (!sender) return 'not-a-person';
  const { repository, pull_request, before, after } = parsed.data;
  const pull = toPullRequestRef(repository, pull_request.number, context);
  return { kind: 'pushed', pull, actor: toActor(sender, false), before, after };
}

/** Reads the end of a pull request, merged or not, by any account: pending proposals can no longer be applied. */
export function readClosedPull(payload: unknown, context: DeliveryContext): Intent | IgnoreReason {
  const parsed = ClosedPullPayload.safeParse(payload);
  if (!parsed.success) return 'malformed';
  if (!context.sender) return 'not-a-person';
  const { repository, pull_request } = parsed.data;
  const pull = toPullRequestRef(repository, pull_request.number, context);
  return { kind: 'closed', pull, actor: toActor(context.sender, false), merged: pull_request.merged === true };
}

/** Reads an edited pull request. Only a new base branch matters. */
export function readRetargetedPull(payload: unknown, context: DeliveryContext): Intent | IgnoreReason {
  const parsed = EditedPullPayload.safeParse(payload);
  if (!parsed.success) return 'malformed';
  if (!context.sender) return 'not-a-person';
  const { repository, pull_request, changes } = parsed.data;
  const from = changes?.base?.ref.from;
  if (from === undefined || from === pull_request.base.ref) return 'irrelevant-edit';
  const pull = toPullRequestRef(repository, pull_request.number, context);
  return { kind: 'retargeted', pull, actor: toActor(context.sender, false), from, to: pull_request.base.ref };
}

/** Reads a dismissed review. Dismissing the App's review denies its open proposals. */
export function readDismissedReview(payload: unknown, context: DeliveryContext): Intent | IgnoreReason {
  const parsed = ReviewDismissedPayload.safeParse(payload);
  if (!parsed.success) return 'malformed';
  const actor = findSender(context);
  if (typeof actor === 'string') return actor;
  const { repository, pull_request, review } = parsed.data;
  if (review.user?.id !== context.app.botId) return 'not-addressed';
  const pull = toPullRequestRef(repository, pull_request.number, context);
  return { kind: 'dismissed', pull, actor, reviewId: review.id };
}

/** The person who sent the webhook. GitHub does not always name one, and without one nothing is decided. */
function findSender({ app, sender }: DeliveryContext): Actor | IgnoreReason {
  if (!sender) return 'not-a-person';
  if (sender.id === app.botId) return 'own-event';
  if (sender.type === 'Bot') return 'bot';
  return sender.type === 'User' ? toActor(sender, false) : 'not-a-person';
}
