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
  const executing = done.filter((proposal) => proposal.state === 'executing');
  const { pull, votes } = executing.reduce(
    (draft: Draft, one) => withVote(draft, voteOf(spoken, one, action, text)),
    step,
  );
  return { ...step, pull, votes };
}
