import type { ApprovalBlock, Objection, Reply } from '../state/replies.ts';
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
        WHO_CAN_APPROVE[block.objection],
      );
    case 'denied-path':
      return joinBlocks(`Nothing was approved: ${describeDenial(block)}. Still pending:`, list, DENIED_NEXT_STEP);
    case 'approvals-missing':
      return joinBlocks(`Your approval counts. ${missingText(block.missing)} for:`, list);
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
        WHO_CAN_APPROVE[block.objection],
      );
    case 'denied-path':
      return joinBlocks(`Not applied: ${describeDenial(block)}. Pending again:`, list, DENIED_NEXT_STEP);
    case 'approvals-missing':
      return joinBlocks(
        'Not applied: the repository now requires more approvals. Pending again:',
        list,
        `${missingText(block.missing)}.`,
      );
  }
}

function describeDenial({ path, rule }: Extract<ApprovalBlock, { kind: 'denied-path' }>): string {
  return `a rule denies ${codeSpan(path)} to the agent (${codeSpan(rule)})`;
}

const DENIED_NEXT_STEP = 'Nobody can approve it while that rule stands. You can deny it, or make the change yourself.';

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

function missingText(missing: number): string {
  return missing === 1 ? '1 more approval is needed' : `${missing} more approvals are needed`;
}

/** Why a person's approval doesn't count, after the login. */
const OBJECTION_TEXT: Readonly<Record<Objection, string>> = {
  'denied-path': 'cannot approve a change of a path that a rule denies',
  'no-write-access': 'has no write access to this repository',
  'below-maintain': `doesn’t have the maintain or admin role that ${codeSpan('approvers: maintain')} requires`,
  'below-admin': `doesn’t have the admin role that ${codeSpan('approvers: admin')} requires`,
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
  'denied-path': DENIED_NEXT_STEP,
  'no-write-access': 'Someone with write access must approve.',
  'below-maintain': 'Someone with that role must approve.',
  'below-admin': 'Someone with that role must approve.',
  'not-code-owner': 'A code owner must approve.',
  'is-author': 'Another person with write access must approve.',
  'is-requester': 'Another person with write access must approve.',
  'is-instructor': 'Another person with write access must approve.',
  'is-writer': 'Another person with write access must approve.',
};

function describeObjection(
  { objection, login }: Extract<ApprovalBlock, { kind: 'objection' }>,
  clauses: Readonly<Partial<Record<Objection, string>>> = OBJECTION_TEXT,
): string {
  return `${escapeLogin({ login })} ${clauses[objection] ?? OBJECTION_TEXT[objection]}`;
}

/** The problems of the settings file, one per line. */
function renderSettingsProblems(problems: readonly string[]): string {
  return joinBlocks(
    `${codeSpan('.github/countersign.yml')} on the default branch has these problems:`,
    formatProblems(problems),
    'You can still deny changes. Fix the file on the default branch, then approve again.',
  );
}
