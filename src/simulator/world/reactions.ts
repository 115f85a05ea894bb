import type { React } from './inputs.ts';
import { conversationOfComment, pullOfReviewComment } from './lookup.ts';
import type { Operation } from './outcome.ts';
import { NOT_FOUND } from './refusals.ts';
import type { World } from './state.ts';
import type { Reaction } from './talk.ts';
import { timestamp } from './timestamp.ts';
import { done, recorded, refused, takeId, withConversation, withEntry, withPull } from './update.ts';

/** Adds a reaction to a comment of the conversation. No webhook tells of reactions. */
export const reactToComment: Operation<React, Reaction> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  const issue = repository === undefined ? undefined : conversationOfComment(repository, input.commentId);
  const comment = issue?.comments.get(input.commentId);
  if (repository === undefined || issue === undefined || comment === undefined) return refused(world, NOT_FOUND);
  const { state, reaction, reactions } = react(world, comment.reactions, input, issue.number, now);
  const comments = withEntry(issue.comments, comment.id, { ...comment, reactions });
  return done(withConversation(state, repository.id, issue.number, { comments }), reaction);
};

/** Adds a reaction to a comment of a review thread. */
export const reactToReviewComment: Operation<React, Reaction> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  const pull = repository === undefined ? undefined : pullOfReviewComment(repository, input.commentId);
  const comment = pull?.reviewComments.get(input.commentId);
  if (repository === undefined || pull === undefined || comment === undefined) return refused(world, NOT_FOUND);
  const { state, reaction, reactions } = react(world, comment.reactions, input, pull.number, now);
  const reviewComments = withEntry(pull.reviewComments, comment.id, { ...comment, reactions });
  return done(withPull(state, repository.id, { ...pull, reviewComments }), reaction);
};

/** The same reaction of the same account is there only once. */
function react(
  world: World,
  before: readonly Reaction[],
  { actor, content, repositoryId }: React,
  number: number,
  now: number,
) {
  const known = before.find((one) => one.authorId === actor.accountId && one.content === content);
  if (known !== undefined) return { state: world, reaction: known, reactions: before };
  const [id, counted] = takeId(world);
  const reaction = { id, authorId: actor.accountId, content, createdAt: timestamp(now) };
  const state = recorded(counted, 'reaction-added', actor, now, { repositoryId, number, id });
  return { state, reaction, reactions: [...before, reaction] };
}
