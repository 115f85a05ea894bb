import type { FakePerson } from '../fakes/people/person.ts';

export type Cast = {
  readonly ana: FakePerson;
  readonly carl: FakePerson;
  readonly stranger: FakePerson;
  readonly robot: FakePerson;
};

/** A proposal's comment, its thread and its review. */
export type Posted = {
  readonly id: number;
  readonly proposalId: string;
  readonly threadNodeId: string;
  readonly reviewId: number;
};

/** One act to record. `first` is the first proposal, `heard` the comment of the words that were heard before. */
export type Act = (cast: Cast, first: Posted, heard: number) => unknown;

/** One folder: how far things have come before its acts, which nobody hears of. */
export type Take = {
  /** The repository's settings. */
  readonly settings?: string;
  /** Whether the task was given, and both changes wait. */
  readonly waiting: boolean;
  /** What the App heard before; gives back the comment. */
  readonly before?: (cast: Cast, first: Posted) => number;
  readonly acts: Readonly<Record<string, Act>>;
  /** The event that is meant where an act has several: by the act's name. */
  readonly events?: Readonly<Record<string, string>>;
};

const block = (...lines: readonly string[]): string => ['```suggestion', ...lines, '```'].join('\n');

/** Before anybody gave a task. */
const NO_RUN: Take = {
  waiting: false,
  acts: {
    task: ({ ana }) => ana.says('/countersign use bigint for money\n\nand say why'),
    'task-by-stranger': ({ stranger }) => stranger.says('/countersign delete everything'),
    'not-addressed': ({ ana }) => ana.says('What is this about?'),
    'other-bots-command': ({ ana }) => ana.says('/rebase'),
  },
};

/** While two changes wait for people. The last act closes the pull request. */
const TWO_WAIT: Take = {
  waiting: true,
  acts: {
    'approve-in-thread': ({ ana }, { id }) => ana.replies(id, '/approve\nthanks, and mind the tests'),
    'approve-by-id': ({ ana }, { proposalId }) => ana.says(`/approve ${proposalId}`),
    'approve-alone': ({ ana }) => ana.says('/approve'),
    'approve-but': ({ ana }, { id }) => ana.replies(id, '/approve but rename it'),
    'approve-in-code': ({ ana }, { id }) => ana.replies(id, '```\n/approve\n```'),
    'approve-by-stranger': ({ stranger }) => stranger.says('/approve all'),
    'approve-by-bot': ({ robot }) => robot.says('/approve all'),
    'deny-by-author': ({ carl }) => carl.says('/deny all this is not what I wanted'),
    instruction: ({ ana }, { id }) => ana.replies(id, 'keep the name `sum`, please'),
    lgtm: ({ ana }, { id }) => ana.replies(id, 'lgtm'),
    question: ({ ana }) => ana.says('/ask why bigint?'),
    stop: ({ ana }) => ana.says('/stop'),
    'own-lines': ({ ana }, { id }) => ana.replies(id, `Rather so:\n${block('  let total = 0n; // cents')}`),
    'own-lines-unclosed': ({ ana }, { id }) => ana.replies(id, '```suggestion\n  let total = 0n; // cents'),
    'approve-above-block': ({ ana }, { id }) => ana.replies(id, `/approve\n${block('  let total = 0n; // cents')}`),
    'edited-to-approve': ({ ana }) => ana.edits(ana.says('Looks fine.').id, '/approve all'),
    'thread-resolved': ({ ana }, { threadNodeId }) => ana.resolves(threadNodeId),
    retarget: ({ ana }) => ana.retargets('release'),
    close: ({ ana }) => ana.closes(),
  },
};

/** A review with replies of its own, which win over its body. */
const REVIEW: Take = {
  waiting: true,
  acts: {
    'review-with-replies': ({ ana }, first) =>
      ana.reviews({ event: 'COMMENT', body: '/approve all', replies: [{ inReplyTo: first.id, body: '/deny not so' }] }),
  },
  events: { 'review-with-replies': 'pull_request_review' },
};

/** The App asked for changes, as the repository's settings want it. */
const ASKED_FOR_CHANGES: Take = {
  settings: 'review_event: request-changes\n',
  waiting: true,
  acts: { 'dismissed-review': ({ ana }, { reviewId }) => ana.dismisses(reviewId, 'Not needed.') },
};

/** Somebody pressed GitHub's own button. */
const PUSHED: Take = {
  waiting: true,
  acts: { 'commit-suggestion': ({ ana }, { id }) => ana.commitsSuggestions(id) },
  events: { 'commit-suggestion': 'pull_request' },
};

/** A comment has decided already. */
const ONE_DENIED: Take = {
  waiting: true,
  before: ({ ana }, { proposalId }) => ana.says(`/deny ${proposalId} no need`).id,
  acts: {
    'deny-edited': ({ ana }, { proposalId }, heard) => ana.edits(heard, `/approve ${proposalId}`),
    'deny-deleted': ({ ana }, _first, heard) => ana.deletes(heard),
  },
};

/** By the folder's name. */
export const TAKES: Readonly<Record<string, Take>> = {
  'no-run': NO_RUN,
  'two-wait': TWO_WAIT,
  review: REVIEW,
  'asked-for-changes': ASKED_FOR_CHANGES,
  pushed: PUSHED,
  'one-denied': ONE_DENIED,
};
