import { hash } from 'node:crypto';
import type { CommentIntent } from '../../../src/core/state/intent.ts';
import type { ProposalState } from '../../../src/core/state/proposal.ts';
import { activeSince, hasActiveWork } from '../../../src/core/state/pull-state.ts';
import { contentKey, interpret, interpretListedComment } from '../../../src/core/webhooks/interpret.ts';
import { isRecord } from '../../../src/lib/trust.ts';
import { MAX_CATCH_UP_AGE_MS } from '../../../src/worker/effects/delayed-checks.ts';
import { START_TIME } from '../world/fixture.ts';
import {
  fixtureForPull,
  type LoggedAttempt,
  listPullNumbers,
  readBodyAt,
  selectCommentsSince,
  snapshotPull,
} from '../world/simulated-github.ts';
import { type CaseCheck, type CaseEvidence, isInstalled, type PlayedCase } from './evidence.ts';

/** V5: recovery finds each lost webhook that the App needs, unless its comment was edited or deleted. */
export const lostWebhooksAreRecovered: CaseCheck = (evidence) => {
  const { attempts, recoversWebhooks } = evidence.played;
  if (!recoversWebhooks) return [];
  const acknowledged = new Set(attempts.filter((attempt) => attempt.acknowledged).map(({ guid }) => guid));
  const receivedKeys = new Set(
    evidence.events.flatMap((event) =>
      event.kind === 'received' ? [event.delivery.id, event.delivery.contentKey] : [],
    ),
  );
  return attempts.flatMap((attempt) =>
    acknowledged.has(attempt.guid) || !isLost(evidence, attempt, receivedKeys)
      ? []
      : [`V5: ${attempt.guid} (${attempt.event}.${attempt.action ?? ''}) was lost and not recovered`],
  );
};

function isLost({ played }: CaseEvidence, attempt: LoggedAttempt, receivedKeys: ReadonlySet<string | null>): boolean {
  const { simulatedGitHub, fixture } = played;
  const interpretation = interpret({ event: attempt.event, payload: attempt.payload, app: fixture });
  if (interpretation.kind !== 'intent' || receivedKeys.has(attempt.guid)) return false;
  const { intent } = interpretation;
  if (!isInstalled({ played }, intent.pull)) return false;
  const key = contentKey(intent);
  if (key !== null && receivedKeys.has(key)) return false;
  if (intent.kind !== 'comment' || !listPullNumbers(simulatedGitHub, fixture).includes(intent.pull.number)) return true;
  const body = readBodyAt(snapshotPull(simulatedGitHub, fixtureForPull(fixture, intent.pull.number)), intent.location);
  // A comment that was edited before it was read is handled as an edit, which needs no answer.
  return body !== null && hash('sha256', body, 'hex') === intent.bodyHash;
}

/** For events this close together, such as a comment and an expiry, the order is not defined. */
const TIMING_TOLERANCE_MS = 60_000;

/** A comment on the page of a pull request. */
type PostedIntent = {
  readonly intent: CommentIntent;
  /** The number of the pull request. */
  readonly number: number;
  /** The creation time (ms). */
  readonly at: number;
  /** The content key, or an empty string. */
  readonly key: string;
};

/** The comments on all pull requests, as the App interprets them. */
function listPostedIntents({ simulatedGitHub, fixture }: PlayedCase): readonly PostedIntent[] {
  return listPullNumbers(simulatedGitHub, fixture).flatMap((number) => {
    const pullFixture = fixtureForPull(fixture, number);
    return selectCommentsSince(snapshotPull(simulatedGitHub, pullFixture), new Date(START_TIME).toISOString()).flatMap(
      ({ event, comment }) => {
        const intent = interpretListedComment(pullFixture.ref, { event, comment }, fixture)?.intent;
        return intent?.kind === 'comment'
          ? [{ intent, number, at: Date.parse(intent.createdAt), key: contentKey(intent) ?? '' }]
          : [];
      },
    );
  });
}

/** Comments for which GitHub sent no webhook, because the App was suspended. */
export function postedWhileSuspended({ played }: CaseEvidence): readonly PostedIntent[] {
  if (!played.attempts.some(({ event, action }) => event === 'installation' && action === 'unsuspend')) return [];
  const sentKeys = new Set(
    played.attempts.map(({ event, payload }) => {
      const interpretation = interpret({ event, payload, app: played.fixture });
      return interpretation.kind === 'intent' ? contentKey(interpretation.intent) : null;
    }),
  );
  return listPostedIntents(played).filter(({ key }) => !sentKeys.has(key));
}

function receivedContentKeys({ events }: CaseEvidence): ReadonlySet<string> {
  return new Set(events.flatMap((event) => (event.kind === 'received' ? (event.delivery.contentKey ?? []) : [])));
}

/** A proposal expires only after all comments from its pending time were read, even if their webhooks were lost. */
export const commentsAreReadBeforeExpiry: CaseCheck = (evidence) => {
  const { saved, played } = evidence;
  const expirations = saved.flatMap(({ saved: { at, before, step } }) => {
    if (!isInstalled({ played }, step.pull.ref)) return [];
    const expired = step.pull.proposals.filter(({ id, state }) => state === 'expired' && before.get(id) !== state);
    return expired.map(({ id, proposedAt }) => ({ id, at, since: Date.parse(proposedAt ?? ''), ref: step.pull.ref }));
  });
  if (expirations.length === 0) return [];
  const receivedKeys = receivedContentKeys(evidence);
  const comments = listPostedIntents(played);
  return expirations.flatMap(({ id, at, since, ref }) =>
    comments
      .filter(({ number }) => number === ref.number)
      .filter((comment) => comment.at >= since && comment.at < at - TIMING_TOLERANCE_MS)
      .filter(({ key }) => !receivedKeys.has(key))
      .map(({ key }) => `${id} expired before comment ${key} was processed`),
  );
};

/** An upper bound for a catch-up with faults. */
const MAX_CATCH_UP_MS = 60 * 60_000;

/** F16: after a suspension the App reads all comments since the start of each pull request's active work. */
export const suspensionCommentsAreRead: CaseCheck = (evidence) => {
  const { saved, played } = evidence;
  const { attempts } = played;
  const installationAttempts = attempts.filter(({ event, action }) => event === 'installation' && action !== 'created');
  const acknowledged = installationAttempts.filter((attempt) => attempt.action === 'unsuspend' && attempt.acknowledged);
  // Only the first delivery counts, because the App ignores duplicates.
  const unsuspensions = [...Map.groupBy(acknowledged, ({ guid }) => guid).values()].flatMap(([first]) => first ?? []);
  if (unsuspensions.length === 0) return [];
  const receivedKeys = receivedContentKeys(evidence);
  const comments = listPostedIntents(played);
  return unsuspensions.flatMap(({ deliveredAt }) => {
    const until = deliveredAt + MAX_CATCH_UP_MS;
    const isInterrupted = installationAttempts.some(
      (attempt) =>
        attempt.action !== 'unsuspend' &&
        attempt.deliveredAt > deliveredAt - TIMING_TOLERANCE_MS &&
        attempt.deliveredAt < until,
    );
    if (isInterrupted) return [];
    return [...Map.groupBy(saved, ({ saved: { claim } }) => claim.pullRequestKey).values()].flatMap((steps) => {
      const before = steps.findLast(({ saved: { at } }) => at < deliveredAt)?.saved.step.pull;
      if (before === undefined || !hasActiveWork(before)) return [];
      const since = Math.max(
        Date.parse(activeSince(before) ?? ''),
        deliveredAt - MAX_CATCH_UP_AGE_MS + TIMING_TOLERANCE_MS,
      );
      return comments
        .filter(
          ({ number, at }) => number === before.ref.number && at >= since && at < deliveredAt - TIMING_TOLERANCE_MS,
        )
        .filter(({ key }) => isInstalled(evidence, before.ref) && !receivedKeys.has(key))
        .map(({ key }) => `F16: comment ${key} from a suspension was never processed`);
    });
  });
};

const ACTIVE_STATES: ReadonlySet<ProposalState> = new Set<ProposalState>(['proposed', 'approved', 'executing']);

/** S90b: after the App's removal no proposal becomes active again, even if the App is reinstalled. */
export const uninstallIsFinal: CaseCheck = ({ saved }) => {
  const endedPulls = new Set<string>();
  return saved.flatMap(({ saved: { claim, signal, step, before } }) => {
    if (signal.type === 'access-lost' && signal.cause === 'uninstalled') endedPulls.add(claim.pullRequestKey);
    if (!endedPulls.has(claim.pullRequestKey)) return [];
    const activated = step.pull.proposals.filter(
      ({ id, state }) => state !== before.get(id) && ACTIVE_STATES.has(state),
    );
    return activated.map(({ id, state }) => `S90b: ${id} became ${state} (${step.reason}) after the App was removed`);
  });
};

/** An upper bound for the processing of an uninstall webhook with faults. */
const MAX_UNINSTALL_DELAY_MS = 60 * 60_000;

/** S90b: runs end soon after the App acknowledged its uninstall webhook. */
export const uninstallIsProcessed: CaseCheck = ({ saved, played }) => {
  const removedAt = new Map(
    played.attempts
      .filter(({ event, action, acknowledged }) => event === 'installation' && action === 'deleted' && acknowledged)
      .map(({ payload, deliveredAt }) => [installationIdOf(payload), deliveredAt]),
  );
  return saved.flatMap(({ saved: { at, step } }) => {
    const { ref, run } = step.pull;
    const since = removedAt.get(ref.installationId);
    if (since === undefined || at < since + MAX_UNINSTALL_DELAY_MS || run === null || run.phase.kind === 'ended')
      return [];
    return [`S90b: a run went on (${step.reason}) long after the App had received its removal`];
  });
};

function installationIdOf(payload: Readonly<Record<string, unknown>>): unknown {
  const { installation } = payload;
  return isRecord(installation) ? installation['id'] : null;
}
