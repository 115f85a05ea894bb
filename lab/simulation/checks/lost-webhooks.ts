import type { ProposalState } from '../../../src/core/state/proposal.ts';
import { contentKey, interpret } from '../../../src/core/webhooks/interpret.ts';
import { isRecord } from '../../../src/lib/trust.ts';
import type { LoggedAttempt } from '../world/simulated-github.ts';
import { type CaseCheck, type CaseEvidence, isInstalled } from './evidence.ts';

/** V5: the delivery log has each lost webhook that the App needs. */
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
  const { fixture } = played;
  const interpretation = interpret({ event: attempt.event, payload: attempt.payload, app: fixture });
  if (interpretation.kind !== 'intent' || receivedKeys.has(attempt.guid)) return false;
  const { intent } = interpretation;
  if (!isInstalled({ played }, intent.pull)) return false;
  const key = contentKey(intent);
  return key === null || !receivedKeys.has(key);
}

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
