import type { PermissionLevel } from '../world/access.ts';
import type { PullRequest, Repository } from '../world/state.ts';
import type { ReviewComment, Thread } from '../world/talk.ts';
import { findRenamed, findRepository, publishedComments } from './find.ts';
import type { GitHubState } from './github-state.ts';
import type { Values } from './graphql-check.ts';
import { type GraphObject, GraphRefusal, type GraphValue } from './graphql-select.ts';
import { type Identity, reachOf } from './identity.ts';
import { holds } from './permission-need.ts';

/** Who looks, and at what. */
export type GraphView = { readonly state: GitHubState; readonly identity: Identity };

const FORBIDDEN = 'Resource not accessible by integration';
const LARGEST_PAGE = 100;

/** The root of queries. */
export function queryObject(view: GraphView): GraphObject {
  return {
    typeName: 'Query',
    fields: {
      repository: ({ owner, name }) => repositoryObject(view, followRenames(view, String(owner), String(name))),
      node: ({ id }) => nodeObject(view, String(id)),
    },
  };
}

/** As `requireRepository`, also by a former name, as GitHub's queries do unless told otherwise. */
function followRenames(view: GraphView, owner: string, name: string): Repository {
  const renamed = findRenamed(view.state.world, owner, name);
  return requireRepository(view, owner, renamed?.name ?? name);
}

/**
 * A repository the caller can see. Throws GitHub's NOT_FOUND; by a former name too: whether its mutations follow those is
 * not known.
 */
export function requireRepository(view: GraphView, owner: string, name: string): Repository {
  const repository = findRepository(view.state.world, owner, name);
  if (repository === undefined || !reaches(view, repository)) {
    throw new GraphRefusal('NOT_FOUND', `Could not resolve to a Repository with the name '${owner}/${name}'.`);
  }
  return repository;
}

/** All repositories the caller can see. */
export function reachable(view: GraphView): readonly Repository[] {
  return [...view.state.world.repositories.values()].filter((repository) => reaches(view, repository));
}

function reaches(view: GraphView, repository: Repository): boolean {
  return view.identity.kind === 'installation' && reachOf(view.state, view.identity.token, repository) === 'inside';
}

/** Refuses a caller without the permission, in GitHub's words. */
export function requirePermission(view: GraphView, name: string, level: PermissionLevel): void {
  const held = view.identity.kind === 'installation' && holds(view.identity.token.permissions, name, level);
  if (!held) throw new GraphRefusal('FORBIDDEN', FORBIDDEN);
}

/** The NOT_FOUND of a node id nobody has. */
export function unknownNode(id: string): GraphRefusal {
  return new GraphRefusal('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'.`);
}

function nodeObject(view: GraphView, id: string): GraphObject {
  for (const repository of reachable(view)) {
    if (repository.nodeId === id) return repositoryObject(view, repository);
    for (const pull of repository.pulls.values()) {
      const found = nodeOfPull(view, pull, id);
      if (found !== undefined) return found;
    }
  }
  throw unknownNode(id);
}

function nodeOfPull(view: GraphView, pull: PullRequest, id: string): GraphObject | undefined {
  requirePermission(view, 'pull_requests', 'read');
  if (pull.nodeId === id) return pullObject(view, pull);
  const thread = [...pull.threads.values()].find((candidate) => candidate.nodeId === id);
  if (thread !== undefined) return threadObject(view.state, pull, thread);
  const comment = publishedComments(pull).find((candidate) => candidate.nodeId === id);
  return comment === undefined ? undefined : commentObject(pull, comment);
}

function repositoryObject(view: GraphView, repository: Repository): GraphObject {
  const owner = view.state.world.accounts.get(repository.ownerId)?.login ?? '';
  return {
    typeName: 'Repository',
    fields: {
      id: repository.nodeId,
      databaseId: repository.id,
      name: repository.name,
      nameWithOwner: `${owner}/${repository.name}`,
      pullRequest: ({ number }) => {
        requirePermission(view, 'pull_requests', 'read');
        const pull = repository.pulls.get(Number(number));
        if (pull !== undefined) return pullObject(view, pull);
        throw new GraphRefusal('NOT_FOUND', `Could not resolve to a PullRequest with the number of ${String(number)}.`);
      },
    },
  };
}

function pullObject(view: GraphView, pull: PullRequest): GraphObject {
  return {
    typeName: 'PullRequest',
    fields: {
      id: pull.nodeId,
      number: pull.number,
      state: pull.merge === null ? pull.state.toUpperCase() : 'MERGED',
      isDraft: pull.draft,
      headRefName: pull.head.branch,
      headRefOid: pull.head.sha,
      reviewThreads: (args) =>
        connection('PullRequestReviewThreadConnection', 'reviewThreads', args, publishedThreads(view.state, pull)),
    },
  };
}

function publishedThreads(state: GitHubState, pull: PullRequest): readonly GraphObject[] {
  const roots = new Set(publishedComments(pull).map((comment) => comment.threadId));
  const threads = [...pull.threads.values()].filter((thread) => roots.has(thread.id));
  return threads.map((thread) => threadObject(state, pull, thread));
}

/** A review thread as the graph shows it. */
export function threadObject(state: GitHubState, pull: PullRequest, thread: Thread): GraphObject {
  const anchor = thread.place.kind === 'lines' ? thread.place.current : null;
  const resolver = thread.resolvedById === null ? undefined : state.world.accounts.get(thread.resolvedById);
  return {
    typeName: 'PullRequestReviewThread',
    fields: {
      id: thread.nodeId,
      isResolved: thread.resolvedById !== null,
      isOutdated: isOutdated(thread),
      path: thread.path,
      line: anchor?.line ?? null,
      startLine: anchor?.startLine ?? null,
      // The field is of type User, so a bot that resolved a thread reads as nobody.
      resolvedBy:
        resolver === undefined || resolver.type !== 'User'
          ? null
          : { typeName: 'User', fields: { login: resolver.login, databaseId: resolver.id } },
      comments: (args) => {
        const comments = publishedComments(pull).filter((comment) => comment.threadId === thread.id);
        const nodes = comments.map((comment) => commentObject(pull, comment));
        return connection('PullRequestReviewCommentConnection', 'comments', args, nodes);
      },
    },
  };
}

function commentObject(pull: PullRequest, comment: ReviewComment): GraphObject {
  const thread = pull.threads.get(comment.threadId);
  return {
    typeName: 'PullRequestReviewComment',
    fields: {
      id: comment.nodeId,
      databaseId: comment.id,
      fullDatabaseId: String(comment.id),
      body: comment.body,
      outdated: thread !== undefined && isOutdated(thread),
    },
  };
}

function isOutdated(thread: Thread): boolean {
  return thread.place.kind === 'lines' && thread.place.current === null;
}

function connection(typeName: string, field: string, args: Values, nodes: readonly GraphObject[]): GraphValue {
  const first = args['first'];
  if (typeof first !== 'number') {
    const message = `You must provide a \`first\` or \`last\` value to properly paginate the \`${field}\` connection.`;
    throw new GraphRefusal('MISSING_PAGINATION_BOUNDARIES', message);
  }
  if (first < 1 || first > LARGEST_PAGE) {
    const message = `Requesting ${first} records on the \`${field}\` connection exceeds the \`first\` limit of ${LARGEST_PAGE} records.`;
    throw new GraphRefusal('EXCESSIVE_PAGINATION', message);
  }
  const after = typeof args['after'] === 'string' ? Number(Buffer.from(args['after'], 'base64').toString()) : 0;
  const end = after + first;
  const cursor = Buffer.from(String(Math.min(end, nodes.length))).toString('base64');
  const pageInfo: GraphObject = {
    typeName: 'PageInfo',
    fields: { hasNextPage: end < nodes.length, endCursor: nodes.length === 0 ? null : cursor },
  };
  return { typeName, fields: { nodes: nodes.slice(after, end), pageInfo, totalCount: nodes.length } };
}
