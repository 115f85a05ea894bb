import { firstOf, formatList, pluralize, shortSha } from '../../lib/format.ts';
import {
  type AwaitingChecks,
  CHECKS_BEGIN_MS,
  type CheckHistory,
  type ChecksLook,
  judgeChecks,
  MAX_CHECK_ROUNDS,
  MOST_CHECKS_BEGIN_MS,
  namesOf,
} from '../state/checks.ts';
import { NO_IDLE_RESPONSES } from '../state/limits.ts';
import { isOpen } from '../state/proposal.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { Facts } from '../step/facts.ts';
import type { SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';
import { endRun } from './end-run.ts';
import { renewCheckRounds, startNextTurn, withCheckHistory } from './next-turn.ts';
import { appendMessages, endStep, noop, type StepBuilder, startStep, withEffects, withRun } from './step-builder.ts';
import { deliverNotes } from './tool-batch.ts';

/** The wait of the run; null unless it waits for checks. */
export function checkWaitOf(pull: PullState): AwaitingChecks | null {
  const phase = activeRun(pull)?.phase;
  return phase?.kind === 'awaiting-checks' ? phase : null;
}

/**
 * Waits for the checks of the run's newest commit in place of its end; null if there is nothing to wait for. A queued
 * task goes first, and the model hears of a commit's failures once.
 */
export function waitForChecks(builder: StepBuilder, now: string): StepBuilder | null {
  const { run, queue, proposals } = builder.pull;
  const commit = run?.commits.at(-1);
  const history = run?.branch.checks ?? null;
  const minutes = run?.settings.checkWaitMinutes ?? null;
  if (commit === undefined || history === null || minutes === null || history.told === commit) return null;
  if (queue.length > 0 || proposals.some(isOpen)) return null;
  const madeAt = proposals.flatMap((one) => (one.commitSha === commit ? Date.parse(one.decidedAt ?? now) : []));
  const begunAt = Math.max(...madeAt, Number.NEGATIVE_INFINITY);
  const first = Number.isFinite(begunAt) ? begunAt + CHECKS_BEGIN_MS : Date.parse(now) + CHECKS_BEGIN_MS;
  const until = Date.parse(now) + minutes * 60_000;
  const lookAt = new Date(Math.min(Math.max(first, Date.parse(now)), until)).toISOString();
  const wait = { kind: 'awaiting-checks', commit, head: commit, seen: null } as const;
  return awaitLook(builder, { ...wait, until: new Date(until).toISOString(), beginUntil: lookAt, lookAt }, now);
}

/** Waits for the look that the phase names. The run comment shows how many checks run. */
function awaitLook(builder: StepBuilder, phase: AwaitingChecks, now: string): StepBuilder {
  const { run } = builder.pull;
  const before = checkWaitOf(builder.pull);
  const looking = requestLook(withRun(builder, { phase }), phase.lookAt, now);
  if (run === null || (before !== null && before.seen?.shown === phase.seen?.shown)) return looking;
  return withEffects(looking, { type: 'update-run-comment', runId: run.id, progress: true });
}

function requestLook(builder: StepBuilder, at: string, requestedAt: string): StepBuilder {
  return withEffects(builder, { type: 'read-checks', runId: builder.pull.run?.id ?? '', at, requestedAt });
}

/** Waits for a head above the run's commit: its checks begin anew. The look asks GitHub which head it is. */
export function followHead(builder: StepBuilder, head: string, now: string): StepBuilder {
  const wait = checkWaitOf(builder.pull);
  if (wait === null || wait.head === head) return builder;
  const lookAt = earlier(wait.until, new Date(Date.parse(now) + CHECKS_BEGIN_MS).toISOString());
  return awaitLook(builder, { ...wait, head, beginUntil: lookAt, lookAt, seen: null }, now);
}

function earlier(one: string, other: string): string {
  return Date.parse(one) <= Date.parse(other) ? one : other;
}

/** People's words end the wait: the model reads them at once. Another run goes on as before. */
export function answerInsteadOfWaiting(builder: StepBuilder, now: string): StepBuilder {
  if (checkWaitOf(builder.pull) === null) return builder;
  const renewed = withRun(renewCheckRounds(builder), { idleResponses: NO_IDLE_RESPONSES });
  return startNextTurn(deliverNotes(renewed), now);
}

/** Ends a run that waits for checks, as it would have ended without them. Another run stays as it is. */
export function endInsteadOfWaiting(builder: StepBuilder, now: string, note: string | null = null): StepBuilder {
  if (checkWaitOf(builder.pull) === null) return builder;
  return endRun(builder, { reason: 'finished', by: null, note }, now);
}

type Report = SignalOf<'checks-changed'>;

/**
 * GitHub reported that something is completed. That is a hint: once all that ran at the last look is reported, GitHub is
 * asked. Before the first look only a failure matters, and only one: the agent can begin with the fix.
 */
export function onChecksChanged(pull: PullState, report: Report, { now }: Facts): Step {
  const wait = checkWaitOf(pull);
  const isOther = report.head !== null && report.head !== wait?.head;
  const phase = wait === null || isOther ? null : afterReport(wait, report, now);
  if (phase === null) return noop(pull, 'outdated-result');
  const noted = withRun(startStep(pull), { phase });
  return endStep(phase.lookAt === wait?.lookAt ? noted : requestLook(noted, phase.lookAt, now), 'checks-changed');
}

/** The wait with what was reported; null if that changes nothing. */
function afterReport(wait: AwaitingChecks, { head, key, failed }: Report, now: string): AwaitingChecks | null {
  const { seen, lookAt, beginUntil } = wait;
  if (seen?.running.length === 0) return null;
  // GitHub is being asked, and its answer can be older than the report.
  if (Date.parse(lookAt) <= Date.parse(now)) return { ...wait, seen: { shown: 0, ...seen, running: [] } };
  if (seen === null) {
    const begun = Date.parse(beginUntil) - CHECKS_BEGIN_MS + MOST_CHECKS_BEGIN_MS;
    const soonest = new Date(Math.max(begun, Date.parse(now))).toISOString();
    return failed && lookAt === beginUntil ? { ...wait, lookAt: soonest } : null;
  }
  const running = head === null ? seen.running.slice(1) : seen.running.filter((one) => one !== key);
  if (running.length === seen.running.length) return null;
  return { ...wait, seen: { ...seen, running }, lookAt: running.length === 0 ? now : lookAt };
}

/** What GitHub said when it was asked: the wait goes on or ends, or the model gets the failed checks. */
export function onChecksRead(pull: PullState, signal: SignalOf<'checks-read'>, { now }: Facts): Step {
  const { runId, at, look, report } = signal;
  const [wait, history] = [checkWaitOf(pull), pull.run?.branch.checks ?? null];
  if (wait === null || pull.run?.id !== runId || wait.lookAt !== at) return noop(pull, 'outdated-result');
  const finish = (note: string | null): Step =>
    endStep(endInsteadOfWaiting(startStep(pull), now, note), 'run-finished');
  if (look === null || history === null) return finish(null);
  const verdict = judgeChecks(look, history);
  const isHere = look.headSha === wait.head;
  // A look before that time was for one failure. Others can still run, or begin, and GitHub can be behind its own branch.
  if (Date.parse(now) < Date.parse(wait.beginUntil) && !(isHere && verdict.kind === 'failed'))
    return endStep(waitOn(startStep(pull), wait, isHere ? look : NOTHING_SEEN, now), 'checks-read');
  if (!look.isOurs)
    return finish(`the branch no longer has ${shortSha(wait.commit)}, so its checks are not waited for`);
  if (!isHere) return endStep(followHead(startStep(pull), look.headSha, now), 'checks-read');
  switch (verdict.kind) {
    case 'none':
      return finish(null);
    case 'running':
      return Date.parse(now) >= Date.parse(wait.until)
        ? finish(stillRunningText(look))
        : endStep(waitOn(startStep(pull), wait, look, now), 'checks-read');
    case 'passed':
      return finish(passedText(look));
    case 'failed':
      if (history.rounds >= MAX_CHECK_ROUNDS || report === null) return finish(failedText(look, history));
      return endStep(tellOfFailures(startStep(pull), wait, report, now), 'checks-read');
  }
}

const NOTHING_SEEN: Pick<ChecksLook, 'listed' | 'running'> = { listed: [], running: [] };

/** If all were reported as completed and GitHub says otherwise, one of its servers is behind: it is asked again soon. */
function waitOn(builder: StepBuilder, wait: AwaitingChecks, look: typeof NOTHING_SEEN, now: string): StepBuilder {
  const { seen, beginUntil, until } = wait;
  const { listed, running } = look;
  const soon = new Date(Date.parse(now) + CHECKS_BEGIN_MS).toISOString();
  const shown = listed.filter(({ state }) => state === 'running').length;
  const next = seen?.running.length === 0 ? earlier(until, soon) : until;
  const lookAt = Date.parse(now) < Date.parse(beginUntil) ? beginUntil : next;
  return awaitLook(builder, { ...wait, lookAt, seen: { shown, running } }, now);
}

function tellOfFailures(builder: StepBuilder, wait: AwaitingChecks, report: string, now: string): StepBuilder {
  const rounds = (builder.pull.run?.branch.checks?.rounds ?? 0) + 1;
  const told = deliverNotes(withCheckHistory(builder, { told: wait.commit, rounds }));
  return startNextTurn(appendMessages(told, { role: 'user', content: report }), now);
}

/** For people, as a clause of plain text. Names are cut, because an App can give any. */
function passedText({ listed }: ChecksLook): string {
  const [failed, blocked] = [namesOf(listed, 'failed'), namesOf(listed, 'blocked')];
  const passed = listed.filter(({ state }) => state === 'passed').length;
  if (failed.length + blocked.length === 0) return passed === 1 ? 'its check passed' : `all ${passed} checks passed`;
  return [
    `${pluralize(passed, 'check')} passed`,
    ...(failed.length === 0 ? [] : [`${nameList(failed)} failed before this run too`]),
    ...(blocked.length === 0 ? [] : [`${nameList(blocked)} ${blocked.length === 1 ? 'waits' : 'wait'} for approval`]),
  ].join(', ');
}

function stillRunningText({ listed }: ChecksLook): string {
  const running = namesOf(listed, 'running');
  const failed = namesOf(listed, 'failed');
  const ended = failed.length === 0 ? '' : `, and ${nameList(failed)} failed`;
  return `${pluralize(running.length, 'check')} had not completed in time (${nameList(running)})${ended}`;
}

function failedText({ listed }: ChecksLook, { rounds }: CheckHistory): string {
  const times = rounds >= MAX_CHECK_ROUNDS ? `, after ${rounds} rounds without a person’s word` : '';
  return `${pluralize(namesOf(listed, 'failed').length, 'check')} failed${times} (${nameList(namesOf(listed, 'failed'))})`;
}

const MAX_NAMES = 5;

const MAX_NAME_CHARACTERS = 60;

function nameList(names: readonly string[]): string {
  return formatList(firstOf(names, MAX_NAMES, (name) => [...name].slice(0, MAX_NAME_CHARACTERS).join('')));
}
