import type { Intent } from '../command/intent.ts';
import { maySign } from '../policy/roles.ts';
import { settleBatch } from './batch.ts';
import { wouldBeRead } from './bearing.ts';
import { type Draft, draftOf, finish, ignore, withAnswer, withPull } from './draft.ts';
import { cancelUndos, endRun } from './end-run.ts';
import type { Facts } from './facts.ts';
import { judgeHead } from './judge-head.ts';
import { openProposals } from './open-proposals.ts';
import type { Person, Proposal } from './proposal.ts';
import type { Pull } from './run.ts';
import type { Signal } from './signal.ts';
import type { Step } from './step.ts';
import { moved } from './transition.ts';

/** Somebody moved the head branch. */
export type Pushed = Extract<Intent, { kind: 'pushed' }>;
type Closed = Extract<Intent, { kind: 'closed' }>;
type AccessLost = Extract<Signal, { type: 'access-lost' }>;
type Edited = Extract<Intent, { kind: 'edited' }>;

/**
 * Whether the App made this push for this pull request: known from the attempt's outcome, or, while one is under way,
 * left to it. Any other push of the App came through another pull request with the same branch.
 */
export function isOwnPush(pull: Pull, intent: Pushed, { self }: Facts): boolean {
  if (intent.actor.id !== self.botId) return false;
  const underWay = pull.proposals.some((proposal) => proposal.state === 'executing');
  return underWay || pull.run?.commits.includes(intent.after) === true;
}

/** The head branch moved. Our own pushes are known from their outcome, all others by content. */
export function onPushed(pull: Pull, intent: Pushed, deliveryId: string, facts: Facts): Step {
  if (isOwnPush(pull, intent, facts)) return ignore(pull, 'own-push');
  if (openProposals(pull.proposals).length === 0) return ignore(pull, 'push-irrelevant');
  const person = { id: intent.actor.id, login: intent.actor.login };
  const head = facts.pull?.headSha ?? intent.after;
  // Where another push came on top it is not known who made which part of what the head holds now. The App is nobody
  // who approves: what it commits for one pull request was approved there alone.
  const alone = intent.after === head && person.id !== facts.self.botId;
  const pusher = alone ? ({ person, permission: facts.permission ?? 'none', deliveryId } as const) : null;
  return finish(settleBatch(judgeHead(draftOf(pull), head, facts, pusher), facts.now), 'push-judged');
}

/** Closed or merged: everything that waits is cancelled, the queue is dropped. One that is open again is left alone. */
export function onClosed(pull: Pull, intent: Closed, facts: Facts): Step {
  if (facts.pull?.state === 'open') return ignore(pull, 'open-again');
  const by = { id: intent.actor.id, login: intent.actor.login };
  return finish(closeDown(pull, intent.merged ? 'merged' : 'closed', by, facts.now), 'pull-closed');
}

/** Ends everything on a pull request that is over; `by` is null where nobody told who did that. */
export function closeDown(pull: Pull, how: 'closed' | 'merged', by: Person | null, now: string): Draft {
  return dropQueue(cancelUndos(endRun(draftOf(pull), { how, by, note: null }, now), how, now), how);
}

/** Tells each task that still waits why it will not begin. */
export function dropQueue(draft: Draft, state: 'closed' | 'merged'): Draft {
  const told = draft.pull.queue.reduce(
    (next, task) => withAnswer(next, task.place, { kind: 'pull-not-open', state }),
    draft,
  );
  return withPull(told, { queue: [] });
}

/** Words that were edited into a command decide nothing; who may decide is told so once. */
export function onEdited(pull: Pull, intent: Edited, facts: Facts): Step {
  if (!wouldBeRead(pull, intent.utterance) || !facts.served || !maySign(facts.permission))
    return ignore(pull, 'edited-comment');
  const { place } = intent;
  const id = place.at === 'review' ? `review:${place.reviewId}` : `comment:${place.commentId}`;
  return finish(withAnswer(draftOf(pull), place, { kind: 'edited-comment' }, `edited:${id}`), 'edited-comment');
}

/**
 * What GitHub no longer lets us see or write is over, without a word: nothing could be said there. What became of a commit
 * that was under way nobody tells us any more, unless its answer is on its way.
 */
export function onAccessLost(pull: Pull, signal: AccessLost, facts: Facts): Step {
  const alone = cancelUndos(draftOf(pull), 'access-lost', facts.now);
  const ended = endRun(alone, { how: 'access-lost', by: null, note: signal.loss }, facts.now);
  // With the effects goes the one that puts the first question to the model, and nothing would ever put it again.
  const settled = withPull(ended, { proposals: ended.pull.proposals.map((one) => unseen(one, facts.now)) });
  const over = withPull({ ...settled, effects: [] }, { queue: [], questions: [] });
  return { ...finish(over, 'access-lost'), dropsRest: true };
}

const UNSEEN = 'Countersign lost its access to the repository, and cannot see whether this was committed';
const UNREAD = 'Countersign lost its access to the repository before it could read back what was committed';

function unseen(proposal: Proposal, now: string): Proposal {
  if (proposal.state !== 'executing') return proposal;
  return { ...moved(proposal, 'failed', now), note: proposal.commit === null ? UNSEEN : UNREAD };
}
