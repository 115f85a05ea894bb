import type { Job, Outcome } from './job.ts';

export type Again = Extract<Outcome, { kind: 'again' }>;

/** For what people said to be heard; at once in most cases, because signals come before effects. */
const YIELD_MS = 100;

/** The effect comes again once what people said is heard; `due` is when it can be, where that is known (ms). */
export function afterWords({ context }: Pick<Job, 'context'>, due: number | null): Again {
  return { kind: 'again', at: Math.max(due ?? 0, context.clock.now() + YIELD_MS), error: 'people spoke first' };
}
