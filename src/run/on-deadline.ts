import { settleBatch, showing, withCallOf } from './batch.ts';
import { type Draft, draftOf, finish, ignore, withAnswer, withEffects, withProposal } from './draft.ts';
import { deadlineOf, dueAt, withTimer } from './expiry.ts';
import type { Facts } from './facts.ts';
import type { Person, Proposal } from './proposal.ts';
import type { Pull, Run } from './run.ts';
import { named } from './spoken.ts';
import type { Step } from './step.ts';
import { moved } from './transition.ts';

/** What waits is told of once when most of its time is over. What has waited long enough expires after all that was said before. */
export function onDeadline(pull: Pull, { now }: Facts): Step {
  const { reminding, expiring } = dueAt(pull, now);
  const told = withTimer(remind(draftOf(pull), reminding), now);
  if (expiring.length > 0) {
    const [since = now] = expiring.flatMap(({ proposedAt }) => proposedAt ?? []).toSorted();
    return finish(withEffects(told, { type: 'catch-up', since, expiring: true }), 'deadline-reached');
  }
  return finish(told, reminding.length > 0 ? 'reminded' : 'outdated-outcome');
}

/** Nobody decided in time: no denial, and the model hears nothing. A run that waits for nothing else ends. */
export function onExpiring(pull: Pull, { now }: Facts): Step {
  const { expiring } = dueAt(pull, now);
  if (expiring.length === 0) return ignore(pull, 'outdated-outcome');
  const gone = expiring.reduce((draft, one) => expire(draft, one, now), draftOf(pull));
  return finish(settleBatch(gone, now), 'expired');
}

function expire(draft: Draft, proposal: Proposal, now: string): Draft {
  const { id, origin } = proposal;
  const note = origin.kind === 'undo' ? `To ask for it again, write /undo ${origin.of}` : null;
  const gone = withProposal(draft, { ...moved(proposal, 'expired', now), note });
  return showing(withCallOf(gone, proposal, { kind: 'expired', proposalId: id }), proposal);
}

function remind(draft: Draft, proposals: readonly Proposal[]): Draft {
  if (proposals.length === 0) return draft;
  const marked = proposals.reduce((next, one) => withProposal(next, { ...one, reminded: true }), draft);
  const people = proposals.flatMap((one) => askerOf(one, draft.pull.run) ?? []);
  const asked = [...new Map(people.map((person) => [person.id, person])).values()];
  const [expiresAt = ''] = proposals.flatMap((one) => deadlineOf(one, draft.pull.run) ?? []).toSorted();
  const answer = { kind: 'reminder', people: asked, proposals: proposals.map(named), expiresAt } as const;
  return withAnswer(marked, { at: 'pull' }, answer);
}

/** Who gave the task, or asked for the undo. */
function askerOf({ origin }: Proposal, run: Run | null): Person | null {
  return origin.kind === 'undo' ? origin.by : (run?.task.by ?? null);
}
