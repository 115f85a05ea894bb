import { type StepBuilder, withRun } from '../actions/step-builder.ts';
import { alreadyRejectedOutput, REVERTS_USER_EDIT_OUTPUT } from '../agent/shared/tool-results.ts';
import type { Change } from '../edits/change.ts';
import { isRevertOfUserEdit, repeatsResult } from '../policy/earlier-changes.ts';
import type { Proposal } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import { NO_DENIALS, type Run } from '../state/run.ts';

/**
 * The output for the model instead of asking people again: in this run a change that leaves the same bytes was denied,
 * or the change reverts a person's own text. Null for a new change.
 */
export function findEarlierAnswer(pull: PullState, change: Change): string | null {
  const ofRun = pull.proposals.filter((one) => one.runId === pull.run?.id);
  if (ofRun.some((one) => revertsUserEditOf(one, change))) return REVERTS_USER_EDIT_OUTPUT;
  const denied = ofRun.findLast((one) => isDenialInForce(one, pull.run) && repeatsResult(change, one.change));
  const by = denied?.votes.findLast(({ action }) => action === 'deny')?.by;
  return by === undefined ? null : alreadyRejectedOutput(by.login);
}

/** Counts a change that was answered before. A new change resets the count. */
export function countChange(builder: StepBuilder, change: 'repeated' | 'new'): StepBuilder {
  const { liftedAt, repeats } = builder.pull.run?.denials ?? NO_DENIALS;
  return withRun(builder, { denials: { liftedAt, repeats: change === 'new' ? 0 : repeats + 1 } });
}

function revertsUserEditOf({ state, userEdit }: Proposal, fresh: Change): boolean {
  return state === 'completed' && userEdit !== null && isRevertOfUserEdit(fresh, userEdit);
}

/** A denial is in force until a person writes to the agent. */
function isDenialInForce({ state, votes }: Proposal, run: Run | null): boolean {
  const denial = votes.findLast(({ action }) => action === 'deny' || action === 'edit');
  if (state !== 'rejected' || denial?.action !== 'deny') return false;
  const { liftedAt } = run?.denials ?? NO_DENIALS;
  return liftedAt === null || Date.parse(denial.at) > Date.parse(liftedAt);
}
