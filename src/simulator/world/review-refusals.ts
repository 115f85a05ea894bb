import type { AnchorProblem } from './anchor.ts';
import type { CreateReview, ReviewEvent } from './inputs.ts';
import type { ApiError, FieldError } from './outcome.ts';
import { MAX_BODY, unprocessableEntity, validationFailed } from './refusals.ts';
import type { PullRequest } from './state.ts';

const REVIEW_SENTENCES: Readonly<Record<AnchorProblem, string>> = {
  path: 'Path could not be resolved',
  line: 'Pull request review thread line must be part of the diff',
  start: 'Pull request review thread start line must be part of the same hunk as the line.',
  order: 'Pull request review thread start line must precede the end line.',
};

const COMMENT_FIELDS: Readonly<Record<AnchorProblem, Omit<FieldError, 'resource' | 'code'>>> = {
  path: { field: 'pull_request_review_thread.path', message: 'pull_request_review_thread.path is invalid' },
  line: {
    field: 'pull_request_review_thread.line',
    message: 'pull_request_review_thread.line must be part of the diff',
  },
  start: {
    field: 'pull_request_review_thread.start_line',
    message: 'pull_request_review_thread.start_line must be part of the same hunk as the line.',
  },
  order: {
    field: 'pull_request_review_thread.start_line',
    message: 'pull_request_review_thread.start_line must precede the end line.',
  },
};

const ONE_PENDING = 'can only have one pending review per pull request';

/** How the reviews endpoint refuses bad places: one sentence per kind, never naming the comment. */
export function reviewAnchorRefusal(problems: readonly AnchorProblem[]): ApiError {
  return unprocessableEntity([...new Set(problems)].map((problem) => REVIEW_SENTENCES[problem]).join(', and '));
}

/** How the comments endpoint refuses a bad place. */
export function commentAnchorRefusal(problem: AnchorProblem): ApiError {
  return validationFailed({ resource: 'PullRequestReviewComment', code: 'custom', ...COMMENT_FIELDS[problem] });
}

/** Whoever has a pending review on a pull request can neither review, comment nor reply there. */
export function pendingRefusal(pull: PullRequest, authorId: number, shape: 'review' | 'comment'): ApiError | undefined {
  const pending = [...pull.reviews.values()].some(
    (review) => review.state === 'PENDING' && review.authorId === authorId,
  );
  if (!pending) return undefined;
  if (shape === 'review') return unprocessableEntity(`User ${ONE_PENDING}`);
  const message = `user_id ${ONE_PENDING}`;
  return validationFailed({ resource: 'PullRequestReview', code: 'custom', field: 'user_id', message });
}

/** Why a review with this verdict and these words is refused, or undefined. */
export function verdictRefusal(
  pull: PullRequest,
  authorId: number,
  { event, body = '' }: { readonly event?: ReviewEvent | undefined; readonly body?: string | undefined },
): ApiError | undefined {
  const own = pull.authorId === authorId;
  if (own && event === 'APPROVE') return unprocessableEntity('Can not approve your own pull request');
  if (own && event === 'REQUEST_CHANGES')
    return unprocessableEntity('Can not request changes on your own pull request');
  const needsBody = event === 'COMMENT' || event === 'REQUEST_CHANGES';
  return needsBody && body.trim() === '' ? unprocessableEntity("Body can't be blank") : undefined;
}

/** Why the texts of a review are refused, or undefined: one text too long loses all of it. */
export function textRefusal({ body = '', comments = [], replies = [] }: CreateReview): ApiError | undefined {
  const said = [...comments, ...replies].map((comment) => comment.body);
  const tooLong = `Body is too long (maximum is ${MAX_BODY} characters)`;
  if ([body, ...said].some((text) => text.length > MAX_BODY)) {
    return unprocessableEntity(tooLong);
  }
  if (said.some((text) => text.trim() === '')) return unprocessableEntity("Body can't be blank");
  return undefined;
}
