import type { Change } from '../change/change.ts';
import { hintFor } from '../command/hint.ts';
import type { Targets } from '../command/intent.ts';
import type { NotUndone } from './answer.ts';
import { settleBatch, withPosting } from './batch.ts';
import { type Draft, draftOf, finish, withEffects, withPull, withRun } from './draft.ts';
import type { Facts } from './facts.ts';
import { judgeHead } from './judge-head.ts';
import { openProposals } from './open-proposals.ts';
import { isOpen, isPending, type Proposal, UNSEEN } from './proposal.ts';
import { proposalId } from './proposal-id.ts';
import { type Pull, pullKey } from './run.ts';
import { named, reply, type Spoken, settled } from './spoken.ts';
import type { Step } from './step.ts';
import { answered, type Words } from './targets.ts';
import { type ToUndo, workOutUndo } from './work-out-undo.ts';

/** The change that an `/undo` names, by its id or by where the words stand; null where it names none of ours. */
function namedBy(pull: Pull, targets: Targets, words: Omit<Words, 'inline'>): Proposal | null {
  if (targets.by !== 'ids') return answered(pull, words);
  return pull.proposals.find((one) => targets.ids.includes(one.id) && one.comment !== null) ?? null;
}

/** The applied change whose reverse would be worked out now. */
export function toUndo(pull: Pull, targets: Targets, words: Omit<Words, 'inline'>): ToUndo | null {
  const proposal = namedBy(pull, targets, words);
  if (proposal?.state !== 'completed' || proposal.commit === null) return null;
  return waitingUndo(pull, proposal) === null ? { proposal, commit: proposal.commit } : null;
}

function waitingUndo(pull: Pull, { id }: Proposal): Proposal | null {
  return pull.proposals.find((one) => one.origin.kind === 'undo' && one.origin.of === id && isOpen(one)) ?? null;
}

/** `/undo`: puts the exact reverse of an applied change before people, to be decided like every other change. */
export function onUndo(spoken: Spoken, targets: Targets): Step {
  const { pull, words, facts } = spoken;
  const proposal = namedBy(pull, targets, words);
  if (proposal === null) return nothingNamed(spoken, targets);
  const waiting = waitingUndo(pull, proposal);
  if (waiting !== null) return notUndone(spoken, proposal, { kind: 'waits', undo: named(waiting) });
  const found = toUndo(pull, targets, words);
  if (found === null) return reply(spoken, { kind: 'settled', proposals: [settled(proposal)] }, 'already-settled');
  if (facts.pull !== undefined && facts.pull.state !== 'open')
    return reply(spoken, { kind: 'pull-not-open', state: facts.pull.state }, 'pull-not-open');
  const reverse = workOutUndo(pull, found, facts.reverse);
  return reverse.kind === 'change' ? propose(spoken, proposal, reverse.change) : notUndone(spoken, proposal, reverse);
}

function nothingNamed(spoken: Spoken, targets: Targets): Step {
  if (targets.by === 'ids') {
    const pending = spoken.pull.proposals.filter(isPending).map(named);
    return reply(spoken, { kind: 'unknown-ids', ids: targets.ids, pending }, 'unknown-ids');
  }
  const hint = hintFor('undo', 'one-id');
  return reply(spoken, { kind: 'misfit', command: 'undo', word: '', hint }, 'not-a-command');
}

function notUndone(spoken: Spoken, { id }: Proposal, why: NotUndone): Step {
  return reply(spoken, { kind: 'not-undone', of: id, why }, 'not-undone');
}

/** Where nothing else waits, nobody has followed where the pull request stands and goes to. */
function onGround(draft: Draft, { pull }: Facts): Draft {
  if (pull === undefined || openProposals(draft.pull.proposals).length > 0) return draft;
  return withRun(draft, { head: pull.headSha, baseRef: pull.baseRef });
}

/** On the head as it is now; what else waits is judged against it first. */
function propose(spoken: Spoken, undone: Proposal, change: Change): Step {
  const { pull, facts, intent, person } = spoken;
  const head = facts.pull?.headSha ?? '';
  const run = pull.run;
  if (run === null) return reply(spoken, { kind: 'no-run', command: 'undo' }, 'no-run');
  const undo: Proposal = {
    ...UNSEEN,
    id: proposalId(pullKey(pull.ref), pull.proposalCount),
    runId: run.id,
    origin: { kind: 'undo', of: undone.id, by: person, cancelled: null },
    index: 1,
    total: 1,
    modelReason: null,
    change,
    modified: null,
    head,
    requiredApprovals: run.settings.requiredApprovals,
  };
  const judged = judgeHead(onGround(draftOf(pull), facts), head, facts, null);
  const proposals = [...judged.pull.proposals, undo];
  const added = withPull(judged, { proposals, proposalCount: pull.proposalCount + 1 });
  const seen = withEffects(added, { type: 'react', place: intent.place, content: '+1' });
  return finish(settleBatch(withPosting(seen, undo), facts.now), 'undo-proposed');
}
