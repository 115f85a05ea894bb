import { reply, type Spoken } from './spoken.ts';
import type { Step } from './step.ts';

/** What is answered where the App commits nothing, so that nothing can be approved; null where it does. */
export function barred(spoken: Spoken): Step | null {
  const run = spoken.pull.run;
  if (run?.fork === true) return reply(spoken, { kind: 'fork', headRef: run.headRef }, 'fork');
  if (run?.pushRefused === true) return reply(spoken, { kind: 'push-refused', headRef: run.headRef }, 'push-refused');
  return null;
}
