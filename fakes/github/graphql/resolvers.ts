import { readGitCommit } from '../git/objects.ts';
import { repositoryAccessOf } from '../http/auth.ts';
import type { ServerState } from '../http/server-state.ts';
import { reviewCommentPageUrl } from '../payloads/pull-requests.ts';
import { listPullCommits, listPullFileDiffs } from '../state/commits.ts';
import type {
  FakeIssueComment,
  FakePullRequest,
  FakeRepository,
  FakeReview,
  FakeReviewComment,
  FakeReviewThread,
} from '../state/github-state.ts';
import {
  findBranchHead,
  findRepositoryByName,
  findRepositoryByPreviousName,
  listLatestVerdicts,
  listPublishedComments,
} from '../state/lookup.ts';
import { type GraphqlContext, requirePermission } from './access.ts';
import { createCheckedCommit, createCheckRunObject } from './checks.ts';
import { createConnection } from './connection.ts';
import { type GraphqlObject, GraphqlRequestError } from './execute.ts';
import type { Values } from './parser.ts';

export function createQueryObject(context: GraphqlContext): GraphqlObject {
  return {
    typeName: 'Query',
    fields: {
      repository: ({ owner, name }) =>
        createRepositoryObject(context, requireRenamedRepository(context, String(owner), String(name))),
      node: ({ id }) => createNodeObject(context, String(id)),
      nodes: ({ ids }) => (Array.isArray(ids) ? ids : []).map((id) => createNodeObject(context, String(id))),
    },
  };
}

/** Queries on GitHub also find a repository by a former name. */
function requireRenamedRepository(context: GraphqlContext, owner: string, name: string): FakeRepository {
  const renamed = findRepositoryByPreviousName(context.state.github, owner, name);
  return renamed !== undefined && canAccess(context, renamed) ? renamed : requireRepository(context, owner, name);
}

/**
 * Returns an accessible repository. Throws NOT_FOUND, also for a former name, because it is unknown whether mutations on
 * GitHub accept one.
 */
export function requireRepository(context: GraphqlContext, owner: string, name: string): FakeRepository {
  const repository = findRepositoryByName(context.state.github, owner, name);
  if (repository === undefined || !canAccess(context, repository)) {
    throw new GraphqlRequestError('NOT_FOUND', `Could not resolve to a Repository with the name '${owner}/${name}'.`);
  }
  return repository;
}

export function listAccessibleRepositories(context: GraphqlContext): readonly FakeRepository[] {
  return [...context.state.github.repositories.values()].filter((repository) => canAccess(context, repository));
}

function canAccess(context: GraphqlContext, repository: FakeRepository): boolean {
  return (
    context.identity.kind === 'installation' &&
    repositoryAccessOf(context.state, context.identity.token, repository) === 'accessible'
  );
}

/** GraphQL’s NOT_FOUND for an unknown node id. */
export function createUnknownNodeError(id: string): GraphqlRequestError {
  return new GraphqlRequestError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'.`);
}

function createNodeObject(context: GraphqlContext, id: string): GraphqlObject {
  for (const repository of listAccessibleRepositories(context)) {
    if (repository.nodeId === id) return createRepositoryObject(context, repository);
    const run = [...repository.checkRuns.values()].find((candidate) => candidate.nodeId === id);
    if (run !== undefined) return createCheckRunObject(context, repository, run);
    for (const pull of repository.pulls.values()) {
      const found = findNodeOfPull(context, repository, pull, id);
      if (found !== undefined) return found;
    }
  }
  throw createUnknownNodeError(id);
}

function findNodeOfPull(
  context: GraphqlContext,
  repository: FakeRepository,
  pull: FakePullRequest,
  id: string,
): GraphqlObject | undefined {
  requirePermission(context, 'pull_requests', 'read');
  if (pull.nodeId === id) return createPullObject(context, repository, pull);
  const thread = [...pull.threads.values()].find((candidate) => candidate.nodeId === id);
  if (thread !== undefined) return createThreadObject(context.state, pull, thread);
  const review = [...pull.reviews.values()].find((candidate) => candidate.nodeId === id);
  if (review !== undefined) return createReviewObject(context.state, pull, review) ?? undefined;
  const comment = listPublishedComments(pull).find((candidate) => candidate.nodeId === id);
  if (comment !== undefined) return createCommentObject(context.state, pull, comment);
  const inConversation = [...pull.comments.values()].find((candidate) => candidate.nodeId === id);
  return inConversation === undefined ? undefined : createIssueCommentObject(context.state, inConversation);
}

function createIssueCommentObject(state: ServerState, comment: FakeIssueComment): GraphqlObject {
  const { id, nodeId, body, minimized, authorId, createdAt, updatedAt } = comment;
  const author = createActor(state, authorId);
  const times = { createdAt, updatedAt };
  const fields = { id: nodeId, fullDatabaseId: String(id), body, ...times, author, isMinimized: minimized === true };
  return { typeName: 'IssueComment', fields };
}

/** A bot's login is without the suffix that REST has. */
function createActor(state: ServerState, id: number | null): GraphqlObject | null {
  const account = id === null ? undefined : state.github.accounts.get(id);
  if (account === undefined) return null;
  const isBot = account.type === 'Bot';
  const login = isBot ? account.login.replace(/\[bot\]$/, '') : account.login;
  return { typeName: isBot ? 'Bot' : 'User', fields: { login, databaseId: account.id } };
}

function createReviewObjects(state: ServerState, pull: FakePullRequest): readonly GraphqlObject[] {
  return [...pull.reviews.values()].flatMap((review) => createReviewObject(state, pull, review) ?? []);
}

/** Null for a review that is not submitted. */
function createReviewObject(state: ServerState, pull: FakePullRequest, review: FakeReview): GraphqlObject | null {
  const { id, nodeId, authorId, body, state: reviewState, submittedAt, updatedAt } = review;
  if (submittedAt === null) return null;
  const ids = { id: nodeId, fullDatabaseId: String(id) };
  const author = createActor(state, authorId);
  const comments = (args: Values) => {
    const own = listPublishedComments(pull).filter((comment) => comment.reviewId === id);
    const nodes = own.map((comment) => createCommentObject(state, pull, comment));
    return createConnection('PullRequestReviewCommentConnection', 'comments', args, nodes);
  };
  const fields = { ...ids, author, body, createdAt: submittedAt, updatedAt, state: reviewState, comments };
  return { typeName: 'PullRequestReview', fields };
}

export function createRepositoryObject(context: GraphqlContext, repository: FakeRepository): GraphqlObject {
  const owner = context.state.github.accounts.get(repository.ownerId)?.login ?? '';
  return {
    typeName: 'Repository',
    fields: {
      id: repository.nodeId,
      databaseId: repository.id,
      name: repository.name,
      nameWithOwner: `${owner}/${repository.name}`,
      defaultBranchRef: () => createRefObject(context, repository, repository.defaultBranch),
      pullRequest: ({ number }) => {
        requirePermission(context, 'pull_requests', 'read');
        const pull = repository.pulls.get(Number(number));
        if (pull !== undefined) return createPullObject(context, repository, pull);
        throw new GraphqlRequestError(
          'NOT_FOUND',
          `Could not resolve to a PullRequest with the number of ${String(number)}.`,
        );
      },
    },
  };
}

function createRefObject(context: GraphqlContext, repository: FakeRepository, branch: string): GraphqlObject | null {
  const sha = findBranchHead(repository, branch);
  if (sha === undefined) return null;
  requirePermission(context, 'contents', 'read');
  const fields = { id: `REF_${branch}`, name: branch, prefix: 'refs/heads/', target: createCommitObject(context, sha) };
  return { typeName: 'Ref', fields };
}

function createCommitObject({ state }: GraphqlContext, sha: string): GraphqlObject {
  const oid = readGitCommit(state.github.store, sha)?.tree ?? '';
  const tree = { typeName: 'Tree', fields: { id: `T_${oid}`, oid } };
  return { typeName: 'Commit', fields: { id: `C_${sha}`, oid: sha, tree } };
}

function createLabelObjects(repository: FakeRepository, { labels }: FakePullRequest): readonly GraphqlObject[] {
  return labels.flatMap((name) => {
    const label = repository.labels.get(name);
    return label === undefined ? [] : [{ typeName: 'Label', fields: { id: label.nodeId, name } }];
  });
}

function createPullCommitObjects(
  context: GraphqlContext,
  repository: FakeRepository,
  pull: FakePullRequest,
): readonly GraphqlObject[] {
  return listPullCommits(context.state.github.store, pull).map((sha) => ({
    typeName: 'PullRequestCommit',
    fields: { id: `PRC_${sha}`, commit: createCheckedCommit(context, repository, sha) },
  }));
}

function createPullObject(context: GraphqlContext, repository: FakeRepository, pull: FakePullRequest): GraphqlObject {
  return {
    typeName: 'PullRequest',
    fields: {
      id: pull.nodeId,
      number: pull.number,
      state: pull.merge === null ? pull.state.toUpperCase() : 'MERGED',
      isDraft: pull.draft,
      baseRef: () => {
        const sha = findBranchHead(repository, pull.base.branch);
        const target = sha === undefined ? null : createCheckedCommit(context, repository, sha);
        const fields = { id: `REF_${pull.base.branch}`, name: pull.base.branch, prefix: 'refs/heads/', target };
        return sha === undefined ? null : { typeName: 'Ref', fields };
      },
      baseRefName: pull.base.branch,
      baseRefOid: pull.base.sha,
      changedFiles: () => listPullFileDiffs(context.state.github.store, pull).length,
      headRefName: pull.head.branch,
      headRefOid: pull.head.sha,
      headRepository: () => {
        const head = context.state.github.repositories.get(pull.head.repositoryId);
        return head === undefined ? null : createRepositoryObject(context, head);
      },
      labels: (args) => createConnection('LabelConnection', 'labels', args, createLabelObjects(repository, pull)),
      latestOpinionatedReviews: (args) => {
        const latest = listLatestVerdicts(pull);
        const reviews = latest.flatMap((review) => createReviewObject(context.state, pull, review) ?? []);
        return createConnection('PullRequestReviewConnection', 'latestOpinionatedReviews', args, reviews);
      },
      title: pull.title,
      author: createActor(context.state, pull.authorId),
      body: pull.body ?? '',
      comments: (args) =>
        createConnection(
          'IssueCommentConnection',
          'comments',
          args,
          [...pull.comments.values()].map((comment) => createIssueCommentObject(context.state, comment)),
        ),
      commits: (args) =>
        createConnection(
          'PullRequestCommitConnection',
          'commits',
          args,
          createPullCommitObjects(context, repository, pull),
        ),
      reviews: (args) =>
        createConnection('PullRequestReviewConnection', 'reviews', args, createReviewObjects(context.state, pull)),
      reviewThreads: (args) =>
        createConnection(
          'PullRequestReviewThreadConnection',
          'reviewThreads',
          args,
          createThreadObjects(context.state, pull),
        ),
    },
  };
}

function createThreadObjects(state: ServerState, pull: FakePullRequest): readonly GraphqlObject[] {
  const roots = new Set(listPublishedComments(pull).map((comment) => comment.threadId));
  const threads = [...pull.threads.values()].filter((thread) => roots.has(thread.id));
  return threads.map((thread) => createThreadObject(state, pull, thread));
}

export function createThreadObject(state: ServerState, pull: FakePullRequest, thread: FakeReviewThread): GraphqlObject {
  const anchor = thread.location.kind === 'lines' ? thread.location.current : null;
  const resolver = thread.resolvedById === null ? undefined : state.github.accounts.get(thread.resolvedById);
  return {
    typeName: 'PullRequestReviewThread',
    fields: {
      id: thread.nodeId,
      isResolved: thread.resolvedById !== null,
      isOutdated: isOutdated(thread),
      path: thread.path,
      line: anchor?.line ?? null,
      startLine: anchor?.startLine ?? null,
      diffSide: thread.location.kind === 'lines' ? thread.location.original.side : 'RIGHT',
      // `resolvedBy` has the type User, so it is null for a bot.
      resolvedBy:
        resolver === undefined || resolver.type !== 'User'
          ? null
          : { typeName: 'User', fields: { login: resolver.login, databaseId: resolver.id } },
      comments: (args) => {
        const comments = listPublishedComments(pull).filter((comment) => comment.threadId === thread.id);
        const nodes = comments.map((comment) => createCommentObject(state, pull, comment));
        return createConnection('PullRequestReviewCommentConnection', 'comments', args, nodes);
      },
    },
  };
}

function createCommentObject(state: ServerState, pull: FakePullRequest, comment: FakeReviewComment): GraphqlObject {
  const thread = pull.threads.get(comment.threadId);
  const review = pull.reviews.get(comment.reviewId);
  return {
    typeName: 'PullRequestReviewComment',
    fields: {
      id: comment.nodeId,
      databaseId: comment.id,
      fullDatabaseId: String(comment.id),
      author: createActor(state, comment.authorId),
      body: comment.body,
      diffHunk: thread?.diffHunk ?? '',
      createdAt: comment.createdAt,
      updatedAt: comment.updatedAt,
      isMinimized: comment.minimized === true,
      pullRequestReview: review === undefined ? null : createReviewObject(state, pull, review),
      path: thread?.path ?? '',
      url: reviewCommentPageUrl(state.github, pull, comment),
      outdated: thread !== undefined && isOutdated(thread),
    },
  };
}

function isOutdated(thread: FakeReviewThread): boolean {
  return thread.location.kind === 'lines' && thread.location.current === null;
}
