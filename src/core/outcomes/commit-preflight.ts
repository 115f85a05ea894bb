import { withNote, wordsNote } from '../actions/agent-notes.ts';
import { approversOf, currentApprovalRules, withNeeded } from '../actions/approvals.ts';
import { reopenProposal } from '../actions/expiry.ts';
import { combineVerdicts } from '../actions/head-assessment.ts';
import { announceStale, applyBase, supersede } from '../actions/head-moved.ts';
import {
  endStep,
  queueCommentUpdate,
  type StepBuilder,
  startStep,
  withProposal,
  withReply,
} from '../actions/step-builder.ts';
import { advanceBatch, allowReading, answerProposalCalls } from '../actions/tool-batch.ts';
import { instructedOutput } from '../agent/shared/speakers.ts';
import { deniedOutput, failedOutput } from '../agent/shared/tool-results.ts';
import { approvalLapsed } from '../messages/approval-replies.ts';
import { type ApprovalRules, countedApprovals, mayApprove, missingApprovals } from '../policy/may-approve.ts';
import type { Proposal } from '../state/proposal.ts';
import { isCarriedOut, rejectingVote, transition } from '../state/proposal-lifecycle.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { Run } from '../state/run.ts';
import { approvalVotes, isApprovalVote, type Permission, type Person, type Vote } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import type { ApprovalBlock } from '../step/refusals.ts';
import type { PreflightCheck, Signal } from '../step/signals.ts';
import type { Step } from '../step/step.ts';
import { completeProposal } from './commit.ts';
import { announceWithdrawnVotes, findWithdrawnVotes, lostApprovals, withoutVotes } from './withdrawn-votes.ts';

type PreflightSignal = Extract<Signal, { type: 'commit-preflight' }>;

/**
 * Checks each proposal right before a commit attempt: it must still be approved, allowed and applicable. Of readings the
 * agent then gets the files, and the notes of those who approved.
 */
export function onCommitPreflight(pull: PullState, signal: PreflightSignal, facts: Facts): Step {
  const checked = checkProposals(pull, signal, facts);
  const ids = signal.checks.map(({ proposalId }) => proposalId);
  const before = pull.proposals.filter(isFinished).map(({ id }) => id);
  const begun = checked.pull.proposals.filter((one) => ids.includes(one.id) && isCarriedOut(one));
  const allowed = begun.filter((one) => isFinished(one) && !before.includes(one.id));
  const isBegun = allowed.length > 0 || begun.some(({ state }) => state === 'executing');
  const told = withApproverNotes(checked, allowed);
  return endStep(advanceBatch(told, facts.now), isBegun ? 'commit-started' : 'commit-aborted');
}

function isFinished({ state }: Proposal): boolean {
  return state === 'completed';
}

/** One comment can allow several readings; its note is told once. */
function withApproverNotes(builder: StepBuilder, allowed: readonly Proposal[]): StepBuilder {
  const votes = allowed.flatMap(approvalVotes).filter(({ text }) => text !== null && text !== '');
  const comments = new Map(votes.map((vote) => [`${vote.surface} ${vote.commentId}`, vote]));
  return [...comments.values()].reduce(
    (noted, { by, text, writtenAt, at }) => withNote(noted, wordsNote(by, text ?? '', writtenAt ?? at)),
    builder,
  );
}

function checkProposals(pull: PullState, signal: PreflightSignal, facts: Facts): StepBuilder {
  const checkedIds = signal.checks.map((check) => check.proposalId);
  const isChecked = ({ id }: Proposal) => checkedIds.includes(id);
  // The last attempt is known not to have committed.
  const again = pull.proposals
    .filter((one) => isChecked(one) && one.state === 'executing')
    .reduce((next, one) => withProposal(next, transition(one, 'approved', facts.now)), startStep(pull));
  const withBase = applyBase(again, signal.baseRef, facts.now);
  const approvedBefore = withBase.pull.proposals.filter((one) => isChecked(one) && one.state === 'approved');
  const checked = signal.checks.reduce((builder, check) => {
    const proposal = approvedBefore.find(({ id }) => id === check.proposalId);
    return proposal === undefined ? builder : checkApproved(builder, proposal, check, signal, facts);
  }, withBase);
  const withdrawnOf = (proposal: Proposal) => withdrawnVotesOf(pull, proposal, signal, facts);
  const withWithdrawn = announceWithdrawnVotes(announceStale(checked, approvedBefore), approvedBefore, withdrawnOf);
  return announceLapsedApprovals(withWithdrawn, approvedBefore, signal, facts);
}

function checkApproved(
  builder: StepBuilder,
  proposal: Proposal,
  check: PreflightCheck,
  signal: PreflightSignal,
  facts: Facts,
): StepBuilder {
  const denial = rejectingVote(proposal);
  if (denial !== undefined) return rejectDenied(builder, proposal, denial, facts.now);
  const cancelReason = cancelReasonOf(builder.pull, proposal);
  if (cancelReason !== null) return cancelApproved(builder, proposal, cancelReason, facts.now);
  const current = currentApprovalRules(signal.settings, builder.pull.run, signal.codeOwners);
  const standing = withoutVotes(proposal, withdrawnVotesOf(builder.pull, proposal, signal, facts));
  const withValidVotes = current.kind === 'rules' ? withoutLapsedApprovals(standing, check, current.rules) : standing;
  if (blockAtCommit(standing, signal, builder.pull.run) !== null)
    return queueCommentUpdate(reopenProposal(builder, withValidVotes, facts.now), withValidVotes);
  const verdict = combineVerdicts(proposal, check.verdicts);
  switch (verdict.kind) {
    case 'applies':
      return proposal.change.op === 'read'
        ? allowReading(builder, withValidVotes, facts.now)
        : withProposal(builder, transition(withValidVotes, 'executing', facts.now));
    case 'already-applied':
      return completeProposal(builder, proposal, { ...FOUND_ON_BRANCH, commitSha: signal.headSha }, facts.now);
    case 'stale':
      return supersede(builder, proposal, verdict.path ?? null, toMovedHead(signal, facts));
  }
}

/** The webhook of the push has not come yet, so its author is unknown. */
function toMovedHead({ headSha: head }: PreflightSignal, { now }: Facts) {
  return { head, login: null, now };
}

const FOUND_ON_BRANCH = { committed: null, note: 'the branch already held it' } as const;

/** The approvals that the proposal's comments no longer show. */
function withdrawnVotesOf(
  { standingApprovals: approvals, run }: PullState,
  proposal: Proposal,
  { checks, settings }: PreflightSignal,
  { now }: Facts,
): ReturnType<typeof findWithdrawnVotes> {
  const check = checks.find(({ proposalId }) => proposalId === proposal.id);
  if (check === undefined) return [];
  const rules = settings.kind === 'settings' ? settings.settings : null;
  const standing = rules === null ? null : { approvals, rules, runBy: run?.task.by ?? null, now };
  return findWithdrawnVotes(proposal, check, standing);
}

function currentPermission(check: PreflightCheck | undefined, person: Person): Permission {
  return check?.permissions[person.id] ?? 'none';
}

/** Why the approvals of a proposal are no longer enough; null if they are. */
function blockAtCommit(proposal: Proposal, signal: PreflightSignal, run: Run | null): ApprovalBlock | null {
  const current = currentApprovalRules(signal.settings, run, signal.codeOwners);
  if (current.kind !== 'rules') return current;
  const { rules } = current;
  const check = signal.checks.find((one) => one.proposalId === proposal.id);
  const counted = countedApprovals(proposal, rules, ({ by }) => currentPermission(check, by)).map(({ by }) => by);
  const missing = missingApprovals(proposal, counted, rules);
  if (missing === null) return null;
  const verdicts = approversOf(proposal).map((person) =>
    mayApprove(proposal, { person, permission: currentPermission(check, person) }, rules),
  );
  return verdicts.findLast((one) => one !== 'yes') ?? missing;
}

/**
 * One reply for each reason that made approved proposals pending again. If approvals are missing because some were
 * withdrawn, the reply about these has said so.
 */
function announceLapsedApprovals(
  builder: StepBuilder,
  approvedBefore: readonly Proposal[],
  signal: PreflightSignal,
  facts: Facts,
): StepBuilder {
  const undecidedIds = builder.pull.proposals.filter(({ state }) => state === 'proposed').map(({ id }) => id);
  const blocks = approvedBefore.flatMap((proposal) => {
    if (!undecidedIds.includes(proposal.id)) return [];
    const withdrawn = withdrawnVotesOf(builder.pull, proposal, signal, facts);
    const block = blockAtCommit(withoutVotes(proposal, withdrawn), signal, builder.pull.run);
    const isAnnounced = block?.kind === 'approvals-missing' && lostApprovals(proposal, withdrawn).length > 0;
    return block === null || isAnnounced ? [] : [{ proposal, block }];
  });
  const groups = [...Map.groupBy(blocks, ({ block }) => JSON.stringify(block)).values()];
  return groups.reduce((announced, group) => {
    const [first] = group;
    if (first === undefined) return announced;
    const proposals = group.map(({ proposal }) => proposal);
    return withReply(announced, { at: 'pull-request' }, approvalLapsed(first.block, proposals));
  }, builder);
}

/** The denial or `/edit` came during an earlier attempt that failed, so the proposal is dropped instead of retried. */
function rejectDenied(builder: StepBuilder, proposal: Proposal, denial: Vote, now: string): StepBuilder {
  const rejected = withProposal(builder, transition(proposal, 'rejected', now));
  const output =
    denial.action === 'edit'
      ? instructedOutput(proposal, denial, builder.pull.run?.task.by ?? null)
      : deniedOutput(denial);
  return queueCommentUpdate(answerProposalCalls(rejected, proposal, output), proposal);
}

/** Why it can't be committed despite its approvals; null if it can. */
function cancelReasonOf(pull: PullState, { origin, runId, note }: Proposal): string | null {
  if (note !== null || origin.kind === 'undo') return note;
  return activeRun(pull)?.id === runId ? null : 'the run ended';
}

function cancelApproved(builder: StepBuilder, proposal: Proposal, note: string, now: string): StepBuilder {
  const cancelled = withProposal(builder, { ...transition(proposal, 'cancelled', now), note });
  return queueCommentUpdate(answerProposalCalls(cancelled, proposal, failedOutput(note)), proposal);
}

/** Removes the approvals that no longer count, so that a person can approve again. */
function withoutLapsedApprovals(proposal: Proposal, check: PreflightCheck, rules: ApprovalRules): Proposal {
  const counting = countedApprovals(proposal, rules, ({ by }) => currentPermission(check, by));
  const approvers = new Set(counting.map(({ by }) => by.id));
  const kept = new Set(approvalVotes(proposal).filter(({ by }) => approvers.has(by.id)));
  const votes = proposal.votes.filter((vote) => !isApprovalVote(vote) || kept.has(vote));
  return withNeeded({ ...proposal, votes }, rules);
}
