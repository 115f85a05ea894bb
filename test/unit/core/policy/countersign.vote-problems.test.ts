import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { findVoteProblem } from '../../../../src/core/policy/countersign.ts';
import type { CommentThread } from '../../../../src/core/state/posted-comment.ts';
import { type Vote, type VoteProblem, type VoteSource, voteSourceKey } from '../../../../src/core/state/vote.ts';
import { ana, ben, bigint, proposal, vote } from '../messages/sample.ts';

const WRITTEN_AT = '2026-01-01T00:00:20Z';

const BODY = '/approve\nFine.';

const THREAD: CommentThread = { rootId: 40, reviewId: 7 };

const COUNTED = { surface: 'thread', bodyHash: hash('sha256', BODY, 'hex'), thread: THREAD, writtenAt: WRITTEN_AT };

const SHOWN: VoteSource = {
  ...{ authorId: ana.id, authorLogin: ana.login, body: BODY, createdAt: WRITTEN_AT, viaApp: false },
  ...{ thread: THREAD, reviewState: null },
};

/** The problem of ana's approval whose comment GitHub shows so; null if it counts. */
function problemOf(shown: VoteSource | null): VoteProblem | null {
  const voted = { ...vote('approve', ana), ...COUNTED } as Vote;
  const one = proposal(bigint, { state: 'approved', votes: [voted] });
  const voteSources = { [voteSourceKey({ surface: 'thread', commentId: voted.commentId ?? 0 })]: shown };
  return findVoteProblem(voted, { proposal: one, voteSources }, null);
}

it.each<[string, Partial<VoteSource> | null, VoteProblem | null]>([
  ['as it was', {}, null],
  ['with the line ends of the API', { body: BODY.replaceAll('\n', '\r\n') }, null],
  ['with a deleted account’s name left out', { authorLogin: null }, null],
  ['not at all', null, 'missing'],
  ['with another text', { body: '/approve' }, 'edited'],
  ['as another person’s', { authorId: ben.id }, 'not-theirs'],
  ['as written by an App', { viaApp: true }, 'not-theirs'],
  ['of a renamed account', { authorLogin: 'ana-new' }, 'not-theirs'],
  ['in a dismissed review', { reviewState: 'dismissed' }, 'dismissed'],
  ['with a time some seconds from the delivery’s', { createdAt: '2026-01-01T00:00:10Z' }, null],
  ['with another time than the delivery said', { createdAt: '2026-01-01T00:02:00Z' }, 'not-theirs'],
  ['in another thread than the delivery said', { thread: { rootId: 41, reviewId: 7 } }, 'not-theirs'],
])('an approval that GitHub shows %s (X5)', (_how, shown, problem) => {
  expect(problemOf(shown === null ? null : { ...SHOWN, ...shown })).toBe(problem);
});
