import { answerProposal, settleBatch, showing } from './batch.ts';
import { type Draft, draftOf, finish, ignore, withAnswer, withEffects, withProposal, withRun } from './draft.ts';
import { endRun } from './end-run.ts';
import { expiryOf, withTimer } from './expiry.ts';
import type { Facts } from './facts.ts';
import { judgeHead } from './judge-head.ts';
import { type Proposal, standsSince } from './proposal.ts';
import { activeRun, type Pull } from './run.ts';
import type { PostedProposal, Signal } from './signal.ts';
import type { Step } from './step.ts';
import { isFinal, moved } from './transition.ts';

type Posted = Extract<Signal, { type: 'review-posted' }>;
type Failed = Extract<Signal, { type: 'posting-failed' }>;
type Shown = Extract<Signal, { type: 'run-shown' }>;

/** The proposals as they stand on the page, without those that could not be shown. */
export function withPlaced(pull: Pull, signal: Posted, facts: Facts): Draft {
  const shown = signal.proposals.reduce(place, draftOf(pull));
  const placed = withTimer(
    signal.unshown.reduce((draft, one) => takeBack(draft, one, facts.now), shown),
    facts.now,
  );
  return withReviews(placed, signal);
}

/** The proposals stand on the page. A head that has moved meanwhile counts as a push. */
export function onReviewPosted(pull: Pull, signal: Posted, facts: Facts): Step {
  const recorded = withPlaced(pull, signal, facts);
  if (signal.turn !== null && activeRun(recorded.pull)?.id !== signal.runId)
    return finish(recorded, 'outdated-outcome');
  const judged = facts.pull === undefined ? recorded : judgeHead(recorded, facts.pull.headSha, facts, null);
  return finish(settleBatch(judged, facts.now), 'proposals-posted');
}

/** A run that was replaced while its review was posted keeps no account of it: what blocks is dismissed at once. */
function withReviews(draft: Draft, { runId, turn, reviews }: Posted): Draft {
  const { run } = draft.pull;
  if (turn === null || reviews.length === 0) return draft;
  if (run?.id === runId)
    return withRun(draft, { reviews: [...run.reviews, ...reviews.map((review) => ({ ...review, turn }))] });
  const blocking = reviews.filter(({ stands }) => stands === 'blocks');
  return withEffects(draft, ...blocking.map(({ id }) => ({ type: 'dismiss-review', runId, reviewId: id }) as const));
}

function place(draft: Draft, posted: PostedProposal): Draft {
  const proposal = draft.pull.proposals.find((one) => one.id === posted.proposalId);
  if (proposal === undefined) return draft;
  const { placement, comment, parts } = posted;
  const proposedAt = standsSince(posted);
  const shownSince = proposal.restorations > 0 ? proposedAt : null;
  const expiresAt = expiryOf(proposedAt, draft.pull.run);
  const waiting = { proposedAt, expiresAt, reminded: false };
  const standing = withProposal(draft, { ...proposal, placement, comment, parts, shownSince, ...waiting });
  // Decided while its comment was on its way: what stands there still has a button and commands.
  const placed = isFinal(proposal.state) ? showing(standing, { ...proposal, comment }) : standing;
  const older = placed.pull.proposals.filter((one) => one.replacedBy === proposal.id);
  return older.reduce(showing, placed);
}

/** Nobody can decide on what is not on the page: the proposal is gone, and the model hears why. */
function takeBack(draft: Draft, unshown: Posted['unshown'][number], now: string): Draft {
  const proposal = draft.pull.proposals.find((one) => one.id === unshown.proposalId);
  if (proposal?.state !== 'proposed') return draft;
  const gone = withProposal(draft, { ...moved(proposal, 'superseded', now), note: 'too long to be shown' });
  return tellUnposted(answerProposal(gone, proposal, unshown.output), proposal, 'its diff is too long to be shown');
}

/** Whoever asked for an undo hears what the model would of its own calls. */
function tellUnposted(draft: Draft, { origin }: Proposal, message: string): Draft {
  if (origin.kind !== 'undo') return draft;
  return withAnswer(draft, { at: 'pull' }, { kind: 'not-undone', of: origin.of, why: { kind: 'not-posted', message } });
}

export function onPostingFailed(pull: Pull, signal: Failed, facts: Facts): Step {
  if (signal.turn === null) return finish(dropUnposted(draftOf(pull), signal, facts.now), 'posting-failed');
  const run = activeRun(pull);
  if (run === null || run.id !== signal.runId) return ignore(pull, 'outdated-outcome');
  return finish(
    endRun(draftOf(pull), { how: 'posting-failed', by: null, note: signal.message }, facts.now),
    'posting-failed',
  );
}

/** What belongs to no turn fails alone. */
function dropUnposted(draft: Draft, { proposalIds, message }: Failed, now: string): Draft {
  const unposted = draft.pull.proposals.filter(
    ({ id, state, comment }) => proposalIds.includes(id) && state === 'proposed' && comment === null,
  );
  return unposted.reduce((next, one) => {
    const gone = withProposal(next, { ...moved(one, 'superseded', now), note: 'it could not be posted' });
    return tellUnposted(gone, one, message);
  }, draft);
}

export function onRunShown(pull: Pull, signal: Shown): Step {
  if (pull.run === null || pull.run.id !== signal.runId) return ignore(pull, 'outdated-outcome');
  return finish(withRun(draftOf(pull), { comment: signal.comment }), 'run-shown');
}

type ProposalShown = Extract<Signal, { type: 'proposal-shown' }>;

/** Somebody's edit of our comment is told from what we wrote last. */
export function onProposalShown(pull: Pull, { proposalId, bodyHash, partHashes, at }: ProposalShown): Step {
  const proposal = pull.proposals.find((one) => one.id === proposalId);
  if (proposal === undefined || proposal.comment === null) return ignore(pull, 'outdated-outcome');
  const comment = { ...proposal.comment, bodyHash };
  const parts = proposal.parts.map((part, index) => ({ ...part, bodyHash: partHashes[index] ?? part.bodyHash }));
  const shownSince = proposal.restorations > 0 ? at : null;
  return finish(withProposal(draftOf(pull), { ...proposal, comment, parts, shownSince }), 'proposal-shown');
}
