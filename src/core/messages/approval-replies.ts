import { shortenPath } from '../../lib/format.ts';
import type { Reply } from '../../lib/trust.ts';
import { MAX_SCOPE_CHARACTERS, MAX_STANDING_APPROVALS } from '../policy/standing-approvals.ts';
import type { Proposal } from '../state/proposal.ts';
import type { ApproverRole } from '../state/settings.ts';
import type { StandingApproval, StandingScope, VoteProblem } from '../state/vote.ts';
import type { ApprovalBlock, ApprovalsMissing, StandingEnd, StandingObstacle } from '../step/reasons.ts';
import { escapeLogin, formatProposalList } from './proposal/proposal-status.ts';
import { renderProblems } from './settings-replies.ts';
import { codeSpan, composeReply, formatTime, joinBlocks, truncate } from './shared/markdown.ts';

/** An approval that has no effect, or not yet. */
export function approvalNotCounted(block: ApprovalBlock, proposals: readonly Proposal[]): Reply {
  const list = formatProposalList(proposals);
  return block.kind === 'approvals-missing'
    ? composeReply(`Your approval counts, but ${describeBlock(block)}:`, list)
    : composeReply(`That approval doesn’t count: ${describeBlock(block)}. Still pending:`, list, nextStep(block));
}

/** A decision about a change of which nothing is stored. */
export function unknownHere(): Reply {
  return composeReply(
    `Nothing was decided: this installation of Countersign does not know this change, for example because the repository was transferred or the App’s data are gone. If the comment of the change still says that it is pending, that is no longer true. Ask for it again with ${codeSpan('/countersign <task>')}.`,
  );
}

/** Approvals that turned out to be invalid right before the commit. */
export function approvalLapsed(block: ApprovalBlock, proposals: readonly Proposal[]): Reply {
  const list = formatProposalList(proposals);
  return composeReply(`Not applied: ${describeBlock(block)}. Pending again:`, list, nextStep(block, proposals[0]?.id));
}

/** One clause. */
function describeBlock(block: ApprovalBlock): string {
  switch (block.kind) {
    case 'settings-broken':
      return 'the settings that say who may approve are broken';
    case 'vote-problem':
      return VOTE_PROBLEM_TEXT[block.problem](escapeLogin(block));
    case 'comment-unread':
      return block.errorId === null
        ? 'a comment or event that could be a denial was not read'
        : `a comment or event that could be a denial was not read, because of an internal error (${codeSpan(block.errorId)})`;
    case 'denied-path':
      return `a rule denies ${pathSpan(block.path)} to the agent (${pathSpan(block.rule)}), so no approval counts`;
    case 'role-missing':
      return `${escapeLogin(block)} ${ROLE_TEXT[block.role]}`;
    case 'not-owner':
      return `${escapeLogin(block)} is no known code owner of ${pathSpan(block.path)}, as its approvers must be${block.isTeamUnread ? UNREAD_TEAM : ''}`;
    case 'is-author':
      return `${escapeLogin(block)} opened this pull request, and ${codeSpan('require_non_author')} is set`;
    case 'is-requester':
      return `${escapeLogin(block)} requested this change or wrote lines of it, and ${codeSpan('require_non_requester')} is set`;
    case 'approvals-missing':
      return missingText(block);
  }
}

const ROLE_TEXT = {
  write: 'has no write access to this repository',
  maintain: 'doesn’t have the maintain or admin role that approvers of this change need',
  admin: 'doesn’t have the admin role that approvers of this change need',
} as const satisfies Record<ApproverRole, string>;

const UNREAD_TEAM = `. Countersign cannot see the members of a team that owns it: its installation lacks the permission ${codeSpan('members: read')}`;

/** Broken settings are listed with their problems. */
function nextStep(block: ApprovalBlock, id = '<id>'): string {
  if (block.kind === 'comment-unread')
    return `Review them again, then use ${codeSpan('/approve')} or ${codeSpan('/deny')}.`;
  if (block.kind === 'vote-problem') return `Only a new comment approves, such as ${codeSpan(`/approve ${id}`)}.`;
  if (block.kind !== 'settings-broken') return '';
  return joinBlocks(renderProblems(block.problems), 'Then approve again. You can still deny changes.');
}

function missingText({ missing, path }: ApprovalsMissing): string {
  if (path === null) return countText(missing);
  const owner = `of a code owner of ${pathSpan(path)}`;
  return missing === 0 ? `the approval ${owner} is still needed` : `${countText(missing)}, also ${owner}`;
}

function countText(missing: number): string {
  return missing === 1 ? '1 more approval is needed' : `${missing} more approvals are needed`;
}

function pathSpan(path: string): string {
  return codeSpan(shortenPath(path, MAX_PATH_CHARACTERS));
}

const MAX_PATH_CHARACTERS = 500;

const VOTE_PROBLEM_TEXT: Readonly<Record<VoteProblem, (login: string) => string>> = {
  missing: (login) => `the comment with the approval of ${login} is not on this pull request`,
  edited: (login) => `the comment with the approval of ${login} was edited before the commit`,
  dismissed: (login) => `the approving review of ${login} was dismissed`,
  'not-theirs': (login) => `GitHub doesn’t show that approval as one of ${login} any more`,
  'standing-ended': (login) => `the standing approval of ${login} has ended, or does not cover this change any more`,
};

/** The reach of a standing approval, exactly: `edit_file` changes of `src/a.ts`. */
function scopeText({ tool, path, glob }: StandingScope): string {
  const files =
    glob === null
      ? codeSpan(truncate(path, MAX_SCOPE_CHARACTERS))
      : `files that match ${codeSpan(truncate(glob, MAX_SCOPE_CHARACTERS))} from the repository’s root`;
  return `${codeSpan(tool)} changes of ${files}`;
}

/** One standing approval in a list. */
export function standingApprovalRow(approval: StandingApproval): string {
  const { number, vote, grantedAt, expiresAt } = approval;
  return `- **${number}** by ${escapeLogin(vote.by)}, ${formatTime(grantedAt)}: ${scopeText(approval)}, until ${formatTime(expiresAt)}. ${codeSpan(`/revoke ${number}`)} takes it back.`;
}

const NO_STANDING_APPROVALS = 'No standing approval is in force on this pull request.';

/** Those in force; `instead` says why they are shown. */
export function standingApprovalsShown(approvals: readonly StandingApproval[], instead = ''): Reply {
  return composeReply(
    instead,
    approvals.length === 0 ? NO_STANDING_APPROVALS : 'Standing approvals in force on this pull request:',
    approvals.map(standingApprovalRow).join('\n'),
  );
}

export function standingApprovalUnknown(number: number, approvals: readonly StandingApproval[]): Reply {
  const unknown = `Nothing was taken back: no standing approval ${codeSpan(String(number))} is in force here.`;
  return standingApprovalsShown(approvals, unknown);
}

export function standingApprovalGranted(approval: StandingApproval): Reply {
  const { number, vote, expiresAt } = approval;
  return composeReply(
    `Standing approval **${number}** of ${escapeLogin(vote.by)}: later ${scopeText(approval)} in this pull request, in runs that this person starts count as approved by them, until ${formatTime(expiresAt)}, a new base branch or the close.`,
    `It covers only changes that are posted in a later second, and none that deletes or moves a file, touches a protected or executable file or has misleading characters. Every change is still posted first, and ${codeSpan('/deny')} wins until its commit begins. ${codeSpan(`/revoke ${number}`)} takes it back.`,
  );
}

export function standingApprovalRefused(id: string, obstacle: StandingObstacle): Reply {
  return composeReply(
    `Your approval is for ${codeSpan(id)} alone and doesn’t stand for later changes: ${OBSTACLE_TEXT[obstacle]}.`,
  );
}

const OBSTACLE_TEXT: Readonly<Record<StandingObstacle, string>> = {
  'switched-off': `${codeSpan('standing_approvals')} of this repository doesn’t allow that`,
  'not-your-run': 'another person started this run',
  'needs-others': 'the repository’s rules ask for other people’s approval too',
  'needs-a-look':
    'it is no plain edit by the agent, touches a protected or executable file, or its page warns of it, so each of its kind needs an approval of its own',
  'unclear-scope': `its reach is unclear. A glob that covers this change is one folder from the repository’s root and one extension, as in ${codeSpan('src/*.ts')}, of at most ${MAX_SCOPE_CHARACTERS} characters. A change of several files needs one`,
  'too-many': `${MAX_STANDING_APPROVALS} are in force already. ${codeSpan('/revoke <n>')} makes room`,
};

export function standingApprovalEnded(approval: StandingApproval, cause: StandingEnd): Reply {
  const by = escapeLogin(approval.vote.by);
  return composeReply(
    `Standing approval **${approval.number}** of ${by}, for ${scopeText(approval)}, has ended: ${endText(cause)}.`,
  );
}

function endText(cause: StandingEnd): string {
  return cause.kind === 'revoked'
    ? `${escapeLogin(cause.by)} took it back`
    : 'a later comment could not be read because of an internal error, and might have taken it back';
}
