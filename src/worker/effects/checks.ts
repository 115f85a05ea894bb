import { checkWaitOf } from '../../core/actions/check-wait.ts';
import { failedChecksMessage, MAX_REPORTED_CHECKS } from '../../core/agent/shared/check-texts.ts';
import {
  type Check,
  type CheckDetails,
  type CheckHistory,
  type ChecksLook,
  judgeChecks,
  MAX_CHECK_ROUNDS,
  type PullChecks,
} from '../../core/state/checks.ts';
import { activeRun } from '../../core/state/pull-state.ts';
import type { GitHub } from '../../core/step/ports.ts';
import { DONE, type EffectResult, type Job, loadJobPull, resultIfClosed } from '../jobs/job.ts';

/** Asks GitHub for the checks that a run waits for. A look that is not awaited any more asks nothing. */
export async function readAwaitedChecks(job: Job<'read-checks'>): Promise<EffectResult> {
  const { runId, at } = job.effect;
  const pull = await loadJobPull(job);
  const wait = checkWaitOf(pull);
  const history = activeRun(pull)?.branch.checks ?? null;
  if (wait === null || pull.run?.id !== runId || wait.lookAt !== at || history === null) return DONE;
  const github = job.context.githubApp.forPull(pull.ref);
  const found = await github.fetchChecks();
  const closed = found === null ? null : resultIfClosed(found);
  if (closed !== null) return closed;
  const look = found === null ? null : toLook(found, wait.commit);
  const isAwaitedHead = found?.headSha === wait.head && look?.isOurs === true;
  const report = found !== null && isAwaitedHead ? await reportFailures(github, wait.commit, found, history) : null;
  return { kind: 'done', signal: { type: 'checks-read', runId, at, look, report } };
}

function toLook({ headSha, own, head }: PullChecks, commit: string): ChecksLook {
  const listed = head.listed.map(({ name, state, word }) => ({ name, state, word }));
  return { headSha, isOurs: headSha === commit || own.includes(commit), listed, running: head.running };
}

/** What the model gets of failed checks; null if it is not to be told of any. */
async function reportFailures(github: GitHub, commit: string, { head }: PullChecks, history: CheckHistory) {
  const verdict = judgeChecks(head, history);
  if (verdict.kind !== 'failed' || history.rounds >= MAX_CHECK_ROUNDS) return null;
  const failed = head.listed.filter(({ name, state }) => state === 'failed' && verdict.names.includes(name));
  const details = new Map<Check, CheckDetails>();
  for (const check of failed.slice(0, MAX_REPORTED_CHECKS)) details.set(check, await github.fetchCheckDetails(check));
  return failedChecksMessage(commit, head, history, details);
}
