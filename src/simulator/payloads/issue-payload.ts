import type { Issue, PullRequest, Repository, World } from '../world/state.ts';
import type { IssueComment } from '../world/talk.ts';
import { simpleUser } from './account-payload.ts';
import { appPayload } from './app-payload.ts';
import { authorAssociation } from './author-association.ts';
import type { Json } from './json.ts';
import { reactionRollup } from './reaction-payload.ts';
import { apiUrl, pageUrl } from './urls.ts';

/** The `issue` of an `issue_comment` event. A pull request's shows addresses only, never its head. */
export function issuePayload(world: World, repository: Repository, issue: Issue | PullRequest): Json {
  const url = `${apiUrl(world, repository)}/issues/${issue.number}`;
  return {
    url,
    repository_url: apiUrl(world, repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    html_url: issuePage(world, repository, issue),
    id: 'issueId' in issue ? issue.issueId : issue.id,
    node_id: issue.nodeId,
    number: issue.number,
    title: issue.title,
    user: simpleUser(world, issue.authorId),
    labels: [],
    state: issue.state,
    locked: issue.locked,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: issue.comments.size,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: authorAssociation(world, repository, issue.authorId),
    active_lock_reason: null,
    body: issue.body,
    reactions: reactionRollup(`${url}/reactions`, []),
    performed_via_github_app: null,
    state_reason: null,
    ...('head' in issue ? pullAddresses(world, repository, issue) : {}),
  };
}

/** A comment of a conversation, as REST and webhooks show it. */
export function issueCommentPayload(world: World, repository: Repository, issue: Issue, comment: IssueComment): Json {
  const app = comment.viaAppId === null ? undefined : world.apps.get(comment.viaAppId);
  const url = `${apiUrl(world, repository)}/issues/comments/${comment.id}`;
  return {
    url,
    html_url: `${issuePage(world, repository, issue)}#issuecomment-${comment.id}`,
    issue_url: `${apiUrl(world, repository)}/issues/${issue.number}`,
    id: comment.id,
    node_id: comment.nodeId,
    user: simpleUser(world, comment.authorId),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: authorAssociation(world, repository, comment.authorId),
    body: comment.body,
    reactions: reactionRollup(`${url}/reactions`, comment.reactions),
    performed_via_github_app: app === undefined ? null : appPayload(world, app),
  };
}

function issuePage(world: World, repository: Repository, issue: Issue): string {
  return `${pageUrl(world, repository)}/${'head' in issue ? 'pull' : 'issues'}/${issue.number}`;
}

function pullAddresses(world: World, repository: Repository, pull: PullRequest): Json {
  const page = `${pageUrl(world, repository)}/pull/${pull.number}`;
  return {
    draft: pull.draft,
    pull_request: {
      url: `${apiUrl(world, repository)}/pulls/${pull.number}`,
      html_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      merged_at: pull.merge?.at ?? null,
    },
  };
}
