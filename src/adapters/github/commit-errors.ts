import type { CommitResult } from '../../core/state/ports.ts';
import { type GitHubRequestError, toQuotableText } from './errors.ts';

/** Whether GitHub wrote nothing because the branch has another head than expected. */
export function isHeadMoved(error: GitHubRequestError): boolean {
  if (error.graphqlCodes.includes('STALE_DATA')) return true;
  if (error.status === 409) return true;
  return error.status === 422 && /not a fast.?forward/i.test(error.detail);
}

/** Converts an error of a commit to a permanent refusal; null if it is unknown whether the commit exists. */
export function commitRefusalOf(error: GitHubRequestError): Extract<CommitResult, { kind: 'refused' }> | null {
  if (error.retryAt !== null || error.status === null || error.status >= 500) return null;
  const match = REFUSAL_PATTERNS.find(({ pattern }) => pattern.test(error.detail));
  const isFinal = FINAL_STATUSES.has(error.status) || error.graphqlCodes.some((code) => FINAL_GRAPHQL_CODES.has(code));
  if (match === undefined && !isFinal) return null;
  const sentence = match?.sentence ?? 'GitHub refuses the commit';
  const quote = toQuotableText(error.detail);
  const message = quote === '' ? `${sentence}.` : `${sentence}: \`${quote}\``;
  return { kind: 'refused', message, byRule: match?.byBranchRule === true };
}

type RefusalPattern = { readonly pattern: RegExp; readonly sentence: string; readonly byBranchRule?: true };

/** GitHub's messages and our explanations. The first match counts. */
const REFUSAL_PATTERNS: readonly RefusalPattern[] = [
  {
    pattern: /workflow/i,
    sentence: 'GitHub requires the `workflows` permission for changes to workflow files',
  },
  {
    pattern: /GH006|GH013|rule violation|protected branch|protected ref|required status|signed commits/i,
    sentence: 'The rules of this branch refuse the commit',
    byBranchRule: true,
  },
  {
    pattern: /not accessible by integration|permission|forbidden|denied/i,
    sentence: 'GitHub refuses because the App lacks the permission to commit here',
  },
  {
    pattern: /archived|read-only|locked/i,
    sentence: 'GitHub refuses because the repository is read-only',
  },
  {
    pattern: /does not exist|could not resolve|not found|no such/i,
    sentence: 'GitHub does not find the branch, or the App cannot write to it',
  },
];

/** Statuses with which GitHub has applied nothing and never will. */
const FINAL_STATUSES: ReadonlySet<number | null> = new Set([403, 404, 410, 451]);

const FINAL_GRAPHQL_CODES: ReadonlySet<string> = new Set(['FORBIDDEN', 'NOT_FOUND', 'UNPROCESSABLE']);
