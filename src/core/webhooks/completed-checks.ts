import { z } from 'zod';
import { CHECK_KEYS, type CheckEvent } from '../state/checks.ts';
import type { AppIdentity } from '../step/facts.ts';
import type { IgnoreReason } from '../step/reasons.ts';
import { CommitSha, createReader, NonEmptyName, PayloadRepository } from './payload-schemas.ts';

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
