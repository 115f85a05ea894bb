import type { RefusingRule } from '../policy/branch-rules.ts';
import type { Run } from '../run/run.ts';
import { APPLY_BY_HAND } from './fork-words.ts';
import { codeSpan } from './markdown.ts';
import { count, listOf } from './words.ts';

type Ruled = Pick<Run, 'headRef' | 'obstacles' | 'pushRefused'>;

/** What each rule asks, as a clause. */
const RULES: Readonly<Record<RefusingRule, string>> = {
  update: 'only some may update it',
  pull_request: 'it takes changes through pull requests only',
  required_status_checks: 'checks must have passed before',
  required_deployments: 'deployments must have succeeded before',
  merge_queue: 'it has a merge queue',
  commit_message_pattern: 'commit messages must have a certain form',
  commit_author_email_pattern: 'authors must have certain addresses',
  committer_email_pattern: 'committers must have certain addresses',
  file_path_restriction: 'some paths may not be changed',
  max_file_path_length: 'paths may not be too long',
  file_extension_restriction: 'some kinds of file may not be changed',
  max_file_size: 'files may not be too large',
  workflows: 'workflows must have passed before',
  code_scanning: 'code scanning must have passed before',
};

const SUGGESTIONS_ONLY = 'Countersign offers suggestions only from now on';

/** Said in the run comment before anybody approves: what GitHub's rules may prevent, or have prevented. */
export function ruleLine({ headRef, obstacles, pushRefused }: Ruled): string {
  const branch = codeSpan(headRef.slice(0, 300));
  if (pushRefused) return `The rules of ${branch} refused a commit, so ${SUGGESTIONS_ONLY}. ${APPLY_BY_HAND}`;
  const { refusing, dismissed } = obstacles;
  const may = `The rules of ${branch} may refuse commits of Countersign: ${listOf(refusing.map((rule) => RULES[rule]))}. Where one is refused, suggestions are all that is offered after it.`;
  const dismisses = `A commit dismisses the ${count(dismissed, 'approval')} that this pull request has.`;
  return [...(refusing.length > 0 ? [may] : []), ...(dismissed > 0 ? [dismisses] : [])].join(' ');
}

/** The same for a proposal's comment, as plain sentences of warning. */
export function ruleWarnings(run: Ruled | null): readonly string[] {
  if (run === null) return [];
  if (run.pushRefused) return ['The rules of this branch refuse commits of Countersign: only people can apply this.'];
  const { dismissed } = run.obstacles;
  return dismissed === 0 ? [] : [`Applying this dismisses ${count(dismissed, 'approval')} of this pull request.`];
}
