import { selectDiffs } from '../../core/agent/diff-excerpt.ts';
import { isReadableFile } from '../../core/agent/pull-summary.ts';
import type { PushComparison } from '../../core/state/ports.ts';
import { activeRun } from '../../core/state/run.ts';
import { CONTEXT_LIMITS, type PushContent } from '../../core/state/task-context.ts';
import { DONE, type EffectResult, type Job, loadJobPull } from '../jobs/job.ts';

/** Reads what another person pushed during the run. */
export async function describePush(job: Job<'read-push'>): Promise<EffectResult> {
  const { type: _, ...push } = job.effect;
  const pull = await loadJobPull(job);
  if (activeRun(pull)?.id !== push.runId) return DONE;
  const comparison = await job.context.githubApp.forPull(pull.ref).comparePush(push.before, push.after);
  const content = comparison === null ? null : toPushContent(comparison);
  return { kind: 'done', signal: { type: 'push-read', ...push, content } };
}

function toPushContent({ files, rewritten }: PushComparison): PushContent {
  const { pushFileCount, pushDiff } = CONTEXT_LIMITS;
  const listed = files.filter(isReadableFile).slice(0, pushFileCount);
  return {
    files: listed.map(({ path }) => path),
    unlistedFiles: files.length - listed.length,
    diff: selectDiffs(listed, pushDiff),
    rewritten,
  };
}
