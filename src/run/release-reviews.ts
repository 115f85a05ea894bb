import type { Run } from './run.ts';
import type { Step } from './step.ts';

/** Dismisses what we asked for changes with, once nothing of its turn waits any more: it would block the pull request for ever. */
export function releaseReviews(step: Step): Step {
  const { run } = step.pull;
  if (run === null || step.wait) return step;
  const done = run.reviews.filter((review) => review.stands === 'blocks' && !isUnderWay(run, review.turn));
  if (done.length === 0) return step;
  const reviews = run.reviews.map((review) =>
    done.includes(review) ? ({ ...review, stands: 'dismissed' } as const) : review,
  );
  const effects = done.map(({ id }) => ({ type: 'dismiss-review', runId: run.id, reviewId: id }) as const);
  return { ...step, pull: { ...step.pull, run: { ...run, reviews } }, effects: [...step.effects, ...effects] };
}

/** A batch is closed once every call of it has its answer. */
function isUnderWay(run: Run, turn: number): boolean {
  return run.phase.kind !== 'ended' && run.batch?.turn === turn;
}
