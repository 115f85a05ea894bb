import type { Intent } from '../command/intent.ts';
import { maySign } from '../policy/roles.ts';
import { settleBatch } from './batch.ts';
import { draftOf, finish, ignore, withAnswer, withPull } from './draft.ts';
import { endRun } from './end-run.ts';
import type { Facts } from './facts.ts';
import { judgeHead, openProposals } from './judge-head.ts';
import { activeRun, type Pull } from './run.ts';
import type { Step } from './step.ts';

type Pushed = Extract<Intent, { kind: 'pushed' }>;
type Closed = Extract<Intent, { kind: 'closed' }>;
type Edited = Extract<Intent, { kind: 'edited' }>;

/** The head branch moved. Our own pushes are known from their outcome, everybody else's by content. */
export function onPushed(pull: Pull, intent: Pushed, deliveryId: string, facts: Facts): Step {
  if (intent.actor.id === facts.self.botId) return ignore(pull, 'own-push');
  const run = activeRun(pull);
  if (run === null || openProposals(pull.proposals).length === 0) return ignore(pull, 'push-irrelevant');
  const person = { id: intent.actor.id, login: intent.actor.login };
  const pusher = { person, permission: facts.permission ?? 'none', deliveryId } as const;
  return finish(settleBatch(judgeHead(draftOf(pull), facts, pusher), facts.now), 'push-judged');
}

/** Closed or merged: everything that waits is cancelled, the queue is dropped. */
export function onClosed(pull: Pull, intent: Closed, facts: Facts): Step {
  const by = { id: intent.actor.id, login: intent.actor.login };
  const over = endRun(draftOf(pull), { how: intent.merged ? 'merged' : 'closed', by, note: null }, facts.now);
  return finish(withPull(over, { queue: [] }), 'pull-closed');
}

/** Words that were edited into a command decide nothing; who may decide is told so once. */
export function onEdited(pull: Pull, intent: Edited, facts: Facts): Step {
  if (pull.run === null || !facts.served || !maySign(facts.permission)) return ignore(pull, 'edited-comment');
  const { place } = intent;
  const id = place.at === 'review' ? `review:${place.reviewId}` : `comment:${place.commentId}`;
  return finish(withAnswer(draftOf(pull), place, { kind: 'edited-comment' }, `edited:${id}`), 'edited-comment');
}
