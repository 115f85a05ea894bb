import type { JsonObject } from '../../lib/json.ts';
import type {
  FakeIssue,
  FakeIssueComment,
  FakePullRequest,
  FakeReaction,
  FakeReactionContent,
  FakeRepository,
  GitHubState,
} from '../state/github-state.ts';
import { isPullRequest } from '../state/lookup.ts';
import { appPayload, authorAssociationOf, simpleUserPayload } from './accounts.ts';
import { labelsPayload } from './labels.ts';
import { repositoryApiUrl, repositoryPageUrl } from './repositories.ts';

/** The `issue` of an `issue_comment` event. For a pull request it has URLs, but not the head. */
export function issuePayload(github: GitHubState, repository: FakeRepository, issue: FakeIssue): JsonObject {
  const url = `${repositoryApiUrl(github, repository)}/issues/${issue.number}`;
  return {
    url,
    repository_url: repositoryApiUrl(github, repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    html_url: issuePageUrl(github, repository, issue),
    id: isPullRequest(issue) ? issue.issueId : issue.id,
    node_id: issue.nodeId,
    number: issue.number,
    title: issue.title,
    user: simpleUserPayload(github, issue.authorId),
    labels: isPullRequest(issue) ? labelsPayload(github, repository, issue) : [],
    state: issue.state,
    locked: issue.locked,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: issue.comments.size,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: authorAssociationOf(github, repository, issue.authorId),
    active_lock_reason: null,
    body: issue.body,
    reactions: reactionRollupPayload(`${url}/reactions`, []),
    performed_via_github_app: null,
    state_reason: null,
    ...(isPullRequest(issue) ? pullRequestFields(github, repository, issue) : {}),
  };
}

/** An issue comment in the REST API and in webhooks. */
export function issueCommentPayload(
  github: GitHubState,
  repository: FakeRepository,
  issue: FakeIssue,
  comment: FakeIssueComment,
): JsonObject {
  const app = comment.viaAppId === null ? undefined : github.apps.get(comment.viaAppId);
  const url = `${repositoryApiUrl(github, repository)}/issues/comments/${comment.id}`;
  return {
    url,
    html_url: `${issuePageUrl(github, repository, issue)}#issuecomment-${comment.id}`,
    issue_url: `${repositoryApiUrl(github, repository)}/issues/${issue.number}`,
    id: comment.id,
    node_id: comment.nodeId,
    user: simpleUserPayload(github, comment.authorId),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: authorAssociationOf(github, repository, comment.authorId),
    body: comment.body,
    reactions: reactionRollupPayload(`${url}/reactions`, comment.reactions),
    performed_via_github_app: app === undefined ? null : appPayload(github, app),
  };
}

function issuePageUrl(github: GitHubState, repository: FakeRepository, issue: FakeIssue): string {
  return `${repositoryPageUrl(github, repository)}/${isPullRequest(issue) ? 'pull' : 'issues'}/${issue.number}`;
}

function pullRequestFields(github: GitHubState, repository: FakeRepository, pull: FakePullRequest): JsonObject {
  const page = `${repositoryPageUrl(github, repository)}/pull/${pull.number}`;
  return {
    draft: pull.draft,
    pull_request: {
      url: `${repositoryApiUrl(github, repository)}/pulls/${pull.number}`,
      html_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      merged_at: pull.merge?.mergedAt ?? null,
    },
  };
}

/** All reactions of GitHub. */
export const REACTION_CONTENTS = [
  '+1',
  '-1',
  'laugh',
  'confused',
  'heart',
  'hooray',
  'rocket',
  'eyes',
] as const satisfies readonly FakeReactionContent[];

export function reactionPayload(github: GitHubState, reaction: FakeReaction): JsonObject {
  const { id, content, createdAt } = reaction;
  const user = simpleUserPayload(github, reaction.authorId);
  return { id, node_id: `REA_${id}`, user, content, created_at: createdAt };
}

const NO_REACTIONS = Object.fromEntries(REACTION_CONTENTS.map((content) => [content, 0]));

/** The reaction counts of a comment. */
export function reactionRollupPayload(url: string, reactions: readonly FakeReaction[]): JsonObject {
  if (reactions.length === 0) return { url, total_count: 0, ...NO_REACTIONS };
  const counts = REACTION_CONTENTS.map((content) => [
    content,
    reactions.filter((one) => one.content === content).length,
  ]);
  return { url, total_count: reactions.length, ...Object.fromEntries(counts) };
}
