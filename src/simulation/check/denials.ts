import type { Intent } from '../../command/intent.ts';
import { isApproval } from '../../policy/approvals.ts';
import { pullKey } from '../../run/run.ts';
import type { Delivery } from '../../store/store.ts';
import type { Check, Evidence, Saved } from './evidence.ts';
import { saidWhileAbsent } from './heard.ts';

/** V4: once the no or the stop of somebody who may say it is stored, no attempt begins to commit what it is about. */
export const denialsHold: Check = (evidence) =>
  evidence.happenings.flatMap((happening, place) => {
    if (happening.kind !== 'received' || happening.receipt !== 'stored') return [];
    if (!couldAlwaysSay(evidence, happening.delivery.intent)) return [];
    return [
      ...deniedBy(evidence, happening.delivery.intent),
      ...stoppedBy(evidence, happening.delivery, place),
    ].flatMap((id) => {
      const begun = attemptAfter(evidence, id, place);
      return begun ? [`V4: an attempt to commit ${id} began after its denial or a stop was stored`] : [];
    });
  });

/** Whether an attempt to commit it began after that place: the first one, or one more. */
function attemptAfter({ saved }: Evidence, id: string, after: number): boolean {
  return saved.some(({ place, saved: one }) => place > after && beginsToCommit(one, id));
}

function beginsToCommit({ signal, step }: Saved, id: string): boolean {
  if (signal.type !== 'commit-starting' || !signal.checks.some(({ proposalId }) => proposalId === id)) return false;
  return step.pull.proposals.some((proposal) => proposal.id === id && proposal.state === 'executing');
}

/** So long commits wait for what GitHub lists of what was said meanwhile, at most. */
const LISTED_MS = 60 * 60_000;

/** V4: nor does one begin against what was said while the App was suspended, once it has heard that it may act again. */
export const absentDenialsHold: Check = (evidence) => {
  const { happenings, saved } = evidence;
  return saidWhileAbsent(evidence).flatMap(({ intent, at, key }) => {
    const back = happenings.findIndex((one) => one.kind === 'told' && one.notice.kind === 'unsuspended' && one.at > at);
    if (back === -1 || !couldAlwaysSay(evidence, intent)) return [];
    const heard = happenings.findIndex((one) => one.kind === 'received' && one.delivery.naturalKey === key);
    const until = (happenings[back]?.at ?? 0) + LISTED_MS;
    const deaf = saved.filter(
      ({ place, saved: one }) => place > back && one.at < until && (heard === -1 || place < heard),
    );
    return deniedBy(evidence, intent)
      .filter((id) => deaf.some((one) => beginsToCommit(one.saved, id)))
      .map(
        (id) => `V4: an attempt to commit ${id} began before ${key} was heard, its denial of while the App was away`,
      );
  });
};

/** V4: once words were put aside that may have been a no, no attempt begins by approvals that were given before. */
export const doubtsHold: Check = ({ saved, votes }) =>
  saved.flatMap(({ place: doubt, saved: { claim, signal, before } }) => {
    if (signal.type !== 'put-aside') return [];
    const later = saved.filter(({ place, saved: one }) => place > doubt && one.claim.pullKey === claim.pullKey);
    return [...before].flatMap(([id, state]) => {
      if (state !== 'approved' && state !== 'executing') return [];
      const begun = later.find(
        ({
          saved: {
            signal: { type },
            step,
          },
        }) =>
          type === 'commit-starting' && step.pull.proposals.some((one) => one.id === id && one.state === 'executing'),
      );
      const anew = votes.some(
        ({ place, vote }) => vote.proposalId === id && isApproval(vote) && place > doubt && place < (begun?.place ?? 0),
      );
      return begun === undefined || anew
        ? []
        : [`V4: an attempt to commit ${id} began after words were put aside, by approvals given before`];
    });
  });

/** What the words name beyond doubt: ids, or the thread that they stand in. */
function deniedBy(evidence: Evidence, intent: Intent): readonly string[] {
  if (intent.kind !== 'said' || intent.utterance.kind !== 'command') return [];
  const { command } = intent.utterance;
  if (command.name !== 'deny') return [];
  if (command.targets.by === 'ids') return command.targets.ids;
  const { place } = intent;
  const here =
    command.targets.by === 'place' && place.at === 'thread' ? evidence.proposalAt.get(place.rootId) : undefined;
  return here === undefined ? [] : [here];
}

/** What stands approved of the run that goes on then, where the words stop it: its task was given before. */
function stoppedBy({ saved }: Evidence, { intent }: Delivery, place: number): readonly string[] {
  if (intent.kind !== 'said' || intent.utterance.kind !== 'command' || intent.utterance.command.name !== 'stop')
    return [];
  const key = pullKey(intent.pull);
  const last = saved.findLast((one) => one.place < place && one.saved.claim.pullKey === key)?.saved.step.pull;
  const run = last?.run ?? null;
  if (last === undefined || run === null || run.phase.kind === 'ended') return [];
  if (Date.parse(run.task.askedAt) > Date.parse(intent.createdAt)) return [];
  return last.proposals.filter(({ runId, origin }) => runId === run.id && origin.kind === 'call').map(({ id }) => id);
}

/** The author, of this pull request alone, or who could write all the time. */
function couldAlwaysSay({ happenings, played: { scene } }: Evidence, { actor, pull }: Intent): boolean {
  const { id: accountId } = actor;
  if (accountId === scene.people.carl && pull.number === scene.ref.number) return true;
  const ofThem = happenings.filter((happening) => happening.kind === 'permission' && happening.accountId === accountId);
  return ofThem.length > 0 && ofThem.every((happening) => happening.kind === 'permission' && happening.writes);
}
