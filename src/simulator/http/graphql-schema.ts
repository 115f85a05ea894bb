/** Argument or input field name to its type, written as GraphQL writes it. */
export type InputFields = Readonly<Record<string, string>>;
export type FieldType = { readonly type: string; readonly args?: InputFields };

const PAGE = { first: 'Int', after: 'String' } as const;

/** The part of GitHub's GraphQL schema the simulator answers: object types and their fields. */
export const OBJECT_TYPES: Readonly<Record<string, Readonly<Record<string, FieldType>>>> = {
  Query: {
    repository: { type: 'Repository', args: { owner: 'String!', name: 'String!', followRenames: 'Boolean' } },
    node: { type: 'Node', args: { id: 'ID!' } },
  },
  Mutation: {
    createCommitOnBranch: { type: 'CreateCommitOnBranchPayload', args: { input: 'CreateCommitOnBranchInput!' } },
    resolveReviewThread: { type: 'ResolveReviewThreadPayload', args: { input: 'ResolveReviewThreadInput!' } },
    unresolveReviewThread: { type: 'UnresolveReviewThreadPayload', args: { input: 'UnresolveReviewThreadInput!' } },
    addReaction: { type: 'AddReactionPayload', args: { input: 'AddReactionInput!' } },
  },
  Repository: {
    id: { type: 'ID!' },
    databaseId: { type: 'Int' },
    name: { type: 'String!' },
    nameWithOwner: { type: 'String!' },
    pullRequest: { type: 'PullRequest', args: { number: 'Int!' } },
  },
  PullRequest: {
    id: { type: 'ID!' },
    number: { type: 'Int!' },
    state: { type: 'PullRequestState!' },
    isDraft: { type: 'Boolean!' },
    headRefName: { type: 'String!' },
    headRefOid: { type: 'GitObjectID!' },
    reviewThreads: { type: 'PullRequestReviewThreadConnection!', args: PAGE },
  },
  PullRequestReviewThreadConnection: {
    nodes: { type: '[PullRequestReviewThread]' },
    pageInfo: { type: 'PageInfo!' },
    totalCount: { type: 'Int!' },
  },
  PullRequestReviewThread: {
    id: { type: 'ID!' },
    isResolved: { type: 'Boolean!' },
    isOutdated: { type: 'Boolean!' },
    path: { type: 'String!' },
    line: { type: 'Int' },
    startLine: { type: 'Int' },
    resolvedBy: { type: 'User' },
    comments: { type: 'PullRequestReviewCommentConnection!', args: PAGE },
  },
  PullRequestReviewCommentConnection: {
    nodes: { type: '[PullRequestReviewComment]' },
    pageInfo: { type: 'PageInfo!' },
    totalCount: { type: 'Int!' },
  },
  PullRequestReviewComment: {
    id: { type: 'ID!' },
    databaseId: { type: 'Int' },
    fullDatabaseId: { type: 'BigInt' },
    body: { type: 'String!' },
    outdated: { type: 'Boolean!' },
  },
  PageInfo: { hasNextPage: { type: 'Boolean!' }, endCursor: { type: 'String' } },
  User: { login: { type: 'String!' }, databaseId: { type: 'Int' } },
  CreateCommitOnBranchPayload: {
    clientMutationId: { type: 'String' },
    commit: { type: 'Commit' },
    ref: { type: 'Ref' },
  },
  Commit: { id: { type: 'ID!' }, oid: { type: 'GitObjectID!' }, url: { type: 'URI!' } },
  Ref: { id: { type: 'ID!' }, name: { type: 'String!' }, prefix: { type: 'String!' } },
  ResolveReviewThreadPayload: { clientMutationId: { type: 'String' }, thread: { type: 'PullRequestReviewThread' } },
  UnresolveReviewThreadPayload: { clientMutationId: { type: 'String' }, thread: { type: 'PullRequestReviewThread' } },
  AddReactionPayload: { clientMutationId: { type: 'String' }, reaction: { type: 'Reaction' } },
  Reaction: { id: { type: 'ID!' }, databaseId: { type: 'Int' }, content: { type: 'ReactionContent!' } },
};

/** Types a fragment may stand on below an interface. */
export const INTERFACES: Readonly<Record<string, readonly string[]>> = {
  Node: ['Repository', 'PullRequest', 'PullRequestReviewThread', 'PullRequestReviewComment'],
};

/** Input objects and their fields. */
export const INPUT_TYPES: Readonly<Record<string, InputFields>> = {
  CreateCommitOnBranchInput: {
    branch: 'CommittableBranch!',
    message: 'CommitMessage!',
    expectedHeadOid: 'GitObjectID!',
    fileChanges: 'FileChanges',
    clientMutationId: 'String',
  },
  CommittableBranch: { id: 'ID', repositoryNameWithOwner: 'String', branchName: 'String' },
  CommitMessage: { headline: 'String!', body: 'String' },
  FileChanges: { additions: '[FileAddition!]', deletions: '[FileDeletion!]' },
  FileAddition: { path: 'String!', contents: 'Base64String!' },
  FileDeletion: { path: 'String!' },
  ResolveReviewThreadInput: { threadId: 'ID!', clientMutationId: 'String' },
  UnresolveReviewThreadInput: { threadId: 'ID!', clientMutationId: 'String' },
  AddReactionInput: { subjectId: 'ID!', content: 'ReactionContent!', clientMutationId: 'String' },
};

/** How a scalar's value is checked; enums by their words. */
export const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => Number.isInteger(value),
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  ID: (value) => typeof value === 'string',
  GitObjectID: (value) => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value),
  Base64String: (value) => typeof value === 'string' && /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(value),
  ReactionContent: (value) => typeof value === 'string' && value in REACTION_WORDS,
};

/** GraphQL's words for reactions and REST's. */
export const REACTION_WORDS = {
  THUMBS_UP: '+1',
  THUMBS_DOWN: '-1',
  LAUGH: 'laugh',
  CONFUSED: 'confused',
  HEART: 'heart',
  HOORAY: 'hooray',
  ROCKET: 'rocket',
  EYES: 'eyes',
} as const;

/** The name inside list brackets and exclamation marks: `[FileAddition!]` is FileAddition. */
export function bareType(type: string): string {
  return type.replace(/[[\]!]/g, '');
}
