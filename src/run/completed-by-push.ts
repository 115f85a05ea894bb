import { maySign } from '../policy/roles.ts';
import { applied } from './applied.ts';
import { doubtAbout, missingBeside, rulesNow } from './approvals.ts';
import { answerProposal, showing } from './batch.ts';
import { type Draft, withProposal, withVote } from './draft.ts';
import type { Facts } from './facts.ts';
import type { Permission, Person, Proposal } from './proposal.ts';
import type { Run } from './run.ts';
import { moved } from './transition.ts';

/** Who pushed, and by which delivery we know. */
export type Pusher = { readonly person: Person; readonly permission: Permission; readonly deliveryId: string };

/** The head that holds it, what was read there, and who pushed it, if that is known. */
export type Pushed = { readonly head: string; readonly facts: Facts; readonly pusher: Pusher | null };

/** The push carries the change: that person's approval and its execution in one. */
export function completeByPush(draft: Draft, proposal: Proposal, { head, facts, pusher }: Pushed): Draft {
  const voted = pusher === null ? draft : withVote(draft, commitVote(proposal, pusher, facts.now));
  const current = voted.pull.proposals.find((one) => one.id === proposal.id) ?? proposal;
  const done = withProposal(voted, {
    ...moved(current, 'completed', facts.now),
    commit: head,
    note: byPush(pusher, current, draft.pull.run, facts),
  });
  return showing(answerProposal(done, proposal, applied(current)), proposal);
}

function commitVote(proposal: Proposal, pusher: Pusher, now: string): Parameters<typeof withVote>[1] {
  return {
    proposalId: proposal.id,
    digest: proposal.change.digest,
    action: 'commit',
    by: pusher.person,
    permission: pusher.permission,
    surface: 'push',
    commentId: null,
    bodyHash: null,
    deliveryId: pusher.deliveryId,
    head: proposal.head,
    at: now,
    text: null,
  };
}

/** The vote says who pushed; what must be added is that he may not approve it alone, or that nobody knows who it was. */
function byPush(pusher: Pusher | null, proposal: Proposal, run: Run | null, facts: Facts): string | null {
  if (pusher === null) return 'found in a push';
  const { person, permission } = pusher;
  const now = rulesNow(facts.settings, run);
  const barred =
    !maySign(permission) || (now.kind === 'rules' && doubtAbout(person, permission, proposal, now.rules) !== null);
  if (barred) return `not an approval: ${person.login} may not approve here`;
  if (now.kind !== 'rules') return 'not an approval: the settings of the repository cannot be read';
  return missingBeside(person, proposal, now.rules) > 0
    ? `not an approval: ${person.login} may not approve here alone`
    : null;
}
