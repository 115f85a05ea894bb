import { cancelUndos, endRun } from '../actions/end-run.ts';
import { addAppCommit } from '../actions/head-assessment.ts';
import { applyHeadMove } from '../actions/head-moved.ts';
import {
  endStep,
  noop,
  queueCommentUpdate,
  type StepBuilder,
  showRun,
  startStep,
  withEffects,
  withProposal,
  withReply,
  withRun,
  withTransition,
} from '../actions/step-builder.ts';
import { advanceBatch, answerProposalCalls, completeProposal } from '../actions/tool-batch.ts';
import { failedOutput } from '../agent/shared/tool-results.ts';
import { isReading } from '../edits/change.ts';
import { commitDelayed, commitFailed, commitMismatch, committed } from '../messages/change-replies.ts';
import { describeTreeMismatches, mismatchNote } from '../messages/run-ended.ts';
import { type CommittedChange, isOpen, isPending, type Proposal, transition } from '../state/proposal.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { Run } from '../state/run.ts';
import { approvalVotes, distinctPeople } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import type { SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

/** A commit is verified. Completes its proposals, and assesses the other open proposals at the new head. */
export function onCommitted(pull: PullState, signal: SignalOf<'committed'>, facts: Facts): Step {
  const recorded = recordCommitted(pull, signal, facts);
  const { run } = pull;
  if (run === null) return endStep(recorded, 'committed');
  const head = signal.overwritten ? (facts.pullRequest?.headSha ?? run.assessed.headSha) : signal.sha;
  const assessed = addCommitToRun(applyHeadMove(recorded, head, facts, null), run, signal);
  const advanced = advanceBatch(assessed, facts.now);
  return endStep(withEffects(advanced, { type: 'update-run-comment', runId: run.id }), 'committed');
}

/** Completes the proposals of a commit, and records the commit in the ledger and the run. */
export function recordCommitted(pull: PullState, signal: SignalOf<'committed'>, facts: Facts): StepBuilder {
  const { sha, proposalIds, committedVersions } = signal;
  const executing = executingProposals(pull, proposalIds);
  const done = executing.reduce((builder, one) => {
    const version = Object.hasOwn(committedVersions, one.id) ? (committedVersions[one.id] ?? null) : null;
    const note = afterMergeNote(pull.run, sha, facts);
    return completeProposal(builder, one, { commitSha: sha, committed: version, note }, facts.now, executing);
  }, startStep(pull));
  const replied = executing.length > 1 ? withReply(done, { at: 'pull-request' }, committed(sha, executing)) : done;
  const recorded = { ...replied, ledgerCommits: ledgerCommitsOf(pull, signal) };
  return pull.run === null ? recorded : withRun(recorded, { appCommits: addAppCommits(pull.run, signal) });
}

/** The merge overtook the commit, so that only the branch has it; null otherwise. */
function afterMergeNote(run: PullState['run'], sha: string, { pullRequest }: Facts): string | null {
  if (run === null || pullRequest?.state !== 'merged' || pullRequest.headSha === sha) return null;
  return `the pull request was merged before this commit, which only the branch ${run.branch.ref} has`;
}

function executingProposals(pull: PullState, ids: readonly string[]): readonly Proposal[] {
  return pull.proposals.filter((one) => ids.includes(one.id) && one.state === 'executing');
}

function addAppCommits(run: Run, { files }: SignalOf<'committed'>): Run['appCommits'] {
  return files.reduce((appCommits: Run['appCommits'], { path, before, after, ranges }) => {
    // A created or deleted file has no lines that could have moved.
    if (before === null || after === null) return appCommits;
    return addAppCommit(appCommits, path, { blobBefore: before, blobAfter: after, ranges });
  }, run.appCommits);
}

/** A commit of an earlier run's proposals is not one of the current run. */
function addCommitToRun(
  builder: StepBuilder,
  { id: currentRunId, commits }: Run,
  { sha, proposalIds }: Pick<SignalOf<'committed'>, 'sha' | 'proposalIds'>,
): StepBuilder {
  const isOwn = builder.pull.proposals.some(
    ({ id, runId, commitSha }) => runId === currentRunId && (commitSha === sha || proposalIds.includes(id)),
  );
  return withRun(builder, { commits: isOwn && !commits.includes(sha) ? [...commits, sha] : commits });
}

/**
 * GitHub made a commit that is not verified yet. It goes into the ledger now, because access can be lost before the
 * verification. Its proposals are not committed again, even if the commit is pushed away.
 */
export function onCommitUnverified(pull: PullState, signal: SignalOf<'commit-unverified'>): Step {
  const marked = executingProposals(pull, signal.proposalIds).reduce(
    (builder, one) => withProposal(builder, { ...one, commitSha: signal.sha }),
    startStep(pull),
  );
  return endStep({ ...marked, ledgerCommits: ledgerCommitsOf(pull, signal) }, 'commit-unverified');
}

/** Ledger rows of a commit. They do not depend on the current state of its proposals. */
function ledgerCommitsOf(
  { proposals }: PullState,
  {
    sha,
    parentSha,
    proposalIds,
    committedVersions,
  }: SignalOf<'committed'> | SignalOf<'commit-unverified'> | SignalOf<'commit-mismatch'>,
): readonly CommittedChange[] {
  return proposals
    .filter(({ id }) => proposalIds.includes(id))
    .map((proposal) => {
      const { id: proposalId, runId, change } = proposal;
      const version = Object.hasOwn(committedVersions, proposalId) ? committedVersions[proposalId] : undefined;
      return {
        proposalId,
        runId,
        commitSha: sha,
        parentSha,
        shownDigest: change.digest,
        committed: version ?? { digest: change.digest, range: null, members: [] },
        approvers: distinctPeople(approvalVotes(proposal).map(({ by }) => by)),
      };
    });
}

/** A commit is not what was approved. The run ends, and the ledger has the commit as it was requested. */
export function onCommitMismatch(pull: PullState, signal: SignalOf<'commit-mismatch'>, facts: Facts): Step {
  const { sha, proposalIds } = signal;
  const summary = describeTreeMismatches(signal.mismatches);
  const executing = executingProposals(pull, proposalIds);
  const failed = executing.reduce(
    (builder, one) => withTransition(builder, { ...one, commitSha: sha }, 'failed', facts.now, summary),
    startStep(pull),
  );
  const withCommit = pull.run === null ? failed : addCommitToRun(failed, pull.run, signal);
  const recorded = { ...withCommit, ledgerCommits: ledgerCommitsOf(pull, signal) };
  return endStep(announceMismatch(recorded, executing, { sha, summary }, facts.now), 'commit-mismatch');
}

/** The reply about the end of the run has the mismatch; without an active run it gets a reply of its own. */
function announceMismatch(
  builder: StepBuilder,
  executing: readonly Proposal[],
  { sha, summary }: { readonly sha: string; readonly summary: string },
  now: string,
): StepBuilder {
  if (activeRun(builder.pull) !== null)
    return endRun(builder, { reason: 'commit-mismatch', by: null, note: mismatchNote(sha, summary) }, now);
  const reply = commitMismatch(sha, summary, executing);
  return showRun(withReply(cancelUndos(builder, 'commit-mismatch', now), { at: 'pull-request' }, reply));
}

/** A commit attempt failed for good, and nothing was committed. If a rule refused it, all later commits fail too. */
export function onCommitFailed(
  pull: PullState,
  { proposalIds, message, refusedByRule }: SignalOf<'commit-failed'>,
  facts: Facts,
): Step {
  // A proposal in another commit attempt can still succeed, so only approved changes fail along with this attempt.
  const failed = pull.proposals.filter(
    (one) =>
      (proposalIds.includes(one.id) && isApprovedOrExecuting(one)) ||
      (refusedByRule && one.state === 'approved' && !isReading(one.change)),
  );
  const updated = failed.reduce((builder, one) => failProposal(builder, one, message, facts.now), startStep(pull));
  const replied =
    failed.length === 0 ? updated : withReply(updated, { at: 'pull-request' }, commitFailed(message, failed));
  const refused = refusedByRule ? markCommitsRefused(replied) : replied;
  return endStep(advanceBatch(refused, facts.now), 'commit-failed');
}

function isApprovedOrExecuting(proposal: Proposal): boolean {
  return isOpen(proposal) && proposal.state !== 'proposed';
}

function failProposal(builder: StepBuilder, proposal: Proposal, message: string, now: string): StepBuilder {
  const executing = proposal.state === 'approved' ? transition(proposal, 'executing', now) : proposal;
  const failed = withTransition(builder, executing, 'failed', now, message);
  return answerProposalCalls(failed, proposal, failedOutput(message));
}

/** The comments of pending proposals then say that people must apply them by hand. */
function markCommitsRefused(builder: StepBuilder): StepBuilder {
  const { run, proposals } = builder.pull;
  if (run === null) return builder;
  const marked = withRun(builder, { branch: { ...run.branch, refusesCommits: true } });
  return proposals.filter(isPending).reduce(queueCommentUpdate, marked);
}

/** The head moved before the commit. The proposals stay approved for a retry. */
export function onCommitHeadMoved(pull: PullState, signal: SignalOf<'commit-head-moved'>, facts: Facts): Step {
  const approved = executingProposals(pull, signal.proposalIds).reduce(
    (builder, one) => withProposal(builder, transition(one, 'approved', facts.now)),
    startStep(pull),
  );
  return endStep(approved, 'commit-delayed');
}

/** Tells the approver once that commit attempts are being retried. The pages no longer ask for a decision. */
export function onCommitDelayed(pull: PullState, { proposalIds, location }: SignalOf<'commit-delayed'>): Step {
  const delayed = pull.proposals.filter((one) => proposalIds.includes(one.id) && isApprovedOrExecuting(one));
  if (delayed.length === 0) return noop(pull, 'commit-delayed');
  const once = `commit-delayed:${proposalIds.join()}`;
  const told = withReply(startStep(pull), location ?? { at: 'pull-request' }, commitDelayed(delayed), once);
  return endStep(delayed.reduce(queueCommentUpdate, told), 'commit-delayed');
}
