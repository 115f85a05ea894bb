import { hash } from 'node:crypto';
import { z } from 'zod';
import { COMMAND_GRAMMAR } from '../commands/all-commands.ts';
import { parseComment } from '../comments/parse-comment.ts';
import type { Actor, CommentLocation, Intent, ParsedComment, PullRequestRef, ReviewState } from '../state/intent.ts';
import type { IgnoreReason } from '../step/reasons.ts';
import {
  actorOf,
  createReader,
  type DeliveryContext,
  type PayloadAccount,
  PayloadComment,
  PayloadPull,
  PayloadRepository,
  PositiveId,
  type PullRequestEventReader,
  Timestamp,
  toPullRequestRef,
} from './payload-schemas.ts';

/** Reads the comment of a webhook, unless the App itself acted: most webhooks are of that kind. */
function createCommentReader(extract: CommentExtractor, read: CommentReader): PullRequestEventReader {
  return (payload, context) => {
    if (context.sender?.id === context.app.botId) return 'own-event';
    const comment = extract(payload);
    if (typeof comment === 'string') return comment;
    const actor = findCommenter(comment, context);
    if (typeof actor === 'string') return actor;
    const pull = toPullRequestRef(comment.repository, comment.number, context);
    return read(comment, { pull, actor, slug: context.app.slug });
  };
}

type CommentReader = (
  comment: WebhookComment,
  about: { readonly pull: PullRequestRef; readonly actor: Actor; readonly slug: string },
) => Intent | IgnoreReason;

/** Reads a new comment. It counts only if the person who sent the webhook also wrote it. */
export function createNewCommentReader(extract: CommentExtractor): PullRequestEventReader {
  return createCommentReader(extract, (comment, { pull, actor, slug }) => {
    if (comment.author?.id !== actor.id) return 'not-a-person';
    if (isEmptyReview(comment)) return 'empty-review';
    const { parsed: read, ...quotes } = parseComment(COMMAND_GRAMMAR, comment.body, slug);
    const parsed = comment.reviewState === 'approved' ? withoutWords(read) : read;
    const reason = reasonToIgnore(comment, parsed, quotes.quotedIds);
    if (reason !== null) return reason;
    const bodyHash = hash('sha256', comment.body, 'hex');
    const { location, createdAt, reviewState } = comment;
    const closed = comment.isPullClosed ? { isPullClosed: true as const } : {};
    return { kind: 'comment', pull, actor, location, parsed, ...quotes, createdAt, bodyHash, reviewState, ...closed };
  });
}

/** The text of an approving review has no use and should not be stored, unless it is for the App. */
function withoutWords(parsed: ParsedComment): ParsedComment {
  if (parsed.kind !== 'text' || parsed.addressedToApp) return parsed;
  return { ...parsed, text: '', suggestion: null, isSuggestionAlone: false };
}

/** Only an approving review has a meaning without a body. */
function isEmptyReview({ reviewState, body }: WebhookComment): boolean {
  return reviewState !== null && reviewState !== 'approved' && body.trim() === '';
}

/**
 * Reads an edited comment. An edit never decides: a person who edits a comment into a command gets a reply, even if
 * another person wrote it (S60).
 */
export function createEditedCommentReader(extract: CommentExtractor): PullRequestEventReader {
  return createCommentReader(extract, ({ body, location, createdAt }, { pull, actor, slug }) => {
    const { parsed } = parseComment(COMMAND_GRAMMAR, body, slug);
    return isAddressedToApp(parsed) ? { kind: 'edited', pull, actor, location, parsed, createdAt } : 'irrelevant-edit';
  });
}

/** The person who acts: the webhook's sender, not the comment's author. */
function findCommenter({ author, viaApp }: WebhookComment, { sender }: DeliveryContext): Actor | IgnoreReason {
  if (!sender || !author) return 'not-a-person';
  if (sender.type === 'Bot' || author.type === 'Bot') return 'bot';
  if (sender.type !== 'User') return 'not-a-person';
  return viaApp ? 'not-a-person' : actorOf(sender);
}

/**
 * Why a comment is not for the App, or null. Replies and words in the conversation pass, because only the store knows
 * the owner of a thread, and whether the App asked the writer something.
 */
function reasonToIgnore(
  comment: WebhookComment,
  parsed: ParsedComment,
  quotedIds: readonly string[],
): IgnoreReason | null {
  if (comment.isReply || isAddressedToApp(parsed)) return null;
  if (parsed.kind !== 'text') return 'not-addressed';
  if (comment.reviewState === 'approved' || comment.reviewState === 'changes_requested') return null;
  if (comment.location.at !== 'conversation') return 'not-addressed';
  const hasWords = parsed.text !== '' && !parsed.addressedToSomeoneElse;
  return hasWords || quotedIds.length > 0 ? null : 'not-addressed';
}

/** Whether it is addressed to the App, or a command of its own, or one that is near. */
function isAddressedToApp(parsed: ParsedComment): boolean {
  if (parsed.addressedToApp || parsed.kind === 'command') return true;
  return parsed.kind === 'malformed-command' && parsed.command !== null;
}

/** A comment on a pull request, of any of GitHub's three kinds. */
type WebhookComment = {
  readonly repository: PayloadRepository;
  readonly number: number;
  readonly location: CommentLocation;
  /** True for a reply in a review thread. */
  readonly isReply: boolean;
  readonly author: PayloadAccount;
  readonly viaApp: boolean;
  readonly body: string;
  readonly createdAt: string;
  /** Null unless the comment is a review's own body. */
  readonly reviewState: ReviewState | null;
  readonly isPullClosed: boolean;
};

const IssueCommentPayload = z.object({
  repository: PayloadRepository,
  /** `pull_request` exists only if the issue is a pull request. */
  issue: PayloadPull.extend({ pull_request: z.unknown().optional() }),
  comment: PayloadComment.extend({ created_at: Timestamp }),
});

const ReviewCommentPayload = z.object({
  repository: PayloadRepository,
  pull_request: PayloadPull,
  comment: PayloadComment.extend({
    created_at: Timestamp,
    /** The first comment of the thread; missing on that comment itself. */
    in_reply_to_id: PositiveId.nullish(),
    pull_request_review_id: PositiveId.nullish(),
    path: z.string(),
    /** Null on an outdated comment. On a comment about the whole file the number can be meaningless. */
    line: PositiveId.nullish(),
    start_line: PositiveId.nullish(),
    side: z.enum(['LEFT', 'RIGHT']).nullish().catch(null),
    subject_type: z.string().nullish(),
    diff_hunk: z.string().nullish(),
  }),
});

const ReviewPayload = z.object({
  repository: PayloadRepository,
  pull_request: PayloadPull,
  review: PayloadComment.extend({ submitted_at: Timestamp, state: z.string().nullish() }),
});

/** Extracts the comment from the payload of one event, or the reason why there is none. */
export type CommentExtractor = (payload: unknown) => WebhookComment | 'malformed' | 'not-a-pull-request';

/** Extracts a comment of a pull request's conversation from an `issue_comment` payload. Ignores comments on issues. */
export const extractIssueComment = createReader(IssueCommentPayload, ({ repository, issue, comment }) => {
  if (typeof issue.pull_request !== 'object' || issue.pull_request === null) return 'not-a-pull-request';
  const location = { at: 'conversation', commentId: comment.id } as const;
  return { ...commonFields(repository, issue, comment), location, createdAt: comment.created_at };
});

/** Extracts the first comment of a thread, or a reply, from a `pull_request_review_comment` payload. */
export const extractReviewComment = createReader(ReviewCommentPayload, ({ repository, pull_request, comment }) => {
  const location = {
    at: 'thread',
    commentId: comment.id,
    rootId: comment.in_reply_to_id ?? comment.id,
    reviewId: comment.pull_request_review_id ?? null,
    path: comment.path,
    line: comment.subject_type === 'file' ? null : (comment.line ?? null),
    startLine: comment.subject_type === 'file' ? null : (comment.start_line ?? null),
    side: comment.side ?? null,
    diffHunk: comment.diff_hunk ?? '',
  } as const;
  const isReply = typeof comment.in_reply_to_id === 'number';
  return { ...commonFields(repository, pull_request, comment), location, isReply, createdAt: comment.created_at };
});

/** Extracts the body of a review from a `pull_request_review` payload. */
export const extractReviewBody = createReader(ReviewPayload, ({ repository, pull_request, review }) => {
  const location = { at: 'review', reviewId: review.id } as const;
  const reviewState = toReviewState(review.state ?? '');
  return { ...commonFields(repository, pull_request, review), location, reviewState, createdAt: review.submitted_at };
});

/** Webhooks send the state in lower case, the API in upper case. An unknown state counts as a comment. */
function toReviewState(state: string): ReviewState {
  const lowercase = state.toLowerCase();
  return lowercase === 'approved' || lowercase === 'changes_requested' ? lowercase : 'commented';
}

/** The fields that comments of all kinds have, for one that is neither a reply nor a review's own body. */
function commonFields(
  repository: PayloadRepository,
  { number, state }: z.infer<typeof PayloadPull>,
  { user: author, body, performed_via_github_app: app }: PayloadComment,
): Omit<WebhookComment, 'location' | 'createdAt'> {
  const written = { author, viaApp: (app ?? null) !== null, body: body ?? '', isReply: false, reviewState: null };
  return { repository, number, isPullClosed: state === 'closed', ...written };
}
