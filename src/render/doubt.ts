import type { Objection } from '../policy/approval-rules.ts';
import type { Answer, Doubt } from '../run/answer.ts';
import { blocks, codeSpan, escapeText, fence } from './markdown.ts';
import { listNamed } from './named-list.ts';
import { people } from './words.ts';

const LOGIN_CAP = 100;
const PROBLEMS_AT_MOST = 30;
const PROBLEM_CAP = 500;
const FILE = codeSpan('.github/countersign.yml');

/** What follows a login: why that person's approval does not count. */
const OBJECTIONS: Readonly<Record<Objection, string>> = {
  'no-write-access': 'has no write access to this repository',
  'below-maintain': `does not have the maintain or admin role, which ${codeSpan('approvers: maintain')} asks for`,
  'below-admin': `does not have the admin role, which ${codeSpan('approvers: admin')} asks for`,
  'no-code-owner': `is not known as a code owner, whom ${codeSpan('approvers: codeowners')} asks for`,
  'wrote-the-pull-request': `wrote this pull request, and ${codeSpan('require_non_author')} asks for somebody else`,
  'gave-the-task': `gave the task or asked for this, and ${codeSpan('require_non_requester')} asks for somebody else`,
};

/** Who can help, by what stands in the way. */
const WHO: Readonly<Record<Objection, string>> = {
  'no-write-access': 'Somebody with write access has to approve.',
  'below-maintain': 'Somebody with that role has to approve.',
  'below-admin': 'Somebody with that role has to approve.',
  'no-code-owner': 'Somebody who is has to approve.',
  'wrote-the-pull-request': 'Somebody else has to approve.',
  'gave-the-task': 'Somebody else has to approve.',
};

/** Only lost is what one had when one approved. */
const LOST: Readonly<Partial<Record<Objection, string>>> = {
  'no-write-access': 'no longer has write access to this repository',
};

function objectionClause(
  { objection, login }: Extract<Doubt, { kind: 'objection' }>,
  clauses: Readonly<Partial<Record<Objection, string>>> = OBJECTIONS,
): string {
  return `${escapeText(login.slice(0, LOGIN_CAP))} ${clauses[objection] ?? OBJECTIONS[objection]}`;
}

/** A problem quotes the file: whatever stands there, it is one line of text. */
function inOneLine(problem: string): string {
  const line = problem.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ');
  return [...line].slice(0, PROBLEM_CAP).join('');
}

/** The file's problems, a line each, exactly as they are. */
function problemList(problems: readonly string[]): string {
  return blocks(
    `${FILE} on the default branch cannot be used:`,
    fence('text', problems.slice(0, PROBLEMS_AT_MOST).map(inOneLine)),
    'Everything can still be denied. Once that file is mended there, approve again.',
  );
}

type NotCounted = Extract<Answer, { kind: 'not-counted' }>;

/** An approval that was given and does not take effect. */
export function notCounted({ doubt, proposals }: NotCounted): string {
  switch (doubt.kind) {
    case 'broken-settings':
      return blocks(
        'Nothing was approved, because nobody can tell who may approve here.',
        problemList(doubt.problems),
        'These go on waiting:',
        listNamed(proposals),
      );
    case 'objection':
      return blocks(
        `That approval does not count: ${objectionClause(doubt)}. These go on waiting:`,
        listNamed(proposals),
        WHO[doubt.objection],
      );
    case 'too-few':
      return blocks(
        `Your approval counts already. ${people(doubt.missing, 'more', 'has', 'have')} to approve before these are applied:`,
        listNamed(proposals),
      );
  }
}

type Void = Extract<Answer, { kind: 'approval-void' }>;

/** Approvals that do not hold any more, found out right before the commit. */
export function approvalVoid({ doubt, proposals }: Void): string {
  const again = 'These are waiting again:';
  switch (doubt.kind) {
    case 'broken-settings':
      return blocks(
        `Not applied, because nobody can tell any more who may approve here. ${again}`,
        listNamed(proposals),
        problemList(doubt.problems),
      );
    case 'objection':
      return blocks(
        `Not applied, because ${objectionClause(doubt, LOST)}. ${again}`,
        listNamed(proposals),
        WHO[doubt.objection],
      );
    case 'too-few':
      return blocks(
        `Not applied, because the repository asks for more approvals than before. ${again}`,
        listNamed(proposals),
        `${people(doubt.missing, 'more', 'has', 'have')} to approve.`,
      );
  }
}
