import { proposalsBeforeCommit } from '../actions/head-assessment.ts';
import { applyHeadMove } from '../actions/head-moved.ts';
import { endStep, noop, startStep } from '../actions/step-builder.ts';
import { advanceBatch } from '../actions/tool-batch.ts';
import type { Facts } from '../state/facts.ts';
import type { Intent } from '../state/intent.ts';
import type { PullState } from '../state/run.ts';
import type { Step } from '../state/step.ts';

type PushedIntent = Extract<Intent, { kind: 'pushed' }>;

/**
 * Assesses the open proposals at the new head. The App's own pushes are known from the outcome of their commit attempt.
 */
export function onPushed(pull: PullState, intent: PushedIntent, facts: Facts, deliveryId: string): Step {
  if (isAppPush(pull, intent, facts)) return noop(pull, 'app-push');
  if (proposalsBeforeCommit(pull.proposals).length === 0) return noop(pull, 'push-irrelevant');
  const person = { id: intent.actor.id, login: intent.actor.login };
  const head = facts.pullRequest?.headSha ?? intent.after;
  // After a second push, the author of each change is unknown. The App's commits were approved on another pull request.
  const isPusherKnown = intent.after === head && person.id !== facts.app.botId;
  const pusher = isPusherKnown ? ({ person, permission: facts.permission ?? 'none', deliveryId } as const) : null;
  return endStep(advanceBatch(applyHeadMove(startStep(pull), head, facts, pusher), facts.now), 'push-assessed');
}

/**
 * Whether the App made this push for this pull request: it is a commit of the run, or could be that of a commit attempt
 * in flight. Any other push of the App belongs to another pull request with the same branch.
 */
export function isAppPush({ run, proposals }: PullState, { actor, after }: PushedIntent, { app }: Facts): boolean {
  if (actor.id !== app.botId) return false;
  return proposals.some(({ state }) => state === 'executing') || run?.commits.includes(after) === true;
}
