import { noop } from '../actions/step-builder.ts';
import type { CommandContext } from '../commands/shared/context.ts';
import type { Step } from '../step/step.ts';

/**
 * Replies within an hour to the pull request's author, who can be a stranger. GitHub limits the App's comments in all
 * repositories of an owner together.
 */
const MAX_AUTHOR_REPLIES = 20;

const HOUR_MS = 3_600_000;

/** The step of a comment, or none if it only replies and its author had enough replies. Decisions always count. */
export function limitAuthorReplies({ pull, role, facts: { now } }: CommandContext, step: Step): Step {
  if (role !== 'author' || step.pull !== pull || step.effects.length === 0) return step;
  const recent = (pull.authorReplies ?? []).filter((at) => Date.parse(at) > Date.parse(now) - HOUR_MS);
  if (recent.length >= MAX_AUTHOR_REPLIES) return noop(pull, 'author-replies-used-up');
  return { ...step, pull: { ...pull, authorReplies: [...recent, now] } };
}
