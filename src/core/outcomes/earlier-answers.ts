import { type StepBuilder, withRun } from '../actions/step-builder.ts';
import { alreadyRejectedOutput, REVERTS_USER_EDIT_OUTPUT } from '../agent/shared/tool-results.ts';
import type { Change } from '../edits/change.ts';
import { isRevertOfUserEdit, repeatsResult } from '../policy/earlier-changes.ts';
import type { Proposal } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import type { Run } from '../state/run.ts';

/** The output for the model instead of asking people again. */
export type EarlierAnswer = { readonly kind: 'denied' | 'reverts-user-edit'; readonly output: string };

/**
 * Finds the denial of a change in this run that leaves the same bytes, or a person's own text that the change reverts;
 * null for a new change.
 */
export function findEarlierAnswer(pull: PullState, change: Change): EarlierAnswer | null {
  const ofRun = pull.proposals.filter((one) => one.runId === pull.run?.id);
  if (ofRun.some((one) => revertsUserEditOf(one, change)))
    return { kind: 'reverts-user-edit', output: REVERTS_USER_EDIT_OUTPUT };
  const denied = ofRun.findLast((one) => isDenialInForce(one, pull.run) && repeatsResult(change, one.change));
  const by = denied?.votes.findLast(({ action }) => action === 'deny')?.by;
  return by === undefined ? null : { kind: 'denied', output: alreadyRejectedOutput(by.login) };
}

/** Counts a repetition of a denied change. A new change resets the count. */
export function countRepeat(builder: StepBuilder, { kind }: EarlierAnswer): StepBuilder {
  const repeated = builder.pull.run?.repeatedProposals ?? 0;
  return kind === 'denied' ? withRun(builder, { repeatedProposals: repeated + 1 }) : builder;
}

function revertsUserEditOf({ state, change, userEdit }: Proposal, fresh: Change): boolean {
  if (state !== 'completed' || userEdit === null || change.op === 'set') return false;
  return isRevertOfUserEdit(fresh, { path: change.path, ...userEdit });
}

/** A denial is in force until a person writes to the agent. */
function isDenialInForce({ state, votes }: Proposal, run: Run | null): boolean {
  const denial = votes.findLast(({ action }) => action === 'deny' || action === 'edit');
  if (state !== 'rejected' || denial?.action !== 'deny') return false;
  const lastFeedbackAt = run?.lastFeedbackAt ?? null;
  return lastFeedbackAt === null || Date.parse(denial.at) > Date.parse(lastFeedbackAt);
}
