import { z } from 'zod';
import type { CommitPlan, CommitResult, FileWrite } from '../../core/step/ports.ts';
import type { Countersigned } from '../../lib/trust.ts';
import { commitWithGitObjects, fetchRepository } from './commit-objects.ts';
import { askGraphql, type PullConnection } from './requests/connection.ts';
import { explainRefusal, GitHubRequestError } from './requests/errors.ts';

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
    const { meaning } = error;
    if (meaning === 'try-again' || error.retryAt !== null) throw error;
    if (meaning === 'branch-moved') return { kind: 'head-moved' };
    return { kind: 'refused', message: explainRefusal(error), byRule: meaning === 'refused-by-rule' };
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
    error.failure.types?.includes('NOT_FOUND') === true &&
    /\brepository\b/i.test(error.failure.detail)
  );
}

async function commitInRepository(
  { write }: PullConnection,
  repositoryNameWithOwner: string,
  plan: CommitPlan,
): Promise<CommitResult> {
  const input = {
    branch: { repositoryNameWithOwner, branchName: plan.branch },
    expectedHeadOid: plan.expectedHead,
    message: splitMessage(plan.message),
    fileChanges: fileChanges(plan),
  };
  const { createCommitOnBranch } = await askGraphql(write, COMMIT_MUTATION, { input }, CommitResponse);
  return { kind: 'committed', sha: createCommitOnBranch.commit.oid };
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
