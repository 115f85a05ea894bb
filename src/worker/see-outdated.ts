import { NONE_NAMED } from '../run/named-proposals.ts';
import { isPending } from '../run/proposal.ts';
import { DONE, type Job, type Outcome } from './job.ts';

/** Looks which of a run's waiting suggestion blocks stand in threads that GitHub has put out of date. */
export async function seeOutdated({ context, stored, effect }: Job<'see-outdated'>): Promise<Outcome> {
  const pull = await context.store.load(stored.pullKey, NONE_NAMED);
  const { runId } = effect;
  const waiting = pull.proposals.filter((one) => one.runId === runId && isPending(one));
  const blocks = waiting.filter(({ placement }) => placement?.kind === 'suggestion');
  if (blocks.length === 0) return DONE;
  const outdated = await context.githubs.for(pull.ref).outdatedThreads();
  const proposalIds = blocks.flatMap(({ id, comment }) => (outdated.includes(comment?.nodeId ?? '') ? [id] : []));
  return proposalIds.length === 0 ? DONE : { kind: 'done', signal: { type: 'threads-outdated', runId, proposalIds } };
}
