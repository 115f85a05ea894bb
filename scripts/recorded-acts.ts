import type { FakePerson } from '../fakes/people/person.ts';

/** `carl` is the author of the pull request, with read permission. */
export type People = {
  readonly ana: FakePerson;
  readonly carl: FakePerson;
  readonly stranger: FakePerson;
  readonly robot: FakePerson;
};

/** A proposal's comment, thread and review. */
export type PostedProposal = {
  readonly commentId: number;
  readonly proposalId: string;
  readonly threadNodeId: string;
  readonly reviewId: number;
};

/** An action whose webhook is recorded. `earlierCommentId` is the comment of `earlierAct`, 0 without one. */
type Act = (people: People, firstProposal: PostedProposal, earlierCommentId: number) => unknown;

/** A folder of recordings: a state of the App, and acts whose webhooks the App does not receive. */
export type Scenario = {
  /** The text of `.github/countersign.yml`. */
  readonly settings?: string;
  /** Whether a task was given, and both of its proposals are pending. */
  readonly hasPendingProposals: boolean;
  /** An action that the App receives before the acts. Returns the id of its comment. */
  readonly earlierAct?: (people: People, firstProposal: PostedProposal) => number;
  /** By name, which becomes the name of the file. */
  readonly acts: Readonly<Record<string, Act>>;
  /** The event to record, by the name of an act that causes several events. */
  readonly events?: Readonly<Record<string, string>>;
};

const suggestionBlock = (...lines: readonly string[]): string => ['```suggestion', ...lines, '```'].join('\n');

/** No task was given yet. */
const NO_RUN: Scenario = {
  hasPendingProposals: false,
  acts: {
    task: ({ ana }) => ana.says('/countersign use bigint for money\n\nand say why'),
    'task-by-stranger': ({ stranger }) => stranger.says('/countersign delete everything'),
    'not-addressed': ({ ana }) => ana.says('What is this about?'),
    'other-bots-command': ({ ana }) => ana.says('/rebase'),
  },
};

/** Two proposals are pending. The last act closes the pull request. */
const TWO_PENDING: Scenario = {
  hasPendingProposals: true,
  acts: {
    'approve-in-thread': ({ ana }, { commentId }) => ana.replies(commentId, '/approve\nthanks, and mind the tests'),
    'approve-by-id': ({ ana }, { proposalId }) => ana.says(`/approve ${proposalId}`),
    'approve-alone': ({ ana }) => ana.says('/approve'),
    'approve-but': ({ ana }, { commentId }) => ana.replies(commentId, '/approve but rename it'),
    'approve-in-code': ({ ana }, { commentId }) => ana.replies(commentId, '```\n/approve\n```'),
    'approve-by-stranger': ({ stranger }) => stranger.says('/approve all'),
    'approve-by-bot': ({ robot }) => robot.says('/approve all'),
    'deny-by-author': ({ carl }) => carl.says('/deny all this is not what I wanted'),
    instruction: ({ ana }, { commentId }) => ana.replies(commentId, 'keep the name `sum`, please'),
    lgtm: ({ ana }, { commentId }) => ana.replies(commentId, 'lgtm'),
    question: ({ ana }) => ana.says('/ask why bigint?'),
    stop: ({ ana }) => ana.says('/stop'),
    'own-lines': ({ ana }, { commentId }) =>
      ana.replies(commentId, `Rather so:\n${suggestionBlock('  let total = 0n; // cents')}`),
    'own-lines-unclosed': ({ ana }, { commentId }) =>
      ana.replies(commentId, '```suggestion\n  let total = 0n; // cents'),
    'approve-above-block': ({ ana }, { commentId }) =>
      ana.replies(commentId, `/approve\n${suggestionBlock('  let total = 0n; // cents')}`),
    'edited-to-approve': ({ ana }) => ana.edits(ana.says('Looks fine.').id, '/approve all'),
    'thread-resolved': ({ ana }, { threadNodeId }) => ana.resolves(threadNodeId),
    retarget: ({ ana }) => ana.retargets('release'),
    close: ({ ana }) => ana.closes(),
  },
};

/** A review whose replies take precedence over its body. */
const REVIEW: Scenario = {
  hasPendingProposals: true,
  acts: {
    'review-with-replies': ({ ana }, { commentId }) =>
      ana.reviews({
        event: 'COMMENT',
        body: '/approve all',
        replies: [{ inReplyTo: commentId, body: '/deny not so' }],
      }),
  },
  events: { 'review-with-replies': 'pull_request_review' },
};

/** The App's review requested changes, because of the repository's settings. */
const REQUESTED_CHANGES: Scenario = {
  settings: 'review_event: request-changes\n',
  hasPendingProposals: true,
  acts: { 'dismissed-review': ({ ana }, { reviewId }) => ana.dismisses(reviewId, 'Not needed.') },
};

/** A person used GitHub's *Commit suggestion* button. */
const PUSHED: Scenario = {
  hasPendingProposals: true,
  acts: { 'commit-suggestion': ({ ana }, { commentId }) => ana.commitsSuggestions(commentId) },
  events: { 'commit-suggestion': 'pull_request' },
};

/** One of two proposals was denied. */
const ONE_DENIED: Scenario = {
  hasPendingProposals: true,
  earlierAct: ({ ana }, { proposalId }) => ana.says(`/deny ${proposalId} no need`).id,
  acts: {
    'deny-edited': ({ ana }, { proposalId }, commentId) => ana.edits(commentId, `/approve ${proposalId}`),
    'deny-deleted': ({ ana }, _firstProposal, commentId) => ana.deletes(commentId),
  },
};

/** By the name of the folder. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'no-run': NO_RUN,
  'two-pending': TWO_PENDING,
  review: REVIEW,
  'requested-changes': REQUESTED_CHANGES,
  pushed: PUSHED,
  'one-denied': ONE_DENIED,
};
