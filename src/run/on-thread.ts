import type { Intent } from '../command/intent.ts';
import { mayCommand, standingOf } from '../policy/roles.ts';
import { settleBatch, withdraw } from './batch.ts';
import { draftOf, finish, ignore, withEffects, withProposal } from './draft.ts';
import type { Facts } from './facts.ts';
import { judgeHead } from './judge-head.ts';
import { isPending, type Proposal } from './proposal.ts';
import type { Pull } from './run.ts';
import type { Signal } from './signal.ts';
import type { Step } from './step.ts';

type ThreadSettled = Extract<Intent, { kind: 'thread' }>;
type Seen = Extract<Signal, { type: 'thread-seen' }>;

/** The proposal that waits in the thread of this first comment. */
export function waitingAt(pull: Pull, rootId: number): Proposal | null {
  return pull.proposals.find((one) => one.comment?.id === rootId && isPending(one)) ?? null;
}

/**
 * Somebody resolved a waiting proposal's thread: it is looked at again after a while, for it is easily done by
 * mistake. Opening it again before that undoes it, whoever does.
 */
export function onThread(pull: Pull, intent: ThreadSettled, facts: Facts): Step {
  const proposal = waitingAt(pull, intent.rootId);
  if (proposal === null) return ignore(pull, 'not-ours');
  if (!intent.resolved) return finish(withProposal(draftOf(pull), { ...proposal, resolved: null }), 'thread-reopened');
  const by = { id: intent.actor.id, login: intent.actor.login };
  const standing = standingOf(facts.permission, by, pull.run?.pullAuthor ?? null);
  if (!facts.served || !mayCommand(standing, 'deny')) return ignore(pull, 'not-allowed');
  const since = facts.now;
  const noted = withProposal(draftOf(pull), { ...proposal, resolved: { by, since } });
  return finish(withEffects(noted, { type: 'see-thread', proposalId: proposal.id, since }), 'thread-resolved');
}

/** Whether this is the look at the thread that the last resolution asked for, and it still stands. */
export function isWithdrawal(pull: Pull, seen: Seen): boolean {
  const proposal = resolvedAt(pull, seen);
  return proposal !== null && seen.resolved;
}

/** The thread is still resolved: what the head holds is completed first, and what still waits is withdrawn. */
export function onThreadSeen(pull: Pull, seen: Seen, facts: Facts): Step {
  const proposal = resolvedAt(pull, seen);
  if (proposal === null) return ignore(pull, 'outdated-outcome');
  if (!seen.resolved) return finish(withProposal(draftOf(pull), { ...proposal, resolved: null }), 'thread-reopened');
  const head = facts.pull?.headSha ?? pull.run?.head ?? '';
  const judged = judgeHead(draftOf(pull), head, facts, null);
  const current = judged.pull.proposals.find((one) => one.id === proposal.id);
  const left = current !== undefined && isPending(current);
  const note = `${proposal.resolved?.by.login ?? 'somebody'} resolved its thread`;
  const gone = left ? withdraw(judged, current, note, facts.now) : judged;
  return finish(settleBatch(gone, facts.now), left ? 'thread-withdrawn' : 'push-judged');
}

function resolvedAt(pull: Pull, { proposalId, since }: Seen): Proposal | null {
  const proposal = pull.proposals.find((one) => one.id === proposalId);
  return proposal !== undefined && isPending(proposal) && proposal.resolved?.since === since ? proposal : null;
}
