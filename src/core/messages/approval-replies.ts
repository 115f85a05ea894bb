import { formatList } from '../../lib/format.ts';
import type { ApprovalBlock, Objection, Ownership, Reply } from '../state/replies.ts';
import type { VoteProblem } from '../state/vote-source.ts';
import { codeSpan, joinBlocks } from './markdown.ts';
import { escapeLogin, formatProposalList } from './proposal-status.ts';
import { formatProblems } from './settings-replies.ts';

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
    case 'approvals-missing':
      return joinBlocks(
        'Not applied: the repository now requires more approvals. Pending again:',
        list,
        `${missingText(block)}.`,
      );
  }
}

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
  'not-theirs': (login) => `the comment that was read as the approval of ${login} doesn’t say that`,
};

function missingText({ missing, ownership }: Extract<ApprovalBlock, { kind: 'approvals-missing' }>): string {
  const owners = ownership === null ? '' : describeOwners(ownership);
  if (missing === 0) return `The approval of a code owner is still needed (${owners})`;
  const people = countText(missing);
  return owners === '' ? people : `${people}, also of a code owner (${owners})`;
}

function countText(missing: number): string {
  return missing === 1 ? '1 more approval is needed' : `${missing} more approvals are needed`;
}

/** Why a person's approval doesn't count, after the login. */
const OBJECTION_TEXT: Readonly<Record<Objection, string>> = {
  'no-write-access': 'has no write access to this repository',
  'below-maintain': `doesn’t have the maintain or admin role that ${codeSpan('approvers: maintain')} requires`,
  'below-admin': `doesn’t have the admin role that ${codeSpan('approvers: admin')} requires`,
  'no-code-owner': `cannot approve as a code owner, which ${codeSpan('approvers: codeowners')} requires`,
  'not-code-owner': `is not a known code owner, as ${codeSpan('approvers: codeowners')} requires`,
  'is-author': `opened this pull request, and ${codeSpan('require_non_author')} is set`,
  'is-requester': `requested this change, and ${codeSpan('require_non_requester')} is set`,
  'is-instructor': `instructed the agent before this change was proposed, and ${codeSpan('require_non_requester')} is set`,
  'is-writer': `wrote lines of this change, and ${codeSpan('require_non_author')} or ${codeSpan('require_non_requester')} is set`,
};

/** The same for a right that the person had when approving. */
const LOST_RIGHT_TEXT: Readonly<Partial<Record<Objection, string>>> = {
  'no-write-access': 'no longer has write access to this repository',
};

const WHO_CAN_APPROVE: Readonly<Record<Objection, string>> = {
  'no-write-access': 'Someone with write access must approve.',
  'below-maintain': 'Someone with that role must approve.',
  'below-admin': 'Someone with that role must approve.',
  'no-code-owner': 'A code owner must approve.',
  'not-code-owner': 'A code owner must approve.',
  'is-author': 'Another person with write access must approve.',
  'is-requester': 'Another person with write access must approve.',
  'is-instructor': 'Another person with write access must approve.',
  'is-writer': 'Another person with write access must approve.',
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

function whoCanApprove({ objection, ownership }: ObjectionBlock): string {
  if (ownership === null) return WHO_CAN_APPROVE[objection];
  const { paths, unreadableTeams } = ownership;
  return joinBlocks(
    objection === 'no-code-owner' ? noOwnerText(ownership) : `${WHO_CAN_APPROVE[objection]} ${fileText(ownership)}`,
    paths.map(({ path, owners }) => `- ${codeSpan(path)}: ${ownerNames(owners)}`).join('\n'),
    unreadableTeams.length === 0
      ? ''
      : `Countersign cannot see the members of ${formatList(unreadableTeams.map(codeSpan))}: its installation lacks the permission ${codeSpan('members: read')}. A person whom the file names by login can approve.`,
    paths.some(({ owners }) => owners.some((owner) => !owner.startsWith('@')))
      ? 'An e-mail address names no account, so nobody can approve by it.'
      : '',
  );
}

function noOwnerText(ownership: Ownership): string {
  return `${fileText(ownership)} So nobody can approve this. Give each path an owner that Countersign can tell, on the default branch, or change the setting.`;
}

/** What became of the file. Without a usable one nobody owns anything. */
function fileText({ file }: Ownership): string {
  switch (file.kind) {
    case 'missing':
      return 'There is no CODEOWNERS file on the default branch.';
    case 'too-large':
      return `${codeSpan(file.path)} has more than 3 MB, and GitHub ignores it.`;
    case 'too-slow':
      return `${codeSpan(file.path)} could not be read in time.`;
    case 'file':
      return file.invalidLines === 0
        ? `${codeSpan(file.path)} names the owners.`
        : `${codeSpan(file.path)} names the owners; ${file.invalidLines} ${file.invalidLines === 1 ? 'line of it is' : 'lines of it are'} invalid, and GitHub skips them.`;
  }
}

function describeOwners({ paths }: Ownership): string {
  return paths.map(({ path, owners }) => `${codeSpan(path)}: ${ownerNames(owners)}`).join('; ');
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
