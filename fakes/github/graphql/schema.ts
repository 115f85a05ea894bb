import { assertScalarType, buildSchema, GraphQLError } from 'graphql';

/**
 * The supported part of GitHub’s public schema (https://docs.github.com/public/fpt/schema.docs.graphql), with its names
 * and types.
 */
export const SCHEMA = buildSchema(`
  scalar Base64String
  scalar BigInt
  scalar DateTime
  scalar GitObjectID
  scalar GitRefname
  scalar URI

  type Query {
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
    repository(followRenames: Boolean = true, name: String!, owner: String!): Repository
  }

  type Mutation {
    addReaction(input: AddReactionInput!): AddReactionPayload
    createCommitOnBranch(input: CreateCommitOnBranchInput!): CreateCommitOnBranchPayload
    resolveReviewThread(input: ResolveReviewThreadInput!): ResolveReviewThreadPayload
    unresolveReviewThread(input: UnresolveReviewThreadInput!): UnresolveReviewThreadPayload
    updatePullRequestReviewComment(input: UpdatePullRequestReviewCommentInput!): UpdatePullRequestReviewCommentPayload
    updateRefs(input: UpdateRefsInput!): UpdateRefsPayload
  }

  interface Node { id: ID! }

  type Repository implements Node {
    databaseId: Int
    defaultBranchRef: Ref
    id: ID!
    name: String!
    nameWithOwner: String!
    pullRequest(number: Int!): PullRequest
  }

  enum PullRequestState { CLOSED MERGED OPEN }
  enum DiffSide { LEFT RIGHT }
  enum PullRequestReviewState { APPROVED CHANGES_REQUESTED COMMENTED DISMISSED PENDING }
  interface Actor { login: String! }
  type Bot implements Actor & Node { databaseId: Int id: ID! login: String! }

  type PullRequest implements Node {
    author: Actor
    baseRef: Ref
    baseRefName: String!
    baseRefOid: GitObjectID!
    body: String!
    changedFiles: Int!
    comments(after: String, first: Int, last: Int): IssueCommentConnection!
    commits(after: String, first: Int, last: Int): PullRequestCommitConnection!
    reviews(after: String, first: Int, last: Int): PullRequestReviewConnection
    headRefName: String!
    headRefOid: GitObjectID!
    headRepository: Repository
    id: ID!
    isDraft: Boolean!
    labels(after: String, first: Int, last: Int): LabelConnection
    latestOpinionatedReviews(after: String, first: Int, last: Int): PullRequestReviewConnection
    number: Int!
    reviewThreads(after: String, first: Int, last: Int): PullRequestReviewThreadConnection!
    state: PullRequestState!
    title: String!
  }

  type LabelConnection { nodes: [Label] pageInfo: PageInfo! totalCount: Int! }
  type Label implements Node { id: ID! name: String! }

  type PullRequestReviewThreadConnection { nodes: [PullRequestReviewThread] pageInfo: PageInfo! totalCount: Int! }
  type PullRequestReviewThread implements Node {
    comments(after: String, first: Int, last: Int): PullRequestReviewCommentConnection!
    diffSide: DiffSide!
    id: ID!
    isOutdated: Boolean!
    isResolved: Boolean!
    line: Int
    path: String!
    resolvedBy: User
    startLine: Int
  }

  type PullRequestReviewCommentConnection { nodes: [PullRequestReviewComment] pageInfo: PageInfo! totalCount: Int! }
  type PullRequestReviewComment implements Node {
    author: Actor
    body: String!
    createdAt: DateTime!
    databaseId: Int
    diffHunk: String!
    fullDatabaseId: BigInt
    id: ID!
    isMinimized: Boolean!
    outdated: Boolean!
    path: String!
    pullRequestReview: PullRequestReview
    updatedAt: DateTime!
    url: URI!
  }
  type IssueCommentConnection { nodes: [IssueComment] pageInfo: PageInfo! totalCount: Int! }
  type IssueComment implements Node {
    author: Actor
    body: String!
    createdAt: DateTime!
    fullDatabaseId: BigInt
    id: ID!
    isMinimized: Boolean!
    updatedAt: DateTime!
  }

  type PullRequestReviewConnection { nodes: [PullRequestReview] pageInfo: PageInfo! totalCount: Int! }
  type PullRequestReview implements Node {
    author: Actor
    body: String!
    comments(after: String, first: Int, last: Int): PullRequestReviewCommentConnection!
    createdAt: DateTime!
    fullDatabaseId: BigInt
    id: ID!
    state: PullRequestReviewState!
    updatedAt: DateTime!
  }


  type PageInfo { endCursor: String hasNextPage: Boolean! }
  type User implements Actor { databaseId: Int login: String! }
  interface GitObject { id: ID! oid: GitObjectID! }
  type Commit implements GitObject & Node {
    checkSuites(after: String, first: Int, last: Int): CheckSuiteConnection
    id: ID!
    oid: GitObjectID!
    repository: Repository!
    status: Status
    tree: Tree!
    url: URI!
  }
  type Tree implements GitObject & Node { id: ID! oid: GitObjectID! }

  enum CheckStatusState { COMPLETED IN_PROGRESS PENDING QUEUED REQUESTED WAITING }
  enum CheckConclusionState {
    ACTION_REQUIRED CANCELLED FAILURE NEUTRAL SKIPPED STALE STARTUP_FAILURE SUCCESS TIMED_OUT
  }
  enum CheckRunType { ALL LATEST }
  enum CheckAnnotationLevel { FAILURE NOTICE WARNING }
  enum StatusState { ERROR EXPECTED FAILURE PENDING SUCCESS }
  input CheckRunFilter { checkName: String checkType: CheckRunType }
  type App { databaseId: Int id: ID! name: String! slug: String! }
  type Workflow implements Node { id: ID! name: String! }
  type WorkflowRun implements Node { id: ID! workflow: Workflow! }
  type CheckSuiteConnection { nodes: [CheckSuite] pageInfo: PageInfo! totalCount: Int! }
  type CheckSuite implements Node {
    app: App
    checkRuns(after: String, filterBy: CheckRunFilter, first: Int, last: Int): CheckRunConnection
    conclusion: CheckConclusionState
    id: ID!
    status: CheckStatusState!
    workflowRun: WorkflowRun
  }
  type CheckRunConnection { nodes: [CheckRun] pageInfo: PageInfo! totalCount: Int! }
  type CheckRun implements Node {
    annotations(after: String, first: Int, last: Int): CheckAnnotationConnection
    conclusion: CheckConclusionState
    detailsUrl: URI
    id: ID!
    name: String!
    status: CheckStatusState!
    summary: String
    text: String
    title: String
  }
  type CheckAnnotationConnection { nodes: [CheckAnnotation] pageInfo: PageInfo! totalCount: Int! }
  type CheckAnnotation {
    annotationLevel: CheckAnnotationLevel
    location: CheckAnnotationSpan!
    message: String!
    path: String!
    title: String
  }
  type CheckAnnotationSpan { end: CheckAnnotationPosition! start: CheckAnnotationPosition! }
  type CheckAnnotationPosition { column: Int line: Int! }
  type Status implements Node { contexts: [StatusContext!]! id: ID! state: StatusState! }
  type StatusContext implements Node {
    context: String!
    description: String
    id: ID!
    state: StatusState!
    targetUrl: URI
  }

  type Ref { id: ID! name: String! prefix: String! target: GitObject }
  type PullRequestCommitConnection { nodes: [PullRequestCommit] pageInfo: PageInfo! totalCount: Int! }
  type PullRequestCommit implements Node { commit: Commit! id: ID! }

  input CreateCommitOnBranchInput {
    branch: CommittableBranch!
    clientMutationId: String
    expectedHeadOid: GitObjectID!
    fileChanges: FileChanges
    message: CommitMessage!
  }
  input CommittableBranch { branchName: String id: ID repositoryNameWithOwner: String }
  input CommitMessage { body: String headline: String! }
  input FileChanges { additions: [FileAddition!] = [] deletions: [FileDeletion!] = [] }
  input FileAddition { contents: Base64String! path: String! }
  input FileDeletion { path: String! }
  type CreateCommitOnBranchPayload { clientMutationId: String commit: Commit ref: Ref }

  input UpdateRefsInput { clientMutationId: String refUpdates: [RefUpdate!]! repositoryId: ID! }
  input RefUpdate { afterOid: GitObjectID! beforeOid: GitObjectID force: Boolean = false name: GitRefname! }
  type UpdateRefsPayload { clientMutationId: String }

  input UpdatePullRequestReviewCommentInput { body: String! clientMutationId: String pullRequestReviewCommentId: ID! }
  type UpdatePullRequestReviewCommentPayload { clientMutationId: String pullRequestReviewComment: PullRequestReviewComment }

  input ResolveReviewThreadInput { clientMutationId: String threadId: ID! }
  input UnresolveReviewThreadInput { clientMutationId: String threadId: ID! }
  type ResolveReviewThreadPayload { clientMutationId: String thread: PullRequestReviewThread }
  type UnresolveReviewThreadPayload { clientMutationId: String thread: PullRequestReviewThread }

  enum ReactionContent { CONFUSED EYES HEART HOORAY LAUGH ROCKET THUMBS_DOWN THUMBS_UP }
  input AddReactionInput { clientMutationId: String content: ReactionContent! subjectId: ID! }
  type AddReactionPayload { clientMutationId: String reaction: Reaction }
  type Reaction { content: ReactionContent! databaseId: Int id: ID! }
`);

/** GitHub’s schema does not define the formats of its scalars. */
const SCALAR_PATTERNS = { GitObjectID: /^[0-9a-f]{40}$/, Base64String: /^[A-Za-z0-9+/\s]*={0,2}\s*$/ } as const;

for (const [name, pattern] of Object.entries(SCALAR_PATTERNS)) {
  const accept = (value: unknown): string => {
    if (typeof value === 'string' && pattern.test(value)) return value;
    throw new GraphQLError(`Not a valid ${name}`);
  };
  Object.assign(assertScalarType(SCHEMA.getType(name)), { coerceInputValue: accept, parseValue: accept });
}
