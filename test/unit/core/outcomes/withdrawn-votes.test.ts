import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { EMPTY_REGION } from '../../../../src/core/edits/region.ts';
import { findWithdrawnVotes } from '../../../../src/core/outcomes/withdrawn-votes.ts';
import type { CommentThread } from '../../../../src/core/state/posted-comment.ts';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../../src/core/state/settings.ts';
import type { Vote } from '../../../../src/core/state/vote.ts';
import { type VoteProblem, type VoteSource, voteSourceKey } from '../../../../src/core/state/vote-source.ts';
import { ana, bigint, links, proposal, vote } from '../messages/sample.ts';

const POSTED_AT = '2026-01-01T00:00:10Z';

const COMMENT = {
  kind: 'review-comment',
  id: 40,
  nodeId: 'n',
  createdAt: POSTED_AT,
  bodyHash: '',
  url: `${links.repository}/pull/1`,
} as const;

const thread = (rootId: number): CommentThread => ({ rootId, reviewId: 7 });

type Case = {
  readonly body: string;
  readonly surface?: 'conversation' | 'thread' | 'review';
  readonly action?: Vote['action'];
  readonly source?: Partial<VoteSource>;
  /** The thread in the delivery, if it is not the one on the page. */
  readonly counted?: CommentThread | null;
  readonly proposal?: Partial<Proposal>;
  /** Where people can vote by now; everywhere if absent. */
  readonly surfaces?: Partial<typeof EVERYWHERE>;
  /** The proposal whose place it took. */
  readonly replaced?: Partial<Proposal>;
};

const EVERYWHERE: Pick<Settings, 'reviewApproval'> = { reviewApproval: 'approve-all' };

/** No standing approval is in force. */
const STANDING = { approvals: [], rules: DEFAULT_SETTINGS, now: '2026-01-01T00:01:00Z' } as const;

/** The problem of ana's approval whose comment has this text; null if it counts. */
function problemOf({ body, surface = 'conversation', action = 'approve', ...more }: Case): VoteProblem | null {
  const createdAt = more.source?.createdAt ?? '2026-01-01T00:00:20Z';
  const bodyHash = hash('sha256', body, 'hex');
  const shown = surface === 'thread' ? (more.source?.thread ?? thread(COMMENT.id)) : null;
  const counted = more.counted === undefined ? shown : more.counted;
  const voted = { ...vote(action, ana), surface, bodyHash, thread: counted, writtenAt: createdAt } as const;
  const one = proposal(bigint, { state: 'approved', comment: COMMENT, votes: [voted], ...more.proposal });
  const source: VoteSource = {
    authorId: ana.id,
    authorLogin: ana.login,
    body,
    createdAt,
    viaApp: false,
    thread: shown,
    reviewState: surface === 'review' ? 'commented' : null,
    ...more.source,
  };
  const voteSources = { [voteSourceKey({ surface, commentId: 5 })]: source };
  const check = { proposalId: one.id, verdicts: [{ kind: 'already-applied' }], permissions: {}, voteSources } as const;
  const replaced = proposal(bigint, { id: 'b1c2', state: 'superseded', replacedBy: one.id, ...more.replaced });
  const proposals = more.replaced === undefined ? [one] : [replaced, one];
  const surfaces = { ...EVERYWHERE, ...more.surfaces };
  const context = { proposals, slug: 'countersign', surfaces, standing: STANDING };
  return findWithdrawnVotes(one, check, context)[0]?.problem ?? null;
}

const QUOTE = `> Change 1 of 2 · \`k7q2\` · digest \`${bigint.digest.slice(0, 12)}\` · head \`9f8e7d6\`\n\n/approve`;

const OWN_LINES = '```suggestion\n  let total = 1n;\n```';

describe('the text of an approval, read again (X5)', () => {
  it.each<[string, Case]>([
    ['a command with the id', { body: '/approve m3x8 k7q2' }],
    ['all', { body: '/approve all' }],
    ['a bare command in the conversation', { body: '/approve\nMind the callers.' }],
    ['a reply in the thread', { body: '/approve', surface: 'thread' }],
    [
      'a reply in the thread of a deleted comment',
      { body: '/approve', surface: 'thread', source: { thread: thread(30) }, proposal: { previousCommentIds: [30] } },
    ],
    ['a quote of the proposal', { body: QUOTE }],
    ['the text of a review', { body: '/approve', surface: 'review' }],
    ['an approving review without a command', { body: 'fine', surface: 'review', source: { reviewState: 'approved' } }],
    [
      'the text of a review, where a review without a command approves nothing',
      { body: '/approve', surface: 'review', surfaces: { reviewApproval: 'nothing' } },
    ],
    ['the proposed lines in the thread', { body: OWN_LINES, surface: 'thread' }],
    ['own lines in the thread', { body: OWN_LINES, surface: 'thread', action: 'modify' }],
    ['own lines with a note', { body: `${OWN_LINES}\nRather so.`, surface: 'thread', action: 'modify' }],
    [
      'own lines that were posted under an id of their own',
      {
        body: OWN_LINES,
        surface: 'thread',
        action: 'modify',
        source: { thread: thread(30) },
        proposal: { userEdit: { originalChange: bigint, reposted: true, diff: '', revertRegion: EMPTY_REGION } },
        replaced: { comment: { ...COMMENT, id: 30 } },
      },
    ],
    [
      'a bare command before the proposal was posted again',
      { body: '/approve', source: { createdAt: '2026-01-01T00:00:05Z' }, proposal: { repairCount: 1 } },
    ],
  ])('%s approves', (_name, one) => {
    expect(problemOf(one)).toBeNull();
  });

  it.each<[string, Case, VoteProblem]>([
    ['another id', { body: '/approve m3x8' }, 'not-theirs'],
    ['another thread', { body: '/approve', surface: 'thread', source: { thread: thread(41) } }, 'not-theirs'],
    [
      'a thread whose first comment has the number of the proposal’s comment in the conversation',
      { body: '/approve', surface: 'thread', proposal: { comment: { ...COMMENT, kind: 'issue-comment' } } },
      'not-theirs',
    ],
    ['a quote of another proposal', { body: QUOTE.replace('k7q2', 'm3x8') }, 'not-theirs'],
    ['a bare command of an earlier time', { body: '/approve', source: { createdAt: POSTED_AT } }, 'not-theirs'],
    ['all of an earlier time', { body: '/approve all', source: { createdAt: POSTED_AT } }, 'not-theirs'],
    ['another command', { body: '/deny k7q2' }, 'not-theirs'],
    ['words', { body: 'Looks good to me.' }, 'not-theirs'],
    ['the proposed lines with words', { body: `This is wrong:\n${OWN_LINES}`, surface: 'thread' }, 'not-theirs'],
    ['words in the thread', { body: 'Looks good to me.', surface: 'thread' }, 'not-theirs'],
    [
      'own lines in another thread',
      { body: OWN_LINES, surface: 'thread', source: { thread: thread(41) } },
      'not-theirs',
    ],
    [
      'own lines under an id of their own, in the thread of neither proposal',
      {
        body: OWN_LINES,
        surface: 'thread',
        source: { thread: thread(41) },
        proposal: { userEdit: { originalChange: bigint, reposted: true, diff: '', revertRegion: EMPTY_REGION } },
        replaced: { comment: { ...COMMENT, id: 30 } },
      },
      'not-theirs',
    ],
    [
      'own lines in the thread of the proposal whose place it took, delivered as if they were in its own',
      {
        body: OWN_LINES,
        surface: 'thread',
        action: 'modify',
        source: { thread: thread(30) },
        counted: thread(COMMENT.id),
        replaced: { comment: { ...COMMENT, id: 30 } },
      },
      'not-theirs',
    ],
    [
      'the proposed lines in the thread of the proposal whose place it took',
      {
        body: OWN_LINES,
        surface: 'thread',
        source: { thread: thread(30) },
        replaced: { comment: { ...COMMENT, id: 30 } },
      },
      'not-theirs',
    ],
    [
      'own lines in the thread of its deleted comment, delivered as if they were in its present one',
      {
        body: OWN_LINES,
        surface: 'thread',
        action: 'modify',
        source: { thread: thread(30) },
        counted: thread(COMMENT.id),
        proposal: { previousCommentIds: [30] },
      },
      'not-theirs',
    ],
    [
      'all in a thread, delivered as if it were in no review, whose other comments would win over it',
      { body: '/approve all', surface: 'thread', counted: { rootId: COMMENT.id, reviewId: null } },
      'not-theirs',
    ],
    [
      'a reply in the thread, delivered as if it were outside of it',
      { body: '/approve k7q2', surface: 'thread', counted: null },
      'not-theirs',
    ],
    ['a bare command below a quote of other text', { body: '> It fixes a typo.\n\n/approve' }, 'not-theirs'],
    [
      'an approving review of an earlier time',
      { body: 'fine', surface: 'review', source: { reviewState: 'approved', createdAt: POSTED_AT } },
      'not-theirs',
    ],
    [
      'a command in the thread of the proposal whose place it took',
      {
        body: '/approve',
        surface: 'thread',
        source: { thread: thread(30) },
        replaced: { comment: { ...COMMENT, id: 30 } },
      },
      'not-theirs',
    ],
    [
      'a quote with the digest of another change',
      { body: QUOTE.replace(bigint.digest.slice(0, 12), '0123456789ab') },
      'not-theirs',
    ],
    ['a review that does not approve', { body: 'fine', surface: 'review' }, 'dismissed'],
    ['a dismissed review', { body: '', surface: 'review', source: { reviewState: 'dismissed' } }, 'dismissed'],
    [
      'a command in a dismissed review',
      { body: '/approve k7q2', surface: 'review', source: { reviewState: 'dismissed' } },
      'dismissed',
    ],
    [
      'an approving review without a command, where it approves nothing by now',
      {
        ...{ body: 'fine', surface: 'review', source: { reviewState: 'approved' } },
        surfaces: { reviewApproval: 'nothing' },
      },
      'plain-review',
    ],
  ])('%s does not', (_name, one, problem) => {
    expect(problemOf(one)).toBe(problem);
  });
});

it('an approval with another time than its comment has on the page is a forgery (X5)', () => {
  const writtenAt = '2026-01-01T00:00:20Z';
  const votes = (at: string) => [
    {
      ...vote('approve', ana),
      surface: 'conversation',
      bodyHash: hash('sha256', '/approve', 'hex'),
      writtenAt: at,
    } as const,
  ];
  expect(problemOf({ body: '/approve', proposal: { votes: votes(writtenAt) } })).toBeNull();
  expect(problemOf({ body: '/approve', proposal: { votes: votes('2026-01-01T00:00:30Z') } })).toBe('not-theirs');
});
