import { z } from 'zod';
import { numberInExternalId } from '../policy/waiting.ts';
import { CHECK_KEYS, type CheckEvent } from '../state/checks.ts';
import type { AppIdentity } from '../step/facts.ts';
import type { IgnoreReason } from '../step/reasons.ts';
import {
  actorOf,
  CommitSha,
  createReader,
  type DeliveryContext,
  NonEmptyName,
  PayloadAccount,
  PayloadRepository,
  PositiveId,
  type PullRequestEventReader,
  toPullRequestRef,
} from './payload-schemas.ts';

const Press = z.object({
  repository: PayloadRepository,
  check_run: z.object({
    id: PositiveId,
    head_sha: CommitSha,
    external_id: z.string().max(200),
    app: z.object({ slug: NonEmptyName }),
  }),
  requested_action: z.object({ identifier: z.string().max(20) }),
});

/** A button of a check run. GitHub tells only the App that made the run, and asks nobody for a permission. */
export const readPressedButton: PullRequestEventReader = createReader(Press, (payload, context: DeliveryContext) => {
  const { sender, app } = context;
  if (sender?.type !== 'User') return sender?.type === 'Bot' ? 'bot' : 'not-a-person';
  const { repository, check_run: run, requested_action } = payload;
  const number = numberInExternalId(run.external_id);
  if (run.app.slug !== app.slug || number === null) return 'not-addressed';
  return {
    kind: 'pressed',
    pull: toPullRequestRef(repository, number, context),
    actor: actorOf(sender),
    ...{ checkRunId: run.id, headSha: run.head_sha, externalId: run.external_id },
    identifier: requested_action.identifier,
  };
});

const MergeGroup = z.object({
  repository: PayloadRepository,
  merge_group: z.object({ head_sha: CommitSha, head_ref: NonEmptyName }),
  sender: PayloadAccount,
});

/** GitHub names the group's last pull request in its branch: `gh-readonly-queue/main/pr-7-` and a commit. */
const QUEUED_PULL = /\/pr-([1-9]\d{0,9})-[0-9a-f]+$/;

/** A merge queue waits for the checks of a commit that is on no pull request. */
export const readMergeGroup: PullRequestEventReader = createReader(MergeGroup, (payload, context: DeliveryContext) => {
  const { repository, merge_group, sender } = payload;
  const number = Number(QUEUED_PULL.exec(merge_group.head_ref)?.[1]);
  if (!sender) return 'not-a-person';
  if (!Number.isSafeInteger(number)) return 'not-a-pull-request';
  const pull = toPullRequestRef(repository, number, context);
  return { kind: 'merge-queued', pull, actor: actorOf(sender), headSha: merge_group.head_sha };
});

const CompletedSuite = z.object({
  action: z.literal('completed'),
  repository: PayloadRepository,
  check_suite: z.object({
    node_id: NonEmptyName,
    head_sha: CommitSha,
    conclusion: z.string().nullish(),
    app: z.object({ slug: z.string().nullish() }).nullish(),
  }),
});

const ReportedStatus = z.object({
  repository: PayloadRepository,
  sha: CommitSha,
  context: NonEmptyName,
  state: z.string(),
});

/** Conclusions of suites and states of statuses. */
const FAILURES: ReadonlySet<unknown> = new Set(['failure', 'timed_out', 'startup_failure', 'error']);

function readSuite(payload: unknown, app: AppIdentity): CheckEvent | IgnoreReason {
  if (z.object({ action: z.string() }).safeParse(payload).data?.action !== 'completed') return 'unknown-event';
  const parsed = CompletedSuite.safeParse(payload);
  if (!parsed.success) return 'malformed';
  const { repository, check_suite: suite } = parsed.data;
  if (suite.app?.slug === app.slug) return 'own-event';
  const completed = {
    head: suite.head_sha,
    key: CHECK_KEYS.suite(suite.node_id),
    failed: FAILURES.has(suite.conclusion),
  };
  return { repositoryId: repository.id, ...completed };
}

const readStatus = createReader(ReportedStatus, ({ repository, sha: head, context, state }) => {
  if (state === 'pending') return 'unknown-event';
  return { repositoryId: repository.id, head, key: CHECK_KEYS.status(context), failed: FAILURES.has(state) };
});

/** The events that can end a wait for checks. They name no pull request of a fork, so a commit stands for it. */
const READERS: ReadonlyMap<string, (payload: unknown, app: AppIdentity) => CheckEvent | IgnoreReason> = new Map([
  ['check_suite', readSuite],
  ['status', readStatus],
]);

/** Reads a check event; null for any other event. */
export function readCheckEvent(event: string, payload: unknown, app: AppIdentity): CheckEvent | IgnoreReason | null {
  const read = READERS.get(event);
  return read === undefined ? null : read(payload, app);
}
