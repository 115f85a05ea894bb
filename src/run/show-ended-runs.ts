import type { Proposal } from './proposal.ts';
import { activeRun, type Pull } from './run.ts';
import type { Step } from './step.ts';
import { isFinal } from './transition.ts';

/**
 * What was under way when its run ended, or the next one began, is decided after the run's comment was written last: that
 * says then what became of it. Where access was lost nothing can be said.
 */
export function showEndedRuns(before: Pull, step: Step): Step {
  const { run, proposals } = step.pull;
  if (run?.phase.kind === 'ended' && run.phase.how === 'access-lost') return step;
  const active = activeRun(step.pull)?.id;
  const settled = proposals.filter((one) => one.runId !== active && isListed(one) && isSettledSince(before, one));
  const shown = new Set(step.effects.flatMap((effect) => (effect.type === 'show-run' ? [effect.runId] : [])));
  const missing = new Set(settled.map(({ runId }) => runId).filter((runId) => !shown.has(runId)));
  if (missing.size === 0) return step;
  const effects = [...missing].map((runId) => ({ type: 'show-run', runId }) as const);
  return { ...step, effects: [...step.effects, ...effects] };
}

/** The comment of a run that is over lists an undo only once it is committed. */
function isListed({ origin, commit }: Proposal): boolean {
  return origin.kind === 'call' || commit !== null;
}

function isSettledSince({ proposals }: Pull, { id, state }: Proposal): boolean {
  const was = proposals.find((one) => one.id === id);
  return was !== undefined && !isFinal(was.state) && isFinal(state);
}
