import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMAND_GRAMMAR } from '../../../src/core/commands/all-commands.ts';
import { parseComment } from '../../../src/core/comments/parse-comment.ts';
import { needs } from '../../../src/core/needs.ts';
import type { CommentIntent, ReviewState } from '../../../src/core/state/intent.ts';
import type { Proposal } from '../../../src/core/state/proposal.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/state/settings.ts';
import type { Facts } from '../../../src/core/step/facts.ts';
import type { Step } from '../../../src/core/step/step.ts';
import { ANA, posted, REF } from './support/table-game.ts';

const REVIEW_ID = 9001;

const NOW = '2026-01-01T01:00:00.000Z';

/** Some seconds after the changes were posted, and an hour after. */
const WRITTEN_AT = ['2026-01-01T00:00:20Z', '2026-01-01T00:59:00Z'] as const;

/** A submitted review: its body, and at most one reply to each proposal. */
type Review = {
  readonly state: ReviewState;
  readonly body: string;
  readonly replies: readonly (string | null)[];
  readonly writtenAt: string;
};

const REPLIES = [
  ...['/approve', '/deny', '/deny no need', 'use bigint', '/edit use bigint', 'lgtm', '@ben look', '/approve but'],
  ...['> quoted'],
];

/** Used in at most one reply, because the order of two replies about all proposals is undefined. */
const ABOUT_ALL = ['/approve all', '/deny all', '/edit all otherwise'];

const BODIES = [
  ...['/approve all', '/approve', '/deny all', '/deny', '/deny not so', '/edit otherwise', '/continue', '/status'],
  ...['all of it otherwise', 'ok', ''],
];

class ReviewGame {
  readonly game = posted(1, 10, 20);
  readonly shown: readonly Proposal[] = this.game.pull.proposals;
  readonly #review: Review;

  constructor(review: Review) {
    this.#review = review;
  }

  /** Delivers the review in this order: 0 is its body, n the reply to the n-th proposal. */
  deliver(order: readonly number[], settings = DEFAULT_SETTINGS): readonly Step[] {
    return order.flatMap((delivery) => {
      const intent = delivery === 0 ? this.#body() : this.#reply(delivery - 1);
      if (intent === null) return [];
      const reviewComments = this.#review.replies.flatMap((body, index) =>
        body === null ? [] : [{ rootId: this.#rootOf(index), body, updatedAt: this.#review.writtenAt }],
      );
      const facts: Partial<Facts> = {
        now: NOW,
        permission: 'write',
        reviewComments,
        settings: { kind: 'settings', settings },
      };
      return [this.game.signal({ type: 'intent', deliveryId: `delivery-${delivery}`, intent }, facts)];
    });
  }

  /** The state of everything except replies. */
  result(): unknown {
    const { run, proposals } = this.game.pull;
    return {
      phase: run?.phase.kind === 'ended' ? run.phase.reason : run?.phase.kind,
      calls: run?.batch?.calls.map(({ status }) => status) ?? this.game.transcript.slice(-4),
      proposals: proposals.map(({ id, state, votes }) => ({
        id,
        state,
        votes: votes.map(({ action, text }) => ({ action, text })),
      })),
    };
  }

  /** Bodies that GitHub delivers and that have a meaning. */
  #body(): CommentIntent | null {
    const { body, state } = this.#review;
    if (body === '' && state !== 'approved') return null;
    return this.#said(body, { at: 'review', reviewId: REVIEW_ID }, state);
  }

  #reply(index: number): CommentIntent | null {
    const body = this.#review.replies[index];
    if (body == null) return null;
    const place = { at: 'thread', commentId: 500 + index, rootId: this.#rootOf(index), reviewId: REVIEW_ID } as const;
    return this.#said(body, { ...place, path: 'src/a.txt', line: 1, startLine: null, side: null, diffHunk: '' }, null);
  }

  #said(body: string, location: CommentIntent['location'], reviewState: ReviewState | null): CommentIntent {
    const content = parseComment(COMMAND_GRAMMAR, body, 'countersign');
    const at = { createdAt: this.#review.writtenAt, bodyHash: '0'.repeat(64) };
    return { kind: 'comment', pull: REF, actor: ANA, location, ...content, ...at, reviewState };
  }

  #rootOf(index: number): number {
    return this.shown[index]?.comment?.id ?? 0;
  }
}

const review = fc.record({
  state: fc.constantFrom('commented' as const, 'approved' as const, 'changes_requested' as const),
  body: fc.constantFrom(...BODIES),
  replies: fc.array(fc.option(fc.constantFrom(...REPLIES)), { minLength: 3, maxLength: 3 }),
  writtenAt: fc.constantFrom(...WRITTEN_AT),
});

const order = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4, maxLength: 4 });

const settings = fc.constantFrom(DEFAULT_SETTINGS, { ...DEFAULT_SETTINGS, reviewApproval: 'approve-all' as const });

describe('the deliveries of one review, in any order', () => {
  it('lead to the same state of every proposal, and count every comment once (S55)', () => {
    let bodiesThatDecided = 0;
    fc.assert(
      fc.property(review, order, settings, (sample, shuffled, current) => {
        const inOrder = new ReviewGame(sample);
        inOrder.deliver([1, 2, 3, 0], current);
        const inAnother = new ReviewGame(sample);
        inAnother.deliver(shuffled, current);
        expect(inAnother.result()).toEqual(inOrder.result());
        expect(inAnother.game.problems).toEqual([]);
        const votes = inAnother.game.votes.map(({ proposalId }) => proposalId);
        expect(new Set(votes).size).toBe(votes.length);
        if (inAnother.game.votes.some(({ surface }) => surface === 'review')) bodiesThatDecided += 1;
      }),
      { numRuns: 100 },
    );
    expect(bodiesThatDecided).toBeGreaterThan(25);
  });

  it('lead to the same state if one comment is about all proposals (S55)', () => {
    fc.assert(
      fc.property(review, fc.nat(2), fc.constantFrom(...ABOUT_ALL), order, (sample, at, words, shuffled) => {
        const replies = sample.replies.map((reply, index) => (index === at ? words : reply));
        const [inOrder, inAnother] = [1, 2].map(
          () => new ReviewGame({ ...sample, state: 'commented', body: '', replies }),
        );
        inOrder?.deliver([1, 2, 3]);
        inAnother?.deliver(shuffled);
        expect(inAnother?.result()).toEqual(inOrder?.result());
      }),
      { numRuns: 100 },
    );
  });

  it('approve only by a command, or if the repository allows it (S54, S65)', () => {
    fc.assert(
      fc.property(review, order, (sample, shuffled) => {
        const reviewGame = new ReviewGame(sample);
        reviewGame.deliver(shuffled);
        const approves = sample.body.startsWith('/approve') || sample.replies.includes('/approve');
        if (!approves) expect(reviewGame.game.votes.filter(({ action }) => action === 'approve')).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

const DEFAULTS = { kind: 'settings', settings: DEFAULT_SETTINGS } as const;

const WITHOUT_SETTINGS = { permission: 'write', reviewComments: [], commentHashes: {} } as const;

describe('the needs of a review’s body', () => {
  const first = new ReviewGame({ state: 'approved', body: 'fine', replies: [], writtenAt: WRITTEN_AT[1] });
  const { pull } = first.game;
  const base = { now: NOW, app: { slug: 'countersign', botId: 999 }, ownerAllowed: true };
  const kinds = (state: ReviewState, body: string, facts: Partial<Facts>): readonly string[] => {
    const content = parseComment(COMMAND_GRAMMAR, body, 'countersign');
    const location = { at: 'review', reviewId: REVIEW_ID } as const;
    const at = { createdAt: NOW, bodyHash: '' };
    const intent = {
      kind: 'comment',
      pull: REF,
      actor: { ...ANA, id: 77 },
      location,
      ...content,
      ...at,
      reviewState: state,
    } as const;
    return needs(pull, { type: 'intent', deliveryId: 'x', intent }, { ...base, ...facts }).map(({ kind }) => kind);
  };

  it.each<readonly [ReviewState, string, Partial<Facts>, readonly string[]]>([
    ['changes_requested', 'otherwise', {}, ['permission']],
    ['changes_requested', 'otherwise', { permission: 'read' }, []],
    ['changes_requested', 'otherwise', { permission: 'write' }, ['review-comments']],
    ['approved', 'fine', { permission: 'read' }, []],
    ['approved', 'fine', { permission: 'write' }, ['settings']],
    ['approved', 'fine', { permission: 'write', settings: { kind: 'settings', settings: DEFAULT_SETTINGS } }, []],
    [
      'approved',
      'fine',
      { permission: 'write', settings: { kind: 'broken', problems: ['x'], settings: DEFAULT_SETTINGS } },
      [],
    ],
    ['commented', 'fine', {}, []],
    ['commented', '/approve all', { permission: 'write' }, ['review-comments']],
    ['commented', '/approve all', { permission: 'write', reviewComments: [] }, ['comment-hashes']],
    ['commented', '/approve all', WITHOUT_SETTINGS, ['settings']],
    ['commented', '/approve all', { ...WITHOUT_SETTINGS, settings: DEFAULTS }, []],
    ['commented', '/status', { permission: 'write' }, []],
  ])('%s, “%s”, knowing %o (A1)', (state, body, facts, asked) => {
    expect(kinds(state, body, facts)).toEqual(asked);
  });
});
