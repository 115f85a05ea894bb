import type { PullRequest } from '../world/state.ts';
import type { ReviewComment, Thread } from '../world/talk.ts';
import type { Replacement } from './replace-lines.ts';
import { suggestionLines } from './suggestion-block.ts';

/** A suggestion that can be applied: whose it is, in which thread, what it replaces at the head. */
export type Suggestion = {
  readonly comment: ReviewComment;
  readonly thread: Thread;
  readonly replacement: Replacement;
};

/** The suggestion in a comment, or the sentence that says why it cannot be applied. */
export function checkSuggestion(pull: PullRequest, commentId: number): Suggestion | string {
  const comment = pull.reviewComments.get(commentId);
  const thread = comment === undefined ? undefined : pull.threads.get(comment.threadId);
  const lines = comment === undefined ? undefined : suggestionLines(comment.body);
  if (comment === undefined || thread === undefined || lines === undefined) return 'There is no suggestion to apply.';
  if (pull.reviews.get(comment.reviewId)?.state === 'PENDING')
    return 'Suggestions cannot be applied from pending reviews.';
  if (thread.resolvedById !== null) return 'This suggestion has been applied or marked resolved.';
  if (thread.place.kind === 'file') return 'Applying suggestions on files is not supported.';
  const anchor = thread.place.current;
  if (anchor === null) return 'Outdated suggestions cannot be applied.';
  if (anchor.side === 'LEFT' || anchor.startSide === 'LEFT')
    return 'Applying suggestions on deleted lines is not supported.';
  return { comment, thread, replacement: { start: anchor.startLine ?? anchor.line, end: anchor.line, lines } };
}

/** Whether two of the suggestions want the same line. */
export function overlapping(suggestions: readonly Suggestion[]): boolean {
  return suggestions.some((one, index) =>
    suggestions
      .slice(index + 1)
      .some(
        (other) =>
          one.thread.path === other.thread.path &&
          one.replacement.start <= other.replacement.end &&
          other.replacement.start <= one.replacement.end,
      ),
  );
}
