import { NONE_NAMED } from '../run/named-proposals.ts';
import { isPending } from '../run/proposal.ts';
import { afterWords } from './after-words.ts';
import { DONE, type Job, type Outcome } from './job.ts';

/** Tells that a deadline has come, by GitHub's clock; ours may go wrong while it is waited for. */
export async function seeDeadline({ context, stored, effect }: Job<'see-deadline'>): Promise<Outcome> {
  const { clock, githubs, store } = context;
  const left = Date.parse(effect.at) - (clock.now() + githubs.ahead());
  if (left > 0) return { kind: 'again', at: clock.now() + left, error: 'by the clock of GitHub it is not time yet' };
  const pull = await store.load(stored.pullKey, NONE_NAMED);
  return pull.proposals.some(isPending) ? { kind: 'done', signal: { type: 'deadline-reached' } } : DONE;
}

/** Lets expire what nobody decided in time, once everything is decided that is known to have been said. */
export async function expire(job: Job): Promise<Outcome> {
  const words = await job.wordsDue();
  if (words === null && (await job.decideNow({ type: 'expiring' })) !== null) return DONE;
  return afterWords(job, words);
}
