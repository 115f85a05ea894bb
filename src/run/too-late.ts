import { type Draft, withVote } from './draft.ts';
import type { Proposal } from './proposal.ts';
import { type Spoken, voteOf } from './spoken.ts';
import type { Step } from './step.ts';

/** A no that meets an attempt which has begun cannot stop it, but no further attempt begins after it. */
export function recordTooLate(
  spoken: Spoken,
  step: Step,
  done: readonly Proposal[],
  { action, text }: { readonly action: 'deny' | 'edit'; readonly text: string | null },
): Step {
  // Words about something else to be done stop nothing that belongs to no call.
  const executing = done.filter(
    ({ state, origin }) => state === 'executing' && (action === 'deny' || origin.kind === 'call'),
  );
  const { pull, votes } = executing.reduce(
    (draft: Draft, one) => withVote(draft, voteOf(spoken, one, action, text)),
    step,
  );
  return { ...step, pull, votes };
}
