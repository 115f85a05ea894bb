import { z } from 'zod';
import type { Actor, Intent, PullRequestRef } from '../state/intent.ts';
import type { AppIdentity } from '../step/facts.ts';
import type { IgnoreReason } from '../step/reasons.ts';

// The schemas name only the fields that an intent needs. GitHub can add others at any time.

const PositiveId = z.int().positive();

const NonEmptyName = z.string().min(1);

/** GitHub's times, converted to UTC in whole seconds. */
const Timestamp = z.iso
  .datetime({ offset: true })
  .refine((time) => !Number.isNaN(Date.parse(time)))
  .transform((time) => `${new Date(time).toISOString().slice(0, 19)}Z`);

const PayloadAccount = z.object({ id: PositiveId, login: NonEmptyName, type: z.string() }).nullish();

/** An account in a payload; null or missing if it was deleted. */
export type PayloadAccount = z.infer<typeof PayloadAccount>;

/** The fields that every relevant delivery has. */
export const WebhookEnvelope = z.object({
  action: z.string(),
  installation: z.object({ id: PositiveId }).nullish(),
  sender: PayloadAccount,
});

const PayloadRepository = z.object({ id: PositiveId, name: NonEmptyName, owner: z.object({ login: NonEmptyName }) });

export type PayloadRepository = z.infer<typeof PayloadRepository>;

const PayloadPull = z.object({ number: PositiveId });

const PayloadComment = z.object({
  id: PositiveId,
  user: PayloadAccount,
  body: z.string().nullish(),
  /** Not null if an App wrote it in the user's name. GitHub sends it for comments of the conversation only. */
  performed_via_github_app: z.unknown().optional(),
});

export type PayloadComment = z.infer<typeof PayloadComment>;

export const IssueCommentPayload = z.object({
  repository: PayloadRepository,
  /** `pull_request` exists only if the issue is a pull request. */
  issue: z.object({ number: PositiveId, pull_request: z.unknown().optional() }),
  comment: PayloadComment.extend({ created_at: Timestamp }),
});

export const ReviewCommentPayload = z.object({
  repository: PayloadRepository,
  pull_request: PayloadPull,
  comment: PayloadComment.extend({
    created_at: Timestamp,
    /** The first comment of the thread; missing on that comment itself. */
    in_reply_to_id: PositiveId.nullish(),
    pull_request_review_id: PositiveId.nullish(),
    path: z.string(),
    /** Null on an outdated comment. On a comment about the whole file the number can be meaningless. */
    line: PositiveId.nullish(),
    start_line: PositiveId.nullish(),
    side: z.enum(['LEFT', 'RIGHT']).nullish().catch(null),
    subject_type: z.string().nullish(),
    diff_hunk: z.string().nullish(),
  }),
});

export const ReviewPayload = z.object({
  repository: PayloadRepository,
  pull_request: PayloadPull,
  review: PayloadComment.extend({ submitted_at: Timestamp, state: z.string().nullish() }),
});

export const ReviewDismissedPayload = z.object({
  repository: PayloadRepository,
  pull_request: PayloadPull,
  review: z.object({ id: PositiveId, user: PayloadAccount }),
});

const Sha = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

export const PushedPayload = z.object({
  repository: PayloadRepository,
  pull_request: PayloadPull,
  before: Sha,
  after: Sha,
});

export const ClosedPullPayload = z.object({
  repository: PayloadRepository,
  pull_request: PayloadPull.extend({ merged: z.boolean().nullish() }),
});

/** `changes.base` exists only if the base branch was changed. */
export const EditedPullPayload = z.object({
  repository: PayloadRepository,
  pull_request: PayloadPull.extend({ base: z.object({ ref: NonEmptyName }) }),
  changes: z.object({ base: z.object({ ref: z.object({ from: NonEmptyName }) }).nullish() }).nullish(),
});

const PayloadInstallation = z.object({ id: PositiveId, permissions: z.record(z.string(), z.unknown()) });

export const InstallationPayload = z.object({ installation: PayloadInstallation });

export const RepositoriesRemovedPayload = z.object({
  installation: PayloadInstallation,
  repositories_removed: z.array(z.object({ id: PositiveId })).min(1),
});

/** The facts about a delivery that do not depend on its event. */
export type DeliveryContext = {
  readonly app: AppIdentity;
  readonly installationId: number;
  readonly sender: PayloadAccount;
};

/** Converts the payload of one event and action to an intent. It never throws. */
export type PullRequestEventReader = (payload: unknown, context: DeliveryContext) => Intent | IgnoreReason;

/** Converts an account to an actor. An unknown account type becomes one that decides nothing. */
export function toActor({ id, login, type }: NonNullable<PayloadAccount>, viaApp: boolean): Actor {
  const isKnownType = type === 'User' || type === 'Bot' || type === 'Organization';
  return { id, login, type: isKnownType ? type : 'Mannequin', viaApp };
}

/** The pull request of a delivery. */
export function toPullRequestRef(
  repository: PayloadRepository,
  number: number,
  { installationId }: DeliveryContext,
): PullRequestRef {
  return { installationId, repositoryId: repository.id, owner: repository.owner.login, repo: repository.name, number };
}
