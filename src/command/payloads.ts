import { z } from 'zod';

// Only what an intent needs is named here. Whatever else GitHub sends, now or later, passes unread.

const Id = z.int().positive();
const Name = z.string().min(1);

/** GitHub's times in UTC, cut to whole seconds. */
const Time = z.iso
  .datetime({ offset: true })
  .refine((time) => !Number.isNaN(Date.parse(time)))
  .transform((time) => `${new Date(time).toISOString().slice(0, 19)}Z`);

const Account = z.object({ id: Id, login: Name, type: z.string() }).nullish();
/** An account as a payload names it; none where it was deleted. */
export type Account = z.infer<typeof Account>;

/** What every delivery that can concern us names. */
export const Envelope = z.object({ action: z.string(), installation: z.object({ id: Id }).nullish(), sender: Account });

const Repository = z.object({ id: Id, name: Name, owner: z.object({ login: Name }) });
export type Repository = z.infer<typeof Repository>;

const Pull = z.object({ number: Id });

const Written = z.object({
  id: Id,
  user: Account,
  body: z.string().nullish(),
  /** Not null where an App wrote it in the user's name; GitHub sends it for comments of the conversation only. */
  performed_via_github_app: z.unknown().optional(),
});
export type Written = z.infer<typeof Written>;

export const IssueCommentEvent = z.object({
  repository: Repository,
  /** `pull_request` is there only where the issue is a pull request. */
  issue: z.object({ number: Id, pull_request: z.unknown().optional() }),
  comment: Written.extend({ created_at: Time }),
});

export const ReviewCommentEvent = z.object({
  repository: Repository,
  pull_request: Pull,
  comment: Written.extend({
    created_at: Time,
    /** The thread's first comment; absent on that comment itself. */
    in_reply_to_id: Id.nullish(),
    pull_request_review_id: Id.nullish(),
    path: z.string(),
    /** Null where outdated; a comment about the whole file may have a number that means nothing. */
    line: Id.nullish(),
    subject_type: z.string().nullish(),
    diff_hunk: z.string().nullish(),
  }),
});

export const ReviewEvent = z.object({
  repository: Repository,
  pull_request: Pull,
  review: Written.extend({ submitted_at: Time, state: z.string().nullish() }),
});

export const DismissedEvent = z.object({
  repository: Repository,
  pull_request: Pull,
  review: z.object({ id: Id, user: Account }),
});

export const ThreadEvent = z.object({
  repository: Repository,
  pull_request: Pull,
  /** All comments of the thread; the first one answers no other. */
  thread: z.object({ comments: z.array(z.object({ id: Id, in_reply_to_id: Id.nullish() })) }),
});

const Sha = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

export const PushedEvent = z.object({ repository: Repository, pull_request: Pull, before: Sha, after: Sha });

export const ClosedEvent = z.object({
  repository: Repository,
  pull_request: Pull.extend({ merged: z.boolean().nullish() }),
});

/** `changes.base` is there only where somebody changed where the pull request goes. */
export const EditedPullEvent = z.object({
  repository: Repository,
  pull_request: Pull.extend({ base: z.object({ ref: Name }) }),
  changes: z.object({ base: z.object({ ref: z.object({ from: Name }) }).nullish() }).nullish(),
});

const Installation = z.object({ id: Id, permissions: z.record(z.string(), z.unknown()) });

export const InstallationEvent = z.object({ installation: Installation });

export const RemovedEvent = z.object({
  installation: Installation,
  repositories_removed: z.array(z.object({ id: Id })).min(1),
});
