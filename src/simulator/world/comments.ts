import { bodyChange, issueCommentEvent } from '../payloads/events.ts';
import type { Actor } from './access.ts';
import type { CreateComment, EditComment, OnComment } from './inputs.ts';
import { conversationOf, conversationOfComment, mayWrite } from './lookup.ts';
import type { Operation } from './outcome.ts';
import { bodyProblem, LOCKED, NOT_ALLOWED, NOT_FOUND } from './refusals.ts';
import type { Issue, Repository } from './state.ts';
import type { IssueComment } from './talk.ts';
import { timestamp } from './timestamp.ts';
import { done, nodeId, recorded, refused, takeId, withConversation, withEntry, withoutEntry } from './update.ts';

/** Says something in the conversation of an issue or a pull request. */
export const createComment: Operation<CreateComment, IssueComment> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  const issue = repository === undefined ? undefined : conversationOf(repository, input.number);
  if (repository === undefined || issue === undefined) return refused(world, NOT_FOUND);
  if (isShutOut(repository, issue, input.actor)) return refused(world, LOCKED);
  const problem = bodyProblem('IssueComment', input.body);
  if (problem !== undefined) return refused(world, problem);
  const [id, counted] = takeId(world);
  const comment: IssueComment = {
    id,
    nodeId: nodeId('IC', id),
    authorId: input.actor.accountId,
    viaAppId: input.actor.viaAppId,
    body: input.body,
    createdAt: timestamp(now),
    updatedAt: timestamp(now),
    reactions: [],
  };
  const fields = { comments: withEntry(issue.comments, id, comment), updatedAt: timestamp(now) };
  const kept = withConversation(counted, repository.id, issue.number, fields);
  const state = recorded(kept, 'comment-created', input.actor, now, {
    repositoryId: repository.id,
    number: issue.number,
    id,
  });
  const about = { repository, issue: { ...issue, ...fields }, comment };
  return done(state, comment, [issueCommentEvent(state, about, 'created', input.actor)]);
};

/** Changes a comment's body: its author, people with write access and Apps may. */
export const editComment: Operation<EditComment, IssueComment> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  const issue = repository === undefined ? undefined : conversationOfComment(repository, input.commentId);
  const before = issue?.comments.get(input.commentId);
  if (repository === undefined || issue === undefined || before === undefined) return refused(world, NOT_FOUND);
  if (!mayModerate(repository, input.actor, before.authorId)) return refused(world, NOT_ALLOWED);
  const problem = bodyProblem('IssueComment', input.body);
  if (problem !== undefined) return refused(world, problem);
  const comment = { ...before, body: input.body, updatedAt: timestamp(now) };
  const fields = { comments: withEntry(issue.comments, comment.id, comment) };
  const about = { repositoryId: repository.id, number: issue.number, id: comment.id };
  const kept = withConversation(world, repository.id, issue.number, fields);
  const state = recorded(kept, 'comment-edited', input.actor, now, about);
  const shown = { repository, issue: { ...issue, ...fields }, comment };
  return done(state, comment, [issueCommentEvent(state, shown, 'edited', input.actor, bodyChange(before.body))]);
};

/** Deletes a comment, by the same rule as editing. */
export const deleteComment: Operation<OnComment, null> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  const issue = repository === undefined ? undefined : conversationOfComment(repository, input.commentId);
  const comment = issue?.comments.get(input.commentId);
  if (repository === undefined || issue === undefined || comment === undefined) return refused(world, NOT_FOUND);
  if (!mayModerate(repository, input.actor, comment.authorId)) return refused(world, NOT_ALLOWED);
  const fields = { comments: withoutEntry(issue.comments, comment.id) };
  const about = { repositoryId: repository.id, number: issue.number, id: comment.id };
  const kept = withConversation(world, repository.id, issue.number, fields);
  const state = recorded(kept, 'comment-deleted', input.actor, now, about);
  const shown = { repository, issue: { ...issue, ...fields }, comment };
  return done(state, null, [issueCommentEvent(state, shown, 'deleted', input.actor)]);
};

/** Whether somebody may change or delete what another wrote. */
export function mayModerate(repository: Repository, actor: Actor, authorId: number | null): boolean {
  return actor.viaAppId !== null || actor.accountId === authorId || mayWrite(repository, actor.accountId);
}

/**
 * Whether a lock keeps somebody from saying anything new. Only collaborators get past it, and an App is none, whatever
 * its permissions (renovatebot/renovate#6215, open-telemetry/opentelemetry-dotnet#6554).
 */
export function isShutOut(repository: Repository, issue: Issue, actor: Actor): boolean {
  return issue.locked && (actor.viaAppId !== null || !mayWrite(repository, actor.accountId));
}
