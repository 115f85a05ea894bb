import { isApproval } from '../../policy/approvals.ts';
import { pullKey } from '../../run/run.ts';
import type { Delivery } from '../../store/store.ts';
import type { Check, Evidence } from './evidence.ts';

/** V4: once the no or the stop of somebody who may say it is stored, no attempt begins to commit what it is about. */
export const denialsHold: Check = (evidence) =>
  evidence.happenings.flatMap((happening, place) => {
    if (happening.kind !== 'received' || happening.receipt !== 'stored') return [];
    if (!couldAlwaysSay(evidence, happening.delivery.intent)) return [];
    return [...deniedBy(evidence, happening.delivery), ...stoppedBy(evidence, happening.delivery, place)].flatMap(
      (id) => {
        const begun = evidence.saved.find(
          (one) =>
            one.place > place &&
            one.saved.signal.type === 'commit-starting' &&
            one.saved.before.get(id) === 'approved' &&
            one.saved.step.pull.proposals.some((proposal) => proposal.id === id && proposal.state === 'executing'),
        );
        return begun === undefined
          ? []
          : [`V4: an attempt to commit ${id} began after its denial or a stop was stored`];
      },
    );
  });

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
function deniedBy(evidence: Evidence, { intent }: Delivery): readonly string[] {
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
function couldAlwaysSay({ happenings, played: { scene } }: Evidence, { actor, pull }: Delivery['intent']): boolean {
  const { id: accountId } = actor;
  if (accountId === scene.people.carl && pull.number === scene.ref.number) return true;
  const ofThem = happenings.filter((happening) => happening.kind === 'permission' && happening.accountId === accountId);
  return ofThem.length > 0 && ofThem.every((happening) => happening.kind === 'permission' && happening.writes);
}
