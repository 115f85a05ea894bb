import { formatList } from '../../lib/format.ts';
import { MAX_SCOPE_CHARACTERS, MAX_STANDING_APPROVALS } from '../policy/standing-approvals.ts';
import type { StandingScope } from '../state/vote.ts';
import type { VoteProblem } from '../state/vote-source.ts';
import type { ApprovalBlock, Objection, StandingEnd, StandingObstacle } from '../step/refusals.ts';
import type { Reply } from '../step/replies.ts';
import type { StandingApprovalLine } from '../step/reply-links.ts';
import { escapeLogin, formatProposalList } from './proposal/proposal-status.ts';
import { formatProblems } from './settings-replies.ts';
import { codeSpan, formatTime, joinBlocks, shortenPath, truncate } from './shared/markdown.ts';

type NotCountedReply = Extract<Reply, { kind: 'approval-not-counted' }>;

type LapsedReply = Extract<Reply, { kind: 'approval-lapsed' }>;

/** An approval that has no effect, or not yet. */
export function renderNotCounted({ block, proposals }: NotCountedReply): string {
  const list = formatProposalList(proposals);
  switch (block.kind) {
    case 'settings-broken':
      return joinBlocks(
        'Nothing was approved: the settings that say who may approve are broken. Still pending:',
        list,
        renderSettingsProblems(block.problems),
      );
    case 'objection':
      return joinBlocks(
        `That approval doesn’t count: ${describeObjection(block)}. Still pending:`,
        list,
        whoCanApprove(block),
      );
    case 'denied-path':
      return joinBlocks(`Nothing was approved: ${describeDenial(block)}. Still pending:`, list, DENIED_NEXT_STEP);
    case 'approvals-missing':
      return joinBlocks(`Your approval counts. ${missingText(block)} for:`, list);
  }
}

/** Approvals that turned out to be invalid right before the commit. */
export function renderLapsed({ block, proposals }: LapsedReply): string {
  const list = formatProposalList(proposals);
  switch (block.kind) {
    case 'settings-broken':
      return joinBlocks(
        'Not applied: the settings that say who may approve are broken. Pending again:',
        list,
        renderSettingsProblems(block.problems),
      );
    case 'objection':
      return joinBlocks(
        `Not applied: ${describeObjection(block, LOST_RIGHT_TEXT)}. Pending again:`,
        list,
        whoCanApprove(block),
      );
    case 'denied-path':
      return joinBlocks(`Not applied: ${describeDenial(block)}. Pending again:`, list, DENIED_NEXT_STEP);
    case 'approvals-missing':
      return joinBlocks(
        'Not applied: the repository now requires more approvals. Pending again:',
        list,
        `${missingText(block)}.`,
      );
  }
}

function describeDenial({ path, rule, linked }: Extract<ApprovalBlock, { kind: 'denied-path' }>): string {
  const place = linked === true ? ', at which a link shows the file,' : '';
  return `a rule denies ${codeSpan(path)}${place} to the agent (${codeSpan(rule)})`;
}

const DENIED_NEXT_STEP =
  'While that rule stands, approvals do not count. You can deny it, or make the change yourself.';

type WithdrawnReply = Extract<Reply, { kind: 'approval-withdrawn' }>;

/** An approval that was on the page when it was counted, and is not right before the commit. */
export function renderWithdrawn({ login, problem, isPending, proposals }: WithdrawnReply): string {
  const list = formatProposalList(proposals);
  const why = VOTE_PROBLEM_TEXT[problem](escapeLogin({ login }));
  return isPending
    ? joinBlocks(
        `Not applied: ${why}. Pending again:`,
        list,
        `Only a new comment approves, such as ${codeSpan(`/approve ${proposals[0]?.id ?? '<id>'}`)}.`,
      )
    : joinBlocks(`One approval doesn’t count: ${why}. The other approvals are enough for:`, list);
}

const VOTE_PROBLEM_TEXT: Readonly<Record<VoteProblem, (login: string) => string>> = {
  missing: (login) => `the comment with the approval of ${login} is not on this pull request`,
  edited: (login) => `the comment with the approval of ${login} was edited before the commit`,
  dismissed: (login) => `the approving review of ${login} was dismissed`,
  renamed: (login) =>
    `the account of ${login} was renamed since, and GitHub tells permissions by the name. Its owner can approve again under the new name`,
  'not-theirs': (login) => `the comment that was read as the approval of ${login} doesn’t say that`,
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

/** One standing approval in a list. `name` is its number, which can be a link. */
export function standingApprovalRow(approval: StandingApprovalLine, name = `**${approval.number}**`): string {
  const { by, number, grantedAt, expiresAt } = approval;
  return `- ${name} by ${escapeLogin(by)}, ${formatTime(grantedAt)}: ${scopeText(approval)}, until ${formatTime(expiresAt)}. ${codeSpan(`/revoke ${number}`)} takes it back.`;
}

const NO_STANDING_APPROVALS = 'No standing approval is in force on this pull request.';

export function renderStandingApprovals(approvals: readonly StandingApprovalLine[]): string {
  return approvals.length === 0
    ? NO_STANDING_APPROVALS
    : joinBlocks(
        'Standing approvals in force on this pull request:',
        approvals.map((one) => standingApprovalRow(one)).join('\n'),
      );
}

export function renderStandingUnknown({ number, approvals }: Extract<Reply, { kind: 'standing-unknown' }>): string {
  return joinBlocks(
    `Nothing was taken back: no standing approval ${codeSpan(String(number))} is in force here.`,
    renderStandingApprovals(approvals),
  );
}

export function renderStandingGranted({ approval }: Extract<Reply, { kind: 'standing-granted' }>): string {
  const { number, by, expiresAt } = approval;
  return joinBlocks(
    `Standing approval **${number}** of ${escapeLogin(by)}: later ${scopeText(approval)} in this pull request, in runs that this person starts count as approved by them, until ${formatTime(expiresAt)}, a new base branch or the close.`,
    `It covers only changes that are posted in a later second, and none that deletes or moves a file, touches a protected or executable file or has misleading characters. Every change is still posted first, and ${codeSpan('/deny')} wins until its commit begins. ${codeSpan(`/revoke ${number}`)} takes it back.`,
  );
}

export function renderStandingRefused({ id, obstacle }: Extract<Reply, { kind: 'standing-refused' }>): string {
  return `Your approval is for ${codeSpan(id)} alone and doesn’t stand for later changes: ${OBSTACLE_TEXT[obstacle]}.`;
}

const OBSTACLE_TEXT: Readonly<Record<StandingObstacle, string>> = {
  'switched-off': `this repository allows no standing approvals (${codeSpan('standing_approvals: off')})`,
  'globs-switched-off': `this repository allows them for single paths only (${codeSpan('standing_approvals: path')})`,
  'needs-others': 'the repository’s rules ask for other people’s approval too',
  'not-your-run': 'another person started this run',
  'not-by-the-agent': 'the agent did not propose it in this form with one of its tools',
  'deletes-or-moves': 'it deletes, moves, restores or only reads a file',
  'protected-path': 'it touches a protected file, which always needs an approval of its own',
  executable: 'it changes an executable file, which always needs an approval of its own',
  'misleading-text': 'its page warns of its lines or of its path',
  'does-not-parse': 'with it a file would no longer parse',
  'not-as-shown': 'it is not stored exactly as it is shown',
  'several-files': `it changes several files. Name them by a glob, as in ${codeSpan('/approve always src/*.ts')}`,
  'unclear-scope': `its reach is unclear. A glob is one folder from the repository’s root and one extension, as in ${codeSpan('src/*.ts')}, of at most ${MAX_SCOPE_CHARACTERS} characters`,
  'beyond-scope': 'the glob leaves out this change itself. Case counts, and a glob begins at the root',
  'too-many': `${MAX_STANDING_APPROVALS} are in force already. ${codeSpan('/revoke <n>')} makes room`,
  expired: 'its time was over when it was read',
};

export function renderStandingEnded({
  approval,
  cause,
  proposals,
}: Extract<Reply, { kind: 'standing-ended' }>): string {
  const by = escapeLogin(approval.by);
  return joinBlocks(
    `Standing approval **${approval.number}** of ${by}, for ${scopeText(approval)}, has ended: ${endText(cause)}.`,
    proposals.length === 0 ? '' : joinBlocks('Not applied, and pending again:', formatProposalList(proposals)),
  );
}

function endText(cause: StandingEnd): string {
  return cause.kind === 'revoked'
    ? `${escapeLogin(cause.by)} took it back`
    : 'a later comment could not be read because of an internal error, and might have taken it back';
}

function missingText({ missing, path }: Extract<ApprovalBlock, { kind: 'approvals-missing' }>): string {
  if (path === null) return countText(missing);
  const owner = `of a code owner of ${pathSpan(path)}`;
  return missing === 0 ? `The approval ${owner} is still needed` : `${countText(missing)}, also ${owner}`;
}

function countText(missing: number): string {
  return missing === 1 ? '1 more approval is needed' : `${missing} more approvals are needed`;
}

/** Why a person's approval doesn't count, after the login. */
const OBJECTION_TEXT: Readonly<Record<Objection, string>> = {
  'denied-path': 'cannot approve a change of a path that a rule denies',
  'no-write-access': 'has no write access to this repository',
  'below-maintain': `doesn’t have the maintain or admin role that ${codeSpan('approvers: maintain')} requires`,
  'below-admin': `doesn’t have the admin role that ${codeSpan('approvers: admin')} requires`,
  'no-code-owner': `cannot approve as a code owner, which ${codeSpan('approvers: codeowners')} requires`,
  'not-code-owner': `is not a known code owner, as ${codeSpan('approvers: codeowners')} requires`,
  'is-author': `opened this pull request, and ${codeSpan('require_non_author')} is set`,
  'is-requester': `requested this change or wrote lines of it, and ${codeSpan('require_non_requester')} is set`,
};

/** The reason for a right that the person had when approving. */
const LOST_RIGHT_TEXT: Readonly<Partial<Record<Objection, string>>> = {
  'no-write-access': 'no longer has write access to this repository',
};

const WHO_CAN_APPROVE: Readonly<Record<Objection, string>> = {
  'denied-path': DENIED_NEXT_STEP,
  'no-write-access': 'Someone with write access must approve.',
  'below-maintain': 'Someone with that role must approve.',
  'below-admin': 'Someone with that role must approve.',
  'no-code-owner': 'A code owner must approve.',
  'not-code-owner': 'A code owner must approve.',
  'is-author': 'Another person with write access must approve.',
  'is-requester': 'Another person with write access must approve.',
};

type ObjectionBlock = Extract<ApprovalBlock, { kind: 'objection' }>;

function describeObjection(
  { objection, login, setting }: ObjectionBlock,
  clauses: Readonly<Partial<Record<Objection, string>>> = OBJECTION_TEXT,
): string {
  const place =
    setting === 'require' && SET_FOR_PATHS.has(objection) ? ` in ${codeSpan('require')} for these paths` : '';
  return `${escapeLogin({ login })} ${clauses[objection] ?? OBJECTION_TEXT[objection]}${place}`;
}

/** Objections of rules that `require` can set for some paths. */
const SET_FOR_PATHS: ReadonlySet<Objection> = new Set([
  'below-maintain',
  'below-admin',
  'no-code-owner',
  'not-code-owner',
]);

function whoCanApprove({ objection, owned }: ObjectionBlock): string {
  if (owned === null) return WHO_CAN_APPROVE[objection];
  const { path, owners, unreadableTeams } = owned;
  if (objection === 'no-code-owner')
    return `No approval counts yet: ${pathSpan(path)} has ${ownerNames(owners)} whom Countersign can recognize. On the default branch, name owners by login or team in a plain ${codeSpan('CODEOWNERS')} file of at most 3 MB, or change the setting.${teamsText(unreadableTeams)}`;
  return `A code owner must approve: ${pathSpan(path)} belongs to ${ownerNames(owners)}.${teamsText(unreadableTeams)}`;
}

function pathSpan(path: string): string {
  return codeSpan(shortenPath(path, MAX_PATH_CHARACTERS));
}

const MAX_PATH_CHARACTERS = 500;

function teamsText(unreadableTeams: readonly string[]): string {
  return unreadableTeams.length === 0
    ? ''
    : ` Countersign cannot see the members of ${formatList(unreadableTeams.map(codeSpan))}: its installation lacks the permission ${codeSpan('members: read')}.`;
}

function ownerNames(owners: readonly string[]): string {
  return owners.length === 0 ? 'no code owner' : formatList(owners.map(codeSpan), 'or');
}

/** The problems of the settings file, one per line. */
function renderSettingsProblems(problems: readonly string[]): string {
  return joinBlocks(
    `${codeSpan('.github/countersign.yml')} on the default branch has these problems:`,
    formatProblems(problems),
    'You can still deny changes. Fix the file on the default branch, then approve again.',
  );
}
