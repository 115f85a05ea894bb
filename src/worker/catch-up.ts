import { naturalKey } from '../command/natural-key.ts';
import { readListed } from '../command/read-listed.ts';
import { NONE_NAMED } from '../run/named-proposals.ts';
import { goesOn, goesOnSince } from '../run/run.ts';
import { afterWords } from './after-words.ts';
import { DONE, type Job, type Outcome } from './job.ts';

/**
 * Not further back than this (ms): what was heard longer ago than deliveries are kept would count as new. Nothing waits
 * longer for a decision.
 */
export const REACH_MS = 29 * 86_400_000;

/**
 * Stores what people said since then as if its webhooks came now; what was heard already is known by what was said. A
 * review's own text is none of it, because GitHub does not tell whether it was edited.
 */
export async function catchUp(job: Job<'catch-up'>): Promise<Outcome> {
  const { context, stored, effect } = job;
  const { clock, githubs, self, store } = context;
  // A task that is not decided yet may begin what others have stopped meanwhile.
  const words = await job.wordsDue();
  if (words !== null) return afterWords(job, words);
  const pull = await store.load(stored.pullKey, NONE_NAMED);
  // What went on when this was wanted may have ended since: whoever spoke of it is answered none the less.
  const wanted = effect.since ?? goesOnSince(pull);
  if (wanted === null && !goesOn(pull)) return DONE;
  const since = Math.max(wanted === null ? 0 : Date.parse(wanted), clock.now() + githubs.ahead() - REACH_MS);
  const listed = await githubs.for(pull.ref).saidSince(new Date(since).toISOString());
  const heard = listed.flatMap((one) => readListed(pull.ref, one, self) ?? []);
  const deliveries = heard.map(({ id, intent }) => ({ id, intent, naturalKey: naturalKey(intent) }));
  if (deliveries.length > 0) await store.receive(deliveries, clock.now());
  return { kind: 'done', signal: { type: 'caught-up', read: true, expiring: effect.expiring } };
}
