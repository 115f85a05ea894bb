import { withNote } from '../actions/agent-notes.ts';
import { followHead } from '../actions/check-wait.ts';
import { cancelUndos, dropQueue, endRun } from '../actions/end-run.ts';
import { proposalsBeforeCommit } from '../actions/head-assessment.ts';
import { applyBase, applyHeadMove, creditPusher, type Pusher } from '../actions/head-moved.ts';
import {
  endStep,
  noop,
  type StepBuilder,
  startStep,
  withEffects,
  withPullState,
  withRun,
  withTransition,
} from '../actions/step-builder.ts';
import { advanceBatch, isBatchComplete } from '../actions/tool-batch.ts';
import { pullNotOpen } from '../messages/replies.ts';
import type { IntentOf } from '../state/intent.ts';
import { type Proposal, transition } from '../state/proposal.ts';
import { activeRun, hasActiveWork, type PullState } from '../state/pull-state.ts';
import type { Person } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import type { SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

/**
 * Assesses the open proposals at the new head. The App's own pushes are known from the outcome of their commit attempt.
 */
export function onPushed(pull: PullState, intent: IntentOf<'pushed'>, facts: Facts, deliveryId: string): Step {
  const builder = followHead(startStep(pull), intent.after, facts.now);
  if (isAppPush(pull, intent, facts)) return endStep(builder, 'app-push');
  const pusher = pusherOf(intent, facts, deliveryId);
  const credit = (step: StepBuilder): StepBuilder =>
    pusher === null ? step : creditPusher(step, intent.after, facts, pusher);
  if (proposalsBeforeCommit(pull.proposals).length === 0)
    return endStep(requestPushContent(credit(builder), intent), 'push-assessed');
  const head = facts.pullRequest?.headSha ?? intent.after;
  // After a second push, only what this one brought is its pusher's.
  const moved = credit(applyHeadMove(builder, head, facts, intent.after === head ? pusher : null));
  const isOnlyOurChange = moved.pull.run?.commits.includes(intent.after) === true;
  return endStep(advanceBatch(isOnlyOurChange ? moved : requestPushContent(moved, intent), facts.now), 'push-assessed');
}

/** Null for the App: its commits were approved on another pull request. */
function pusherOf(
  { actor: person }: IntentOf<'pushed'>,
  { app, permission = 'none' }: Facts,
  deliveryId: string,
): Pusher | null {
  return person.id === app.botId ? null : { person, permission, deliveryId };
}

/** The agent hears of what others push during its run, and gets no results before. */
function requestPushContent(builder: StepBuilder, { actor: by, before, after }: IntentOf<'pushed'>): StepBuilder {
  const run = activeRun(builder.pull);
  if (run === null) return builder;
  const awaited = withRun(builder, { unreadPushes: [...run.unreadPushes, after] });
  return withEffects(awaited, { type: 'read-push', runId: run.id, by, before, after });
}

/** Keeps what another person pushed for the next request to the model, which results can have waited for. */
export function onPushRead(pull: PullState, signal: SignalOf<'push-read'>, { now }: Facts): Step {
  const { runId, by, before, after, content } = signal;
  const run = activeRun(pull);
  if (run?.id !== runId) return noop(pull, 'outdated-result');
  const note = { kind: 'push', by, before, after, content } as const;
  const unreadPushes = run.unreadPushes.filter((sha) => sha !== after);
  const noted = withRun(withNote(startStep(pull), note), { unreadPushes });
  const isAwaited = run.batch !== null && isBatchComplete(run.batch);
  return endStep(isAwaited ? advanceBatch(noted, now) : noted, 'push-read');
}

/**
 * Whether the App made this push for this pull request: it is a commit of this run or an earlier one, or could be that
 * of a commit attempt in flight. Any other push of the App belongs to another pull request with the same branch.
 */
export function isAppPush(
  { run, proposals }: PullState,
  { actor, after }: IntentOf<'pushed'>,
  { app }: Facts,
): boolean {
  if (actor.id !== app.botId) return false;
  if (proposals.some(({ state }) => state === 'executing')) return true;
  return run !== null && (run.commits.includes(after) || run.assessed.headSha === after);
}

/**
 * Ends everything on a pull request that was read and found closed: its webhook is late or lost. What the step does
 * otherwise, such as its reply, stays.
 */
export function thenClose(step: Step, { pullRequest, now }: Facts): Step {
  if (pullRequest === undefined || pullRequest.state === 'open' || step.deferred || !hasActiveWork(step.pull))
    return step;
  const closed = endEverything(step.pull, pullRequest.state, null, now);
  return {
    ...step,
    pull: closed.pull,
    effects: [...step.effects, ...closed.effects],
    messages: [...step.messages, ...closed.messages],
  };
}

/** Withdraws proposals for the previous base. The run continues. */
export function onRetargeted(pull: PullState, { to }: IntentOf<'retargeted'>, { now }: Facts): Step {
  const applied = applyBase(startStep(pull), to, now);
  return endStep(applied.pull === pull ? applied : advanceBatch(applied, now), 'retargeted');
}

/** Ends the run of a closed or merged pull request, unless it is open again by now. */
export function onClosed(pull: PullState, { actor: by, merged }: IntentOf<'closed'>, facts: Facts): Step {
  // They end at the close, also if the pull request is open again by now.
  if (facts.pullRequest?.state === 'open') return endStep(withoutStandingApprovals(startStep(pull)), 'outdated-result');
  return endStep(endEverything(pull, merged ? 'merged' : 'closed', by, facts.now), 'pull-closed');
}

/** `by` is null if the webhook was lost. */
function endEverything(pull: PullState, reason: 'closed' | 'merged', by: Person | null, now: string): StepBuilder {
  const ended = withoutStandingApprovals(endRun(startStep(pull), { reason, by, note: null }, now));
  return dropQueue(cancelUndos(ended, reason, now), pullNotOpen(reason));
}

/** Ends everything on a pull request that an effect found closed. It wrote nothing. */
export function onFoundClosed(pull: PullState, { state, proposalIds }: SignalOf<'found-closed'>, { now }: Facts): Step {
  const ended = endEverything(pull, state, null, now);
  // Another attempt might have committed the others.
  const executing = ended.pull.proposals.filter((one) => one.state === 'executing' && proposalIds.includes(one.id));
  const note = `the pull request was ${state} before the commit`;
  const failed = executing.reduce((builder, one) => withTransition(builder, one, 'failed', now, note), ended);
  return endStep(failed, 'pull-closed');
}

/** Without a reply: what happened to the pull request says it. */
function withoutStandingApprovals(builder: StepBuilder): StepBuilder {
  return withPullState(builder, { standingApprovals: [] });
}

/** Ends everything without a reply, because the App can no longer write one. */
export function onAccessLost(pull: PullState, { cause }: SignalOf<'access-lost'>, facts: Facts): Step {
  const withoutUndos = cancelUndos(startStep(pull), 'access-lost', facts.now);
  const ended = endRun(withoutUndos, { reason: 'access-lost', by: null, note: cause }, facts.now);
  const proposals = ended.pull.proposals.map((one) => failIfExecuting(one, facts.now));
  // The effect that answers the first question is dropped too, so questions that stay would block all later ones.
  const cleared = withPullState(ended, { proposals, queue: [], sideQuestions: [], standingApprovals: [] });
  return { ...endStep(cleared, 'access-lost'), cancelsPendingWork: true };
}

export const OUTCOME_UNKNOWN_NOTE =
  'Countersign lost access to the repository and cannot see whether this was committed';

const UNVERIFIED_NOTE = 'Countersign lost access to the repository before it could verify the commit';

function failIfExecuting(proposal: Proposal, now: string): Proposal {
  if (proposal.state !== 'executing') return proposal;
  const note = proposal.commitSha === null ? OUTCOME_UNKNOWN_NOTE : UNVERIFIED_NOTE;
  return { ...transition(proposal, 'failed', now), note };
}
