import type { InterpretedDelivery } from '../../../src/adapters/store/store.ts';
import type { Intent } from '../../../src/core/state/intent.ts';
import { isApprovalVote } from '../../../src/core/state/proposal.ts';
import { pullRequestKey } from '../../../src/core/state/run.ts';
import type { CaseCheck, CaseEvidence, SavedStep } from './evidence.ts';
import { postedWhileSuspended } from './lost-webhooks.ts';

/** V4: once the no or the stop of somebody who may say it is stored, no attempt begins to commit what it is about. */
export const denialsHold: CaseCheck = (evidence) =>
  evidence.events.flatMap((event, place) => {
    if (event.kind !== 'received' || event.receipt !== 'stored') return [];
    if (!couldAlwaysDeny(evidence, event.delivery.intent)) return [];
    return [
      ...proposalsDenied(evidence, event.delivery.intent),
      ...proposalsStopped(evidence, event.delivery, place),
    ].flatMap((id) => {
      const begun = hasAttemptAfter(evidence, id, place);
      return begun ? [`V4: an attempt to commit ${id} began after its denial or a stop was stored`] : [];
    });
  });

/** Whether an attempt to commit it began after that place: the first one, or one more. */
function hasAttemptAfter({ saved }: CaseEvidence, id: string, after: number): boolean {
  return saved.some(({ place, saved: one }) => place > after && startsCommit(one, id));
}

function startsCommit({ signal, step }: SavedStep, id: string): boolean {
  if (signal.type !== 'commit-preflight' || !signal.checks.some(({ proposalId }) => proposalId === id)) return false;
  return step.pull.proposals.some((proposal) => proposal.id === id && proposal.state === 'executing');
}

/** So long commits wait for what GitHub lists of what was said meanwhile, at most. */
const CATCH_UP_LIMIT_MS = 60 * 60_000;

/** V4: nor does one begin against what was said while the App was suspended, once it has heard that it may act again. */
export const denialsDuringSuspensionHold: CaseCheck = (evidence) => {
  const { events, saved } = evidence;
  return postedWhileSuspended(evidence).flatMap(({ intent, at, key }) => {
    const back = events.findIndex(
      (one) => one.kind === 'installation-event-received' && one.notice.kind === 'unsuspended' && one.at > at,
    );
    if (back === -1 || !couldAlwaysDeny(evidence, intent)) return [];
    const heard = events.findIndex((one) => one.kind === 'received' && one.delivery.contentKey === key);
    const until = (events[back]?.at ?? 0) + CATCH_UP_LIMIT_MS;
    const deaf = saved.filter(
      ({ place, saved: one }) => place > back && one.at < until && (heard === -1 || place < heard),
    );
    return proposalsDenied(evidence, intent)
      .filter((id) => deaf.some((one) => startsCommit(one.saved, id)))
      .map(
        (id) => `V4: an attempt to commit ${id} began before ${key} was heard, its denial of while the App was away`,
      );
  });
};

/** V4: once words were put aside that may have been a no, no attempt begins by approvals that were given before. */
export const deadLettersSuspendApprovals: CaseCheck = ({ saved, votes }) =>
  saved.flatMap(({ place: doubt, saved: { claim, signal, before } }) => {
    if (signal.type !== 'dead-lettered') return [];
    const later = saved.filter(
      ({ place, saved: one }) => place > doubt && one.claim.pullRequestKey === claim.pullRequestKey,
    );
    return [...before].flatMap(([id, state]) => {
      if (state !== 'approved' && state !== 'executing') return [];
      const begun = later.find(
        ({
          saved: {
            signal: { type },
            step,
          },
        }) =>
          type === 'commit-preflight' && step.pull.proposals.some((one) => one.id === id && one.state === 'executing'),
      );
      const anew = votes.some(
        ({ place, vote }) =>
          vote.proposalId === id && isApprovalVote(vote) && place > doubt && place < (begun?.place ?? 0),
      );
      return begun === undefined || anew
        ? []
        : [`V4: an attempt to commit ${id} began after words were put aside, by approvals given before`];
    });
  });

/** What the words name beyond doubt: ids, or the thread that they stand in. */
function proposalsDenied(evidence: CaseEvidence, intent: Intent): readonly string[] {
  if (intent.kind !== 'comment' || intent.parsed.kind !== 'command') return [];
  const { command } = intent.parsed;
  if (command.name !== 'deny') return [];
  if (command.targets.by === 'ids') return command.targets.ids;
  const { location } = intent;
  const here =
    command.targets.by === 'location' && location.at === 'thread'
      ? evidence.proposalAt.get(location.rootId)
      : undefined;
  return here === undefined ? [] : [here];
}

/** What stands approved of the run that goes on then, where the words stop it: its task was given before. */
function proposalsStopped({ saved }: CaseEvidence, { intent }: InterpretedDelivery, place: number): readonly string[] {
  if (intent.kind !== 'comment' || intent.parsed.kind !== 'command' || intent.parsed.command.name !== 'stop') return [];
  const key = pullRequestKey(intent.pull);
  const last = saved.findLast((one) => one.place < place && one.saved.claim.pullRequestKey === key)?.saved.step.pull;
  const run = last?.run ?? null;
  if (last === undefined || run === null || run.phase.kind === 'ended') return [];
  if (Date.parse(run.task.requestedAt) > Date.parse(intent.createdAt)) return [];
  return last.proposals.filter(({ runId, origin }) => runId === run.id && origin.kind === 'call').map(({ id }) => id);
}

/** The author, of this pull request alone, or who could write all the time. */
function couldAlwaysDeny({ events, played: { fixture } }: CaseEvidence, { actor, pull }: Intent): boolean {
  const { id: accountId } = actor;
  if (accountId === fixture.people.carl && pull.number === fixture.ref.number) return true;
  const ofThem = events.filter((event) => event.kind === 'permission' && event.accountId === accountId);
  return ofThem.length > 0 && ofThem.every((event) => event.kind === 'permission' && event.writes);
}
