import { withNote, wordsNote } from '../actions/agent-notes.ts';
import { isEnoughWith, withNeeded } from '../actions/approvals.ts';
import { proposalsBeforeCommit } from '../actions/head-assessment.ts';
import {
  currentProposal,
  endStep,
  noop,
  recordFeedback,
  recordVote,
  type StepBuilder,
  startStep,
  withProposal,
  withPullState,
  withReply,
  withTransition,
} from '../actions/step-builder.ts';
import { advanceBatch, queuePosting, setProposalCallStatus } from '../actions/tool-batch.ts';
import { cleanText } from '../agent/shared/clean-text.ts';
import { approve, queueCommit } from '../commands/approve.ts';
import { canTakeUserEdit, findUserEditTarget, USER_EDIT_FILE_CHANGED, type UserEditTarget } from '../commands/edit.ts';
import { checkMayApprove, checkPagesIntact } from '../commands/shared/approval-checks.ts';
import {
  acknowledge,
  type CommandContext,
  createVote,
  endWithReply,
  refuseIfReadOnly,
  replyAlreadyDecided,
} from '../commands/shared/context.ts';
import { createProposalId } from '../comments/ids.ts';
import { NOT_ONE_PLACE, type UserEditResult } from '../edits/build/user-edit.ts';
import { mainPath } from '../edits/change.ts';
import { approvalNotCounted } from '../messages/approval-replies.ts';
import { sameLinesBesideText, suggestionRefused, undoNotEditable } from '../messages/replies.ts';
import { findConflictingChange } from '../policy/earlier-changes.ts';
import { type ApprovalRules, mayApprove } from '../policy/may-approve.ts';
import { findWriteDenyRule } from '../policy/path-tables.ts';
import type { TextComment } from '../state/intent.ts';
import { isPending, NEW_PROPOSAL, type Proposal, transition, withReplacedVersions } from '../state/proposal.ts';
import { distinctPeople, type Person, type Vote } from '../state/vote.ts';
import type { Step } from '../step/step.ts';

type UserEditChange = Extract<UserEditResult, { kind: 'change' }>;

/** A reply with a suggestion block replaces the proposed lines and approves them. */
export function onSuggestionReply(context: CommandContext, comment: TextComment, proposal: Proposal): Step {
  // The body of a review takes effect only with a command.
  if (context.intent.location.at === 'review') return noop(context.pull, 'not-for-us');
  if (proposal.origin.kind === 'undo' && isPending(proposal))
    return endWithReply(context, undoNotEditable([proposal]), 'undo-refused');
  if (!canTakeUserEdit(proposal)) return replyAlreadyDecided(context, [proposal]);
  // A block approves, and a quote never does: a stranger can write its id above other lines.
  if (context.intent.location.at !== 'thread')
    return refuseUserEdit(context, proposal, 'your own lines count only in the change’s own thread');
  if (comment.suggestion === 'unclear') return refuseUserEdit(context, proposal, UNCLEAR_BLOCK);
  const refusal = refuseIfReadOnly(context);
  if (refusal !== null) return refusal;
  const target = findUserEditTarget(context.pull, context.intent);
  if (target === null) return refuseUserEdit(context, proposal, NOT_ONE_PLACE);
  const check = checkMayApprove(context, [proposal]);
  if (check.kind === 'refused') return check.step;
  return checkPagesIntact(context, [proposal]) ?? takeUserEdit(context, target, comment, check.rules);
}

const UNCLEAR_BLOCK =
  'your reply has several blocks, or one that is not closed, indented, or below other code or a tag';

function refuseUserEdit(context: CommandContext, { id }: Proposal, why: string): Step {
  return endWithReply(context, suggestionRefused(id, why), 'user-edit-refused');
}

function takeUserEdit(
  context: CommandContext,
  target: UserEditTarget,
  { isSuggestionAlone }: TextComment,
  rules: ApprovalRules,
): Step {
  const { proposal } = target;
  const userEdit = context.facts.userEdit ?? USER_EDIT_FILE_CHANGED;
  switch (userEdit.kind) {
    case 'unchanged':
      if (!isSuggestionAlone) return endWithReply(context, sameLinesBesideText(proposal.id), 'user-edit-refused');
      return approve.run(context, { name: 'approve', targets: { by: 'ids', ids: [proposal.id] }, note: '' });
    case 'refused':
      return refuseUserEdit(context, proposal, userEdit.why);
    case 'change': {
      const problem = findUserEditProblem(context, proposal, userEdit);
      if (problem !== null) return refuseUserEdit(context, proposal, problem);
      const note = cleanText(target.note);
      const edited = withNeeded(withUserEdit(proposal, userEdit, context.person), rules);
      const verdict = mayApprove(edited, context, rules);
      const isEnoughAlone = isEnoughWith(context.person, { ...edited, votes: [] }, rules);
      // If this vote lapsed after the replacement of another person's text, that text would have to be restored.
      const needsRepost = !isEnoughAlone || proposal.userEdit !== null || verdict !== 'yes';
      return needsRepost
        ? repostUserEdit(context, proposal, edited, { note, verdict, rules })
        : commitUserEdit(context, edited, note);
    }
  }
}

/** Checks the change like one of the model. */
function findUserEditProblem({ pull }: CommandContext, proposal: Proposal, { change }: UserEditChange): string | null {
  const rule = findWriteDenyRule(mainPath(change));
  if (rule !== null) return `Countersign may not write this file (${rule})`;
  const others = proposalsBeforeCommit(pull.proposals).filter((one) => one.id !== proposal.id);
  const other = findConflictingChange(change, others);
  return other === null ? null : `it touches the lines of \`${other.id}\`, which must be decided first`;
}

/** The person's approval is enough: commits their lines in place of the proposed ones. */
function commitUserEdit(context: CommandContext, edited: Proposal, text: string): Step {
  const changed = withProposal(startStep(context.pull), edited);
  const voted = recordVote(changed, createUserEditVote(context, edited, text));
  const current = currentProposal(voted, edited);
  const approved =
    current.state === 'approved'
      ? voted
      : withProposal(voted, transition(current, 'approved', context.intent.createdAt));
  return endStep(queueCommit(acknowledge(approved, context), [edited], context), 'user-edited');
}

type UserEditVoting = {
  /** The text beside the block. */
  readonly note: string;
  /** Whether the writer's own approval counts. */
  readonly verdict: ReturnType<typeof mayApprove>;
  readonly rules: ApprovalRules;
};

/** Others must approve too: posts the person's lines as a new proposal, with their vote if that counts. */
function repostUserEdit(context: CommandContext, proposal: Proposal, edited: Proposal, voting: UserEditVoting): Step {
  const { pull, person, intent, facts } = context;
  const id = createProposalId(pull);
  const anew: Proposal = {
    ...edited,
    userEdit: edited.userEdit && { ...edited.userEdit, reposted: true },
    ...NEW_PROPOSAL,
    writers: edited.writers,
    answers: edited.answers,
    id,
    modelReason: null,
  };
  const reposted = withReplacedVersions(anew, [proposal]);
  const note = `${person.login} wrote other lines instead`;
  const older = { ...proposal, replacedBy: id };
  const replaced = withTransition(startStep(pull), older, 'superseded', intent.createdAt, note);
  const added = withPullState(replaced, {
    proposals: [...replaced.pull.proposals, reposted],
    proposalCount: pull.proposalCount + 1,
  });
  const voted = recordUserEditVote(added, context, { older, reposted }, voting);
  const needed = withProposal(voted, withNeeded(currentProposal(voted, reposted), voting.rules));
  const linked = setProposalCallStatus(needed, proposal, { kind: 'proposed', proposalId: id });
  const posting = queuePosting(acknowledge(linked, context), reposted);
  return endStep(advanceBatch(posting, facts.now), 'user-edited');
}

/** A vote that does not count stays with the replaced proposal, and its text becomes a note for the agent. */
function recordUserEditVote(
  builder: StepBuilder,
  context: CommandContext,
  { older, reposted }: { readonly older: Proposal; readonly reposted: Proposal },
  { note, verdict }: UserEditVoting,
): StepBuilder {
  if (verdict === 'yes') return recordVote(builder, createUserEditVote(context, reposted, note));
  const vote = { ...createUserEditVote(context, reposted, ''), proposalId: older.id };
  const voted = recordVote(builder, vote);
  const words = wordsNote(context.person, note, context.intent.createdAt);
  const noted = note === '' ? voted : recordFeedback(withNote(voted, words), context.facts.now);
  return withReply(noted, context.intent.location, approvalNotCounted(verdict, [reposted]));
}

/** The proposal with a person's own lines. If these restore the model's lines, nobody wrote them. */
function withUserEdit(proposal: Proposal, { change, userEdit }: UserEditChange, by: Person): Proposal {
  const originalChange = proposal.userEdit?.originalChange ?? proposal.change;
  return {
    ...proposal,
    change,
    userEdit: userEdit === null ? null : { ...userEdit, originalChange, reposted: false },
    writers: userEdit === null ? [] : distinctPeople([...proposal.writers, by]),
  };
}

function createUserEditVote(context: CommandContext, edited: Proposal, text: string): Vote {
  return { ...createVote(context, edited, 'modify', text), digest: edited.change.digest };
}
