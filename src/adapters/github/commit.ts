import { z } from 'zod';
import { type CommitPlan, type CommitResult, type FileWrite, GitHubError } from '../../core/step/ports.ts';
import type { Countersigned } from '../../lib/trust.ts';
import { commitWithGitObjects, fetchRepository } from './commit-objects.ts';
import type { PullConnection } from './requests/connection.ts';
import { GitHubRequestError, toQuotableText } from './requests/errors.ts';

/**
 * Creates the commit if `expectedHead` is still the head of the branch. GraphQL does this in one atomic call, but only
 * for files of mode 100644; other plans use git objects. Throws a `GitHubError` if it is unknown whether the commit
 * exists.
 */
export async function createCommit(connection: PullConnection, plan: Countersigned<CommitPlan>): Promise<CommitResult> {
  const isPlain = plan.files.every(isPlainWrite);
  try {
    return await (isPlain ? commitWithGraphql(connection, plan) : commitWithGitObjects(connection, plan));
  } catch (error) {
    if (!(error instanceof GitHubRequestError)) throw error;
    if (isHeadMoved(error)) return { kind: 'head-moved' };
    const refusal = commitRefusalOf(error);
    if (refusal === null) throw error;
    return refusal;
  }
}

function isPlainWrite({ content, mode }: FileWrite): boolean {
  return content.kind === 'deleted' || (content.kind === 'bytes' && mode === '100644');
}

const COMMIT_MUTATION = `mutation commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

const CommitResponse = z.object({ createCommitOnBranch: z.object({ commit: z.object({ oid: z.string() }) }) });

/**
 * If GitHub does not find the repository, it might have been renamed: then the call is repeated with its current name.
 */
async function commitWithGraphql(connection: PullConnection, plan: Countersigned<CommitPlan>): Promise<CommitResult> {
  const { owner, repo } = connection.ref;
  const storedName = `${owner}/${repo}`;
  try {
    return await commitInRepository(connection, storedName, plan);
  } catch (error) {
    if (!isRepositoryNotFound(error)) throw error;
    const repository = await fetchRepository(connection);
    if (repository === null || repository.fullName === storedName) throw error;
    return commitInRepository(connection, repository.fullName, plan);
  }
}

function isRepositoryNotFound(error: unknown): boolean {
  return (
    error instanceof GitHubRequestError &&
    error.graphqlCodes.includes('NOT_FOUND') &&
    /\brepository\b/i.test(error.detail)
  );
}

async function commitInRepository(
  { write }: PullConnection,
  repositoryNameWithOwner: string,
  plan: CommitPlan,
): Promise<CommitResult> {
  const response: unknown = await write((client) =>
    client.graphql(COMMIT_MUTATION, {
      input: {
        branch: { repositoryNameWithOwner, branchName: plan.branch },
        expectedHeadOid: plan.expectedHead,
        message: splitMessage(plan.message),
        fileChanges: fileChanges(plan),
      },
    }),
  );
  const committed = CommitResponse.safeParse(response);
  if (!committed.success) throw new GitHubError('GitHub answered a commit in an unknown form', null, null);
  return { kind: 'committed', sha: committed.data.createCommitOnBranch.commit.oid };
}

/** GitHub joins both parts with a blank line. */
function splitMessage(message: string): { readonly headline: string; readonly body: string } {
  const end = message.indexOf('\n');
  if (end === -1) return { headline: message, body: '' };
  return { headline: message.slice(0, end), body: message.slice(end + 1).replace(/^\n+/, '') };
}

function fileChanges({ files }: CommitPlan) {
  return {
    additions: files.flatMap(({ path, content }) =>
      content.kind === 'bytes' ? [{ path, contents: Buffer.from(content.bytes).toString('base64') }] : [],
    ),
    deletions: files.flatMap(({ path, content }) => (content.kind === 'deleted' ? [{ path }] : [])),
  };
}

/** Whether GitHub wrote nothing because the branch has another head than expected. */
function isHeadMoved(error: GitHubRequestError): boolean {
  return error.graphqlCodes.includes('STALE_DATA') || error.status === 409;
}

/** Converts an error of a commit to a permanent refusal; null if it is unknown whether the commit exists. */
function commitRefusalOf(error: GitHubRequestError): Extract<CommitResult, { kind: 'refused' }> | null {
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

/**
 * GitHub's messages and our explanations. The first match counts: a rule can name a workflow, such as a required check.
 */
const REFUSAL_PATTERNS: readonly RefusalPattern[] = [
  {
    pattern: /GH006|GH013|rule violation|protected branch|protected ref|required status|signed commits/i,
    sentence: 'The rules of this branch refuse the commit',
    byBranchRule: true,
  },
  {
    pattern: /workflow/i,
    sentence: 'GitHub requires the `workflows` permission for changes to workflow files',
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
