import { withNote, wordsNote } from '../actions/agent-notes.ts';
import { announceLapses, clearApprovals, currentApprovalRules, type Lapse, withNeeded } from '../actions/approvals.ts';
import { reopenProposal } from '../actions/expiry.ts';
import { combineVerdicts } from '../actions/head-assessment.ts';
import { announceStale, applyBase, supersede } from '../actions/head-moved.ts';
import {
  endStep,
  queueCommentUpdate,
  type StepBuilder,
  startStep,
  withProposal,
  withTransition,
} from '../actions/step-builder.ts';
import { advanceBatch, allowReading, completeProposal, rejectProposal } from '../actions/tool-batch.ts';
import { isReading } from '../edits/change.ts';
import { findVoteProblem } from '../policy/countersign.ts';
import { countedApprovals, mayApprove, missingApprovals } from '../policy/may-approve.ts';
import { isCarriedOut, type Proposal, rejectingVote, transition } from '../state/proposal.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import { approvalVotes, isApprovalVote, type Permission, type Vote } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import type { ApprovalBlock } from '../step/reasons.ts';
import type { PreflightCheck, SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

/**
 * Checks each proposal right before a commit attempt: it must still be approved, allowed and applicable. Of readings the
 * agent then gets the files, and the notes of those who approved.
 */
export function onCommitPreflight(pull: PullState, signal: SignalOf<'commit-preflight'>, facts: Facts): Step {
  const checked = checkProposals(pull, signal, facts);
  const ids = signal.checks.map(({ proposalId }) => proposalId);
  const before = pull.proposals.filter(({ state }) => state === 'completed').map(({ id }) => id);
  const begun = checked.pull.proposals.filter((one) => ids.includes(one.id) && isCarriedOut(one));
  const allowed = begun.filter(({ id, state }) => state === 'completed' && !before.includes(id));
  const isBegun = allowed.length > 0 || begun.some(({ state }) => state === 'executing');
  const told = withApproverNotes(checked, allowed);
  return endStep(advanceBatch(told, facts.now), isBegun ? 'commit-started' : 'commit-aborted');
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

type Checked = { readonly builder: StepBuilder; readonly lapses: readonly Lapse[] };

function checkProposals(pull: PullState, signal: SignalOf<'commit-preflight'>, facts: Facts): StepBuilder {
  const checkedIds = signal.checks.map((check) => check.proposalId);
  const isChecked = ({ id }: Proposal) => checkedIds.includes(id);
  // The last attempt is known not to have committed.
  const again = pull.proposals
    .filter((one) => isChecked(one) && one.state === 'executing')
    .reduce((next, one) => withProposal(next, transition(one, 'approved', facts.now)), startStep(pull));
  const withBase = applyBase(again, signal.baseRef, facts.now);
  const approvedBefore = withBase.pull.proposals.filter((one) => isChecked(one) && one.state === 'approved');
  const { builder, lapses } = signal.checks.reduce<Checked>(
    (checked, check) => {
      const proposal = approvedBefore.find(({ id }) => id === check.proposalId);
      return proposal === undefined ? checked : checkApproved(checked, proposal, check, signal, facts);
    },
    { builder: withBase, lapses: [] },
  );
  return announceLapses(announceStale(builder, approvedBefore), lapses);
}

function checkApproved(
  checked: Checked,
  proposal: Proposal,
  check: PreflightCheck,
  signal: SignalOf<'commit-preflight'>,
  facts: Facts,
): Checked {
  const { builder, lapses } = checked;
  const denial = rejectingVote(proposal);
  // It came during an earlier attempt that failed, so the proposal is dropped instead of retried.
  if (denial !== undefined) return { builder: rejectProposal(builder, proposal, denial, facts.now), lapses };
  const cancelReason = cancelReasonOf(builder.pull, proposal);
  if (cancelReason !== null)
    return { builder: withTransition(builder, proposal, 'cancelled', facts.now, cancelReason), lapses };
  if (proposal.note !== null) {
    const block = { kind: 'comment-unread', errorId: null } as const;
    return { builder: clearApprovals(builder, proposal, facts.now), lapses: [...lapses, { proposal, block }] };
  }
  const { block, standing } = readApprovalsAgain(builder.pull, proposal, check, signal, facts);
  if (block === null) return { builder: carryOut(builder, standing, check, signal, facts), lapses };
  const reopened = queueCommentUpdate(reopenProposal(builder, standing, facts.now), standing);
  return { builder: reopened, lapses: [...lapses, { proposal, block }] };
}

/** The proposal with the approvals that still stand, and why they are not enough; null if they are. */
function readApprovalsAgain(
  { run, standingApprovals: approvals }: PullState,
  proposal: Proposal,
  { permissions, voteSources }: PreflightCheck,
  { settings, codeOwners }: SignalOf<'commit-preflight'>,
  { now }: Facts,
): { readonly block: ApprovalBlock | null; readonly standing: Proposal } {
  const current = currentApprovalRules(settings, run, codeOwners);
  if (current.kind !== 'rules') return { block: current, standing: proposal };
  const { rules } = current;
  const context = { approvals, rules: settings.settings, runBy: run?.task.by ?? null, now };
  const problemOf = (vote: Vote) => findVoteProblem(vote, { proposal, voteSources }, context);
  const permissionOf = ({ by }: Vote): Permission => permissions[by.id] ?? 'none';
  const votes = proposal.votes.filter(
    (vote) => !isApprovalVote(vote) || (approvalVotes(proposal).includes(vote) && problemOf(vote) === null),
  );
  const counted = countedApprovals({ ...proposal, votes }, rules, permissionOf).map(({ by }) => by);
  const isLost = ({ by }: Vote): boolean => !counted.some(({ id }) => id === by.id);
  const standing = withNeeded(
    { ...proposal, votes: votes.filter((one) => !isApprovalVote(one) || !isLost(one)) },
    rules,
  );
  const missing = missingApprovals(proposal, counted, rules);
  if (missing === null) return { block: null, standing };
  const blocks = approvalVotes(proposal)
    .filter(isLost)
    .map((vote): ApprovalBlock | 'yes' => {
      const problem = problemOf(vote);
      if (problem !== null) return { kind: 'vote-problem', login: vote.by.login, problem };
      return mayApprove(proposal, { person: vote.by, permission: permissionOf(vote) }, rules);
    });
  return { block: blocks.findLast((one) => one !== 'yes') ?? missing, standing };
}

function carryOut(
  builder: StepBuilder,
  proposal: Proposal,
  { verdicts }: PreflightCheck,
  { headSha }: SignalOf<'commit-preflight'>,
  { now }: Facts,
): StepBuilder {
  const verdict = combineVerdicts(proposal, verdicts);
  switch (verdict.kind) {
    case 'applies':
      return isReading(proposal.change)
        ? allowReading(builder, proposal, now)
        : withProposal(builder, transition(proposal, 'executing', now));
    case 'already-applied':
      return completeProposal(builder, proposal, { ...FOUND_ON_BRANCH, commitSha: headSha }, now);
    case 'stale':
      // The webhook of the push has not come yet, so its author is unknown.
      return supersede(builder, proposal, verdict.path ?? null, { head: headSha, login: null, now });
  }
}

const FOUND_ON_BRANCH = { committed: null, note: 'the branch already held it' } as const;

/** Why it can't be committed despite its approvals; null if it can. */
function cancelReasonOf(pull: PullState, { origin, runId, note }: Proposal): string | null {
  if (origin.kind === 'undo') return note;
  return activeRun(pull)?.id === runId ? null : 'the run ended';
}
