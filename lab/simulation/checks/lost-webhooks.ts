import type { CommentIntent } from '../../../src/core/state/intent.ts';
import type { ProposalState } from '../../../src/core/state/proposal.ts';
import { activeSince, hasActiveWork } from '../../../src/core/state/run.ts';
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

/** V5: where lost webhooks are looked for, nothing that meant something stays unheard, unless its words are gone. */
export const lostWebhooksAreRecovered: CaseCheck = (evidence) => {
  const { attempts, recoversWebhooks } = evidence.played;
  if (!recoversWebhooks) return [];
  const answered = new Set(attempts.filter((one) => one.acknowledged).map(({ guid }) => guid));
  const heard = new Set(
    evidence.events.flatMap((one) => (one.kind === 'received' ? [one.delivery.id, one.delivery.contentKey] : [])),
  );
  return attempts.flatMap((attempt) =>
    answered.has(attempt.guid) || !isLost(evidence, attempt, heard)
      ? []
      : [`V5: ${attempt.guid} (${attempt.event}.${attempt.action ?? ''}) was lost for good`],
  );
};

function isLost({ played }: CaseEvidence, attempt: LoggedAttempt, heard: ReadonlySet<string | null>): boolean {
  const { simulatedGitHub, fixture } = played;
  const meaning = interpret({ event: attempt.event, payload: attempt.payload, app: fixture });
  if (meaning.kind !== 'intent' || heard.has(attempt.guid)) return false;
  const { intent } = meaning;
  if (!isInstalled({ played }, intent.pull)) return false;
  const key = contentKey(intent);
  if (key !== null && heard.has(key)) return false;
  if (intent.kind !== 'comment' || !listPullNumbers(simulatedGitHub, fixture).includes(intent.pull.number)) return true;
  return (
    readBodyAt(snapshotPull(simulatedGitHub, fixtureForPull(fixture, intent.pull.number)), intent.location) !== null
  );
}

/** Of what is written in the moment in which something expires nobody can tell which came first. */
const TIMING_TOLERANCE_MS = 60_000;

/** What somebody said on that pull request, at that time (ms). */
type PostedIntent = {
  readonly intent: CommentIntent;
  readonly number: number;
  readonly at: number;
  readonly key: string;
};

/** What stands on the pages as it was said. */
function listPostedIntents({ simulatedGitHub, fixture }: PlayedCase): readonly PostedIntent[] {
  return listPullNumbers(simulatedGitHub, fixture).flatMap((number) => {
    const page = fixtureForPull(fixture, number);
    return selectCommentsSince(snapshotPull(simulatedGitHub, page), new Date(START_TIME).toISOString()).flatMap(
      ({ event, comment }) => {
        const intent = interpretListedComment(page.ref, { event, comment }, fixture)?.intent;
        return intent?.kind === 'comment'
          ? [{ intent, number, at: Date.parse(intent.createdAt), key: contentKey(intent) ?? '' }]
          : [];
      },
    );
  });
}

/** What stands there of what GitHub told nobody when it was said. */
export function postedWhileSuspended({ played }: CaseEvidence): readonly PostedIntent[] {
  if (!played.attempts.some(({ event, action }) => event === 'installation' && action === 'unsuspend')) return [];
  const told = new Set(
    played.attempts.map(({ event, payload }) => {
      const meaning = interpret({ event, payload, app: played.fixture });
      return meaning.kind === 'intent' ? contentKey(meaning.intent) : null;
    }),
  );
  return listPostedIntents(played).filter(({ key }) => !told.has(key));
}

function receivedContentKeys({ events }: CaseEvidence): ReadonlySet<string> {
  return new Set(events.flatMap((one) => (one.kind === 'received' ? (one.delivery.contentKey ?? []) : [])));
}

/** Whatever webhooks were lost: nothing expires before all is heard that was said while it waited. */
export const commentsAreReadBeforeExpiry: CaseCheck = (evidence) => {
  const { saved, played } = evidence;
  const [heard, said] = [receivedContentKeys(evidence), listPostedIntents(played)];
  return saved.flatMap(({ saved: { at, before, step } }) => {
    if (!isInstalled({ played }, step.pull.ref)) return [];
    const gone = step.pull.proposals.filter(({ id, state }) => state === 'expired' && before.get(id) !== state);
    return gone.flatMap(({ id, proposedAt }) =>
      said
        .filter(({ number }) => number === step.pull.ref.number)
        .filter(
          (one) => one.at >= Date.parse(proposedAt ?? '') && one.at < at - TIMING_TOLERANCE_MS && !heard.has(one.key),
        )
        .map(({ key }) => `${id} expired, and ${key} was never heard`),
    );
  });
};

/** More than it takes to catch up, whatever breaks meanwhile. */
const MAX_CATCH_UP_MS = 60 * 60_000;

/** F16: once the App hears that it may act again, all is heard that was said where something goes on, since that began. */
export const suspensionCommentsAreRead: CaseCheck = (evidence) => {
  const { saved, played } = evidence;
  const { attempts } = played;
  const [heard, said] = [receivedContentKeys(evidence), listPostedIntents(played)];
  const told = attempts.filter(({ event, action }) => event === 'installation' && action !== 'created');
  const answered = told.filter((one) => one.action === 'unsuspend' && one.acknowledged);
  // Told again, it is known already.
  const back = [...Map.groupBy(answered, ({ guid }) => guid).values()].flatMap(([first]) => first ?? []);
  return back.flatMap(({ deliveredAt }) => {
    const until = deliveredAt + MAX_CATCH_UP_MS;
    if (
      told.some(
        (one) =>
          one.action !== 'unsuspend' && one.deliveredAt > deliveredAt - TIMING_TOLERANCE_MS && one.deliveredAt < until,
      )
    )
      return [];
    return [...Map.groupBy(saved, ({ saved: { claim } }) => claim.pullRequestKey).values()].flatMap((steps) => {
      const before = steps.findLast(({ saved: { at } }) => at < deliveredAt)?.saved.step.pull;
      if (before === undefined || !hasActiveWork(before)) return [];
      const since = Math.max(
        Date.parse(activeSince(before) ?? ''),
        deliveredAt - MAX_CATCH_UP_AGE_MS + TIMING_TOLERANCE_MS,
      );
      return said
        .filter(
          ({ number, at }) => number === before.ref.number && at >= since && at < deliveredAt - TIMING_TOLERANCE_MS,
        )
        .filter(({ key }) => isInstalled(evidence, before.ref) && !heard.has(key))
        .map(({ key }) => `F16: ${key} was said before the App could act again, and was never heard`);
    });
  });
};

const ACTIVE_STATES: ReadonlySet<ProposalState> = new Set<ProposalState>(['proposed', 'approved', 'executing']);

/** S90b: once a pull request has heard that the App was removed, nothing goes on there, whatever is installed later. */
export const uninstallIsFinal: CaseCheck = ({ saved }) => {
  const over = new Set<string>();
  return saved.flatMap(({ saved: { claim, signal, step, before } }) => {
    if (signal.type === 'access-lost' && signal.cause === 'uninstalled') over.add(claim.pullRequestKey);
    if (!over.has(claim.pullRequestKey)) return [];
    const risen = step.pull.proposals.filter(({ id, state }) => state !== before.get(id) && ACTIVE_STATES.has(state));
    return risen.map(({ id, state }) => `S90b: ${id} became ${state} (${step.reason}) after the App was removed`);
  });
};

/** More than any process needs, whatever breaks meanwhile. */
const MAX_UNINSTALL_DELAY_MS = 60 * 60_000;

/** S90b: nothing goes on for long where GitHub was told that the word of the App's removal is taken. */
export const uninstallIsProcessed: CaseCheck = ({ saved, played }) => {
  const removed = new Map(
    played.attempts
      .filter(({ event, action, acknowledged }) => event === 'installation' && action === 'deleted' && acknowledged)
      .map(({ payload, deliveredAt }) => [installationIdOf(payload), deliveredAt]),
  );
  return saved.flatMap(({ saved: { at, step } }) => {
    const { ref, run } = step.pull;
    const since = removed.get(ref.installationId);
    if (since === undefined || at < since + MAX_UNINSTALL_DELAY_MS || run === null || run.phase.kind === 'ended')
      return [];
    return [`S90b: a run went on (${step.reason}) long after the App's removal was heard of`];
  });
};

function installationIdOf(payload: Readonly<Record<string, unknown>>): unknown {
  const { installation } = payload;
  return isRecord(installation) ? installation['id'] : null;
}
