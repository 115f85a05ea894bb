import { z } from 'zod';
import type { Actor, Intent, PullRequestRef } from '../state/intent.ts';
import type { AppIdentity } from '../step/facts.ts';
import type { IgnoreReason } from '../step/reasons.ts';

// The schemas name only the fields that an intent needs. GitHub can add others at any time.

export const PositiveId = z.int().positive();

export const NonEmptyName = z.string().min(1);

/** SHA-1 or SHA-256, in lower case. */
export const CommitSha = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** GitHub's times, converted to UTC in whole seconds. */
export const Timestamp = z.iso
  .datetime({ offset: true })
  .refine((time) => !Number.isNaN(Date.parse(time)))
  .transform((time) => `${new Date(time).toISOString().slice(0, 19)}Z`);

export const PayloadAccount = z.object({ id: PositiveId, login: NonEmptyName, type: z.string() }).nullish();

/** An account in a payload; null or missing if it was deleted. */
export type PayloadAccount = z.infer<typeof PayloadAccount>;

/** The fields that every relevant delivery has. */
export const WebhookEnvelope = z.object({
  action: z.string(),
  installation: z.object({ id: PositiveId }).nullish(),
  sender: PayloadAccount,
});

export const PayloadRepository = z.object({
  id: PositiveId,
  name: NonEmptyName,
  owner: z.object({ login: NonEmptyName }),
});

export type PayloadRepository = z.infer<typeof PayloadRepository>;

/** `state` is as of the event, and might have changed since. */
export const PayloadPull = z.object({ number: PositiveId, state: z.string().nullish().catch(null) });

export const PayloadComment = z.object({
  id: PositiveId,
  user: PayloadAccount,
  body: z.string().nullish(),
  /** Not null if an App wrote it in the user's name. GitHub sends it for comments of the conversation only. */
  performed_via_github_app: z.unknown().optional(),
});

export type PayloadComment = z.infer<typeof PayloadComment>;

/** The facts about a delivery that do not depend on its event. */
export type DeliveryContext = {
  readonly app: AppIdentity;
  readonly installationId: number;
  readonly sender: PayloadAccount;
};

/** Converts the payload of one event and action to an intent. It never throws. */
export type PullRequestEventReader = (payload: unknown, context: DeliveryContext) => Intent | IgnoreReason;

/** Reads payloads of this form. Any other one is malformed. */
export function createReader<Payload, Rest extends readonly unknown[], Result>(
  schema: z.ZodType<Payload>,
  read: (payload: Payload, ...rest: Rest) => Result,
): (payload: unknown, ...rest: Rest) => Result | 'malformed' {
  return (payload, ...rest) => {
    const parsed = schema.safeParse(payload);
    return parsed.success ? read(parsed.data, ...rest) : 'malformed';
  };
}

/** The account without what no decision needs. */
export function actorOf({ id, login }: NonNullable<PayloadAccount>): Actor {
  return { id, login };
}

/** The pull request of a delivery. */
export function toPullRequestRef(
  repository: PayloadRepository,
  number: number,
  { installationId }: DeliveryContext,
): PullRequestRef {
  return { installationId, repositoryId: repository.id, owner: repository.owner.login, repo: repository.name, number };
}
