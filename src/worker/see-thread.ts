import { isPending } from '../run/proposal.ts';
import { DONE, type Job, type Outcome } from './job.ts';

/** Looks whether the thread that somebody resolved a while ago still is. */
export async function seeThread({ context, stored, effect }: Job<'see-thread'>): Promise<Outcome> {
  const { proposalId, since } = effect;
  const pull = await context.store.load(stored.pullKey, { ids: [proposalId], commentId: null });
  const proposal = pull.proposals.find((one) => one.id === proposalId);
  if (proposal === undefined || !isPending(proposal) || proposal.comment === null) return DONE;
  if (proposal.resolved?.since !== since) return DONE;
  const resolved = await context.githubs.for(pull.ref).isResolved(proposal.comment);
  return { kind: 'done', signal: { type: 'thread-seen', proposalId, since, resolved } };
}
