import { appCommitsTo } from '../actions/head-assessment.ts';
import { type StepBuilder, withRun } from '../actions/step-builder.ts';
import { alreadyRejectedOutput, REVERTS_USER_EDIT_OUTPUT } from '../agent/shared/tool-results.ts';
import type { Change } from '../edits/change.ts';
import { isRepeatOfDenied, isRevertOfUserEdit, repeatsPartOfDenied } from '../policy/earlier-changes.ts';
import type { Proposal } from '../state/proposal.ts';
import { isOpen } from '../state/proposal-lifecycle.ts';
import type { PullState } from '../state/pull-state.ts';
import type { AppCommit, Run } from '../state/run.ts';

/** The output for the model instead of asking people again. Parts of a denied change name its proposal. */
export type EarlierAnswer = {
  readonly kind: 'denied' | 'reverts-user-edit';
  readonly output: string;
  readonly partOf: string | null;
};

/**
 * Finds the denial of the same change in this run, or a person's own text that the change reverts; null for a new
 * change. A part of a denied change is answered too if `beside`, the other changes of its batch, and those that people
 * have not refused since are the rest of it.
 */
export function findEarlierAnswer(
  pull: PullState,
  change: Change,
  beside: readonly Change[] = [],
): EarlierAnswer | null {
  const appCommits = (path: string) => appCommitsTo(pull.run, path);
  const ofRun = pull.proposals.filter((one) => one.runId === pull.run?.id);
  if (ofRun.some((one) => revertsUserEditOf(one, change, appCommits)))
    return { kind: 'reverts-user-edit', output: REVERTS_USER_EDIT_OUTPUT, partOf: null };
  const denied = ofRun.filter((one) => isDenialInForce(one, pull.run));
  const repeated = denied.findLast((one) => isRepeatOfDenied([change], one.change, appCommits));
  if (repeated !== undefined) return answerOf(repeated, null);
  const completed = denied.findLast((one) => {
    if (!repeatsPartOfDenied(change, one.change, appCommits)) return false;
    return isRepeatOfDenied([change, ...beside, ...standingAfter(ofRun, one)], one.change, appCommits);
  });
  return completed === undefined ? null : answerOf(completed, completed.id);
}

function answerOf({ votes }: Proposal, partOf: string | null): EarlierAnswer | null {
  const by = votes.findLast(({ action }) => action === 'deny')?.by;
  return by === undefined ? null : { kind: 'denied', output: alreadyRejectedOutput(by.login), partOf };
}

/** The agent's later changes that are open or applied. */
function standingAfter(ofRun: readonly Proposal[], denied: Proposal): readonly Change[] {
  const later = ofRun.slice(ofRun.indexOf(denied) + 1);
  const standing = later.filter((one) => one.origin.kind === 'call' && (isOpen(one) || one.state === 'completed'));
  return standing.map(({ change }) => change);
}

/** Counts a repetition of a denied change. A new change resets the count. */
export function countRepeat(builder: StepBuilder, { kind }: EarlierAnswer): StepBuilder {
  const repeated = builder.pull.run?.repeatedProposals ?? 0;
  return kind === 'denied' ? withRun(builder, { repeatedProposals: repeated + 1 }) : builder;
}

function revertsUserEditOf(
  { state, change, userEdit }: Proposal,
  fresh: Change,
  appCommits: (path: string) => readonly AppCommit[],
): boolean {
  if (state !== 'completed' || userEdit === null || change.op === 'set') return false;
  return isRevertOfUserEdit(fresh, { change, ...userEdit }, appCommits);
}

/**
 * A denial is in force until a person writes about that change or about the whole: words on another change lift none.
 */
function isDenialInForce({ id, state, votes }: Proposal, run: Run | null): boolean {
  const denial = votes.findLast(({ action }) => action === 'deny' || action === 'edit');
  if (state !== 'rejected' || denial?.action !== 'deny') return false;
  if (run?.liftedDenials.includes(id) === true) return false;
  const lastFeedbackAt = run?.lastFeedbackAt ?? null;
  return lastFeedbackAt === null || Date.parse(denial.at) > Date.parse(lastFeedbackAt);
}
