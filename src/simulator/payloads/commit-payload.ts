import { type Commit, readCommit, type Signature, unsignedText } from '../git/commit-object.ts';
import type { Sha } from '../git/object-store.ts';
import { WEB_FLOW } from '../world/new-world.ts';
import { changesBetween } from '../world/pull-diff.ts';
import { addressOf, gitHubCommitter } from '../world/signatures.ts';
import type { Account, Repository, World } from '../world/state.ts';
import { timestamp } from '../world/timestamp.ts';
import { simpleUser } from './account-payload.ts';
import type { Json } from './json.ts';
import { apiUrl, pageUrl } from './urls.ts';

/** A commit of the git data API. */
export function gitCommitPayload(world: World, repository: Repository, sha: Sha): Json | undefined {
  const commit = readCommit(world.store, sha);
  if (commit === undefined) return undefined;
  const url = `${apiUrl(world, repository)}/git/commits`;
  return {
    sha,
    node_id: `C_${sha}`,
    url: `${url}/${sha}`,
    html_url: `${pageUrl(world, repository)}/commit/${sha}`,
    author: dated(commit.author),
    committer: dated(commit.committer),
    tree: treeReference(world, repository, commit),
    message: commit.message,
    parents: parents(world, repository, commit, `${url}/`),
    verification: verification(commit),
  };
}

/** A commit of the repository API, with the accounts its addresses belong to. */
export function commitPayload(world: World, repository: Repository, sha: Sha): Json | undefined {
  const commit = readCommit(world.store, sha);
  if (commit === undefined) return undefined;
  const url = `${apiUrl(world, repository)}/commits/${sha}`;
  return {
    sha,
    node_id: `C_${sha}`,
    url,
    html_url: `${pageUrl(world, repository)}/commit/${sha}`,
    comments_url: `${url}/comments`,
    commit: {
      author: dated(commit.author),
      committer: dated(commit.committer),
      message: commit.message,
      tree: treeReference(world, repository, commit),
      url: `${apiUrl(world, repository)}/git/commits/${sha}`,
      comment_count: 0,
      verification: verification(commit),
    },
    author: simpleUser(world, accountOfAddress(world, commit.author.email)?.id ?? null),
    committer: simpleUser(world, accountOfAddress(world, commit.committer.email)?.id ?? null),
    parents: parents(world, repository, commit, `${apiUrl(world, repository)}/commits/`),
  };
}

/** A commit in a `push` event, with the paths it touched. */
export function pushedCommit(world: World, repository: Repository, sha: Sha): Json {
  const commit = readCommit(world.store, sha);
  if (commit === undefined) return {};
  const touched = changesBetween(world.store, commit.parents[0] ?? '', sha);
  const paths = (wanted: string): readonly string[] =>
    touched.filter(({ status }) => status === wanted).map(({ path }) => path);
  const renamed = touched.flatMap((change) => (change.status === 'renamed' ? [change] : []));
  return {
    id: sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: timestamp(commit.committer.seconds * 1000),
    url: `${pageUrl(world, repository)}/commit/${sha}`,
    author: named(world, commit.author),
    committer: named(world, commit.committer),
    added: [...paths('added'), ...renamed.map(({ path }) => path)],
    removed: [...paths('removed'), ...renamed.map(({ previousPath }) => previousPath)],
    modified: paths('modified'),
  };
}

function accountOfAddress(world: World, email: string): Account | undefined {
  if (email === gitHubCommitter(world).email) return WEB_FLOW;
  const account = world.accounts.get(Number(/^(\d+)\+/.exec(email)?.[1]));
  return account !== undefined && email === addressOf(world, account) ? account : undefined;
}

function dated({ name, email, seconds }: Signature): Json {
  return { name, email, date: timestamp(seconds * 1000) };
}

function named(world: World, { name, email, seconds }: Signature): Json {
  const account = accountOfAddress(world, email);
  const person = { name, email, date: timestamp(seconds * 1000) };
  return account === undefined ? person : { ...person, username: account.login };
}

function treeReference(world: World, repository: Repository, { tree }: Commit): Json {
  return { sha: tree, url: `${apiUrl(world, repository)}/git/trees/${tree}` };
}

function parents(world: World, repository: Repository, commit: Commit, prefix: string): readonly Json[] {
  return commit.parents.map((sha) => {
    return { sha, url: `${prefix}${sha}`, html_url: `${pageUrl(world, repository)}/commit/${sha}` };
  });
}

function verification(commit: Commit): Json {
  const verified = commit.signature !== null;
  return {
    verified,
    reason: verified ? 'valid' : 'unsigned',
    signature: commit.signature,
    payload: verified ? unsignedText(commit) : null,
    verified_at: verified ? timestamp(commit.committer.seconds * 1000) : null,
  };
}
