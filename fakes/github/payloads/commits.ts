import type { JsonObject } from '../../lib/json.ts';
import { type CommitObject, encodeUnsignedCommit, type GitSignature, readGitCommit, type Sha } from '../git/objects.ts';
import { diffCommits, noreplyAddress, type TreeFileDiff, webFlowIdentity } from '../state/commits.ts';
import type { FakeAccount, FakeRepository, GitHubState } from '../state/github-state.ts';
import { formatTimestamp, WEB_FLOW_ACCOUNT } from '../state/update.ts';
import { simpleUserPayload } from './accounts.ts';
import { repositoryApiUrl, repositoryPageUrl } from './repositories.ts';

/** A commit in the git data API. */
export function gitCommitPayload(github: GitHubState, repository: FakeRepository, sha: Sha): JsonObject | undefined {
  const commit = readGitCommit(github.store, sha);
  if (commit === undefined) return undefined;
  const url = `${repositoryApiUrl(github, repository)}/git/commits`;
  return {
    sha,
    node_id: `C_${sha}`,
    url: `${url}/${sha}`,
    html_url: `${repositoryPageUrl(github, repository)}/commit/${sha}`,
    author: gitPersonPayload(commit.author),
    committer: gitPersonPayload(commit.committer),
    tree: treeReferencePayload(github, repository, commit),
    message: commit.message,
    parents: parentPayloads(github, repository, commit, `${url}/`),
    verification: verificationPayload(commit),
  };
}

/** A commit in the repository API, with the accounts of its author and committer. */
export function commitPayload(github: GitHubState, repository: FakeRepository, sha: Sha): JsonObject | undefined {
  const commit = readGitCommit(github.store, sha);
  if (commit === undefined) return undefined;
  const url = `${repositoryApiUrl(github, repository)}/commits/${sha}`;
  return {
    sha,
    node_id: `C_${sha}`,
    url,
    html_url: `${repositoryPageUrl(github, repository)}/commit/${sha}`,
    comments_url: `${url}/comments`,
    commit: {
      author: gitPersonPayload(commit.author),
      committer: gitPersonPayload(commit.committer),
      message: commit.message,
      tree: treeReferencePayload(github, repository, commit),
      url: `${repositoryApiUrl(github, repository)}/git/commits/${sha}`,
      comment_count: 0,
      verification: verificationPayload(commit),
    },
    author: simpleUserPayload(github, findAccountByEmail(github, commit.author.email)?.id ?? null),
    committer: simpleUserPayload(github, findAccountByEmail(github, commit.committer.email)?.id ?? null),
    parents: parentPayloads(github, repository, commit, `${repositoryApiUrl(github, repository)}/commits/`),
  };
}

/** A commit in a `push` event, with its changed paths. */
export function pushedCommitPayload(github: GitHubState, repository: FakeRepository, sha: Sha): JsonObject {
  const commit = readGitCommit(github.store, sha);
  if (commit === undefined) return {};
  const touched = diffCommits(github.store, commit.parents[0] ?? '', sha);
  const paths = (wanted: string): readonly string[] =>
    touched.filter(({ status }) => status === wanted).map(({ path }) => path);
  const renamed = touched.flatMap((change) => (change.status === 'renamed' ? [change] : []));
  return {
    id: sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: formatTimestamp(commit.committer.seconds * 1000),
    url: `${repositoryPageUrl(github, repository)}/commit/${sha}`,
    author: pushPersonPayload(github, commit.author),
    committer: pushPersonPayload(github, commit.committer),
    added: [...paths('added'), ...renamed.map(({ path }) => path)],
    removed: [...paths('removed'), ...renamed.map(({ previousPath }) => previousPath)],
    modified: paths('modified'),
  };
}

function findAccountByEmail(github: GitHubState, email: string): FakeAccount | undefined {
  if (email === webFlowIdentity(github).email) return WEB_FLOW_ACCOUNT;
  const account = github.accounts.get(Number(/^(\d+)\+/.exec(email)?.[1]));
  return account !== undefined && email === noreplyAddress(github, account) ? account : undefined;
}

function gitPersonPayload({ name, email, seconds }: GitSignature): JsonObject {
  return { name, email, date: formatTimestamp(seconds * 1000) };
}

function pushPersonPayload(github: GitHubState, { name, email, seconds }: GitSignature): JsonObject {
  const account = findAccountByEmail(github, email);
  const person = { name, email, date: formatTimestamp(seconds * 1000) };
  return account === undefined ? person : { ...person, username: account.login };
}

function treeReferencePayload(github: GitHubState, repository: FakeRepository, { tree }: CommitObject): JsonObject {
  return { sha: tree, url: `${repositoryApiUrl(github, repository)}/git/trees/${tree}` };
}

function parentPayloads(
  github: GitHubState,
  repository: FakeRepository,
  commit: CommitObject,
  prefix: string,
): readonly JsonObject[] {
  return commit.parents.map((sha) => {
    return { sha, url: `${prefix}${sha}`, html_url: `${repositoryPageUrl(github, repository)}/commit/${sha}` };
  });
}

function verificationPayload(commit: CommitObject): JsonObject {
  const verified = commit.signature !== null;
  return {
    verified,
    reason: verified ? 'valid' : 'unsigned',
    signature: commit.signature,
    payload: verified ? encodeUnsignedCommit(commit) : null,
    verified_at: verified ? formatTimestamp(commit.committer.seconds * 1000) : null,
  };
}

/** A changed file of a pull request, commit or comparison; its links point to the commit `head`. */
export function filePayload(
  github: GitHubState,
  repository: FakeRepository,
  head: Sha,
  { change, patch }: TreeFileDiff,
): JsonObject {
  const path = change.path.split('/').map(encodeURIComponent).join('/');
  const page = repositoryPageUrl(github, repository);
  return {
    sha: change.status === 'removed' ? change.before.sha : change.after.sha,
    filename: change.path,
    status: change.status,
    additions: patch.additions,
    deletions: patch.deletions,
    changes: patch.additions + patch.deletions,
    blob_url: `${page}/blob/${head}/${path}`,
    raw_url: `${page}/raw/${head}/${path}`,
    contents_url: `${repositoryApiUrl(github, repository)}/contents/${path}?ref=${head}`,
    ...(patch.text === null ? {} : { patch: patch.text }),
    ...(change.status === 'renamed' ? { previous_filename: change.previousPath } : {}),
  };
}
