import { z } from 'zod';
import type { Actor, Intent, PullRequestRef } from '../state/intent.ts';
import type { IgnoreReason } from '../step/reasons.ts';
import {
  actorOf,
  CommitSha,
  createReader,
  type DeliveryContext,
  NonEmptyName,
  PayloadAccount,
  PayloadPull,
  PayloadRepository,
  PositiveId,
  type PullRequestEventReader,
  toPullRequestRef,
} from './payload-schemas.ts';

const About = z.object({ repository: PayloadRepository, pull_request: PayloadPull });

type Delivery = { readonly pull: PullRequestRef; readonly actor: Actor; readonly context: DeliveryContext };

/** Reads an event about a pull request, by any account. */
function createPullReader<Payload extends z.infer<typeof About>>(
  schema: z.ZodType<Payload>,
  read: (payload: Payload, delivery: Delivery) => Intent | IgnoreReason,
): PullRequestEventReader {
  return createReader(schema, (payload, context: DeliveryContext) => {
    if (!context.sender) return 'not-a-person';
    const { repository, pull_request } = payload;
    const pull = toPullRequestRef(repository, pull_request.number, context);
    return read(payload, { pull, actor: actorOf(context.sender), context });
  });
}

/** The App's own pushes count too: the commit might belong to another pull request with the same head branch. */
export const readPush = createPullReader(
  About.extend({ before: CommitSha, after: CommitSha }),
  ({ before, after }, { pull, actor }) => ({ kind: 'pushed', pull, actor, before, after }),
);

/** A branch rule can demand the App's check run, also where no change was ever proposed. */
export const readOpenedPull = createPullReader(About, (_payload, { pull, actor }) => ({ kind: 'opened', pull, actor }));

/** The end of a pull request, merged or not: pending proposals can no longer be applied. */
export const readClosedPull = createPullReader(
  About.extend({ pull_request: PayloadPull.extend({ merged: z.boolean().nullish() }) }),
  ({ pull_request }, { pull, actor }) => ({ kind: 'closed', pull, actor, merged: pull_request.merged === true }),
);

/** `changes.base` exists only if the base branch was changed. */
const EditedPull = About.extend({
  pull_request: PayloadPull.extend({ base: z.object({ ref: NonEmptyName }) }),
  changes: z.object({ base: z.object({ ref: z.object({ from: NonEmptyName }) }).nullish() }).nullish(),
});

/** An edited pull request. Only a new base branch matters. */
export const readRetargetedPull = createPullReader(EditedPull, ({ pull_request, changes }, { pull, actor }) => {
  const from = changes?.base?.ref.from;
  const to = pull_request.base.ref;
  return from === undefined || from === to ? 'irrelevant-edit' : { kind: 'retargeted', pull, actor, from, to };
});

const DismissedReview = About.extend({ review: z.object({ id: PositiveId, user: PayloadAccount }) });

/** A dismissed review. If a person dismisses the App's review, that denies its open proposals. */
export const readDismissedReview = createPullReader(
  DismissedReview,
  ({ review }, { pull, actor, context: { app, sender } }) => {
    if (actor.id === app.botId) return 'own-event';
    if (sender?.type !== 'User') return sender?.type === 'Bot' ? 'bot' : 'not-a-person';
    return review.user?.id === app.botId ? { kind: 'dismissed', pull, actor, reviewId: review.id } : 'not-addressed';
  },
);
