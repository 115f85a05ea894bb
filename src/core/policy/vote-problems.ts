import { hash } from 'node:crypto';
import type { Proposal } from '../state/proposal.ts';
import { MAX_SERVER_SKEW_MS } from '../state/published.ts';
import {
  approvalVotes,
  usesStandingApproval,
  type Vote,
  type VoteLocation,
  type VoteProblem,
  type VoteSource,
  type VoteSources,
  voteLocationOf,
  voteSourceKey,
} from '../state/vote.ts';
import { findStandingProblem, type StandingContext } from './standing-approvals.ts';

/** The comments and reviews to read again before these proposals are committed, each once. A standing approval is a row. */
export function voteLocations(proposals: readonly Proposal[]): readonly VoteLocation[] {
  const votes = proposals.flatMap(approvalVotes).filter((vote) => !usesStandingApproval(vote));
  const locations = votes.flatMap((vote) => voteLocationOf(vote) ?? []);
  return [...new Map(locations.map((location) => [voteSourceKey(location), location])).values()];
}

/**
 * Why an approval no longer counts, by its comment or its standing approval as they are now; null if it does.
 * `standing` is null where the settings are broken, so that nothing is known.
 */
export function findVoteProblem(
  vote: Vote,
  { proposal, voteSources }: { readonly proposal: Proposal; readonly voteSources: VoteSources },
  standing: StandingContext | null,
): VoteProblem | null {
  // A button has no comment that could be gone or edited: only the person is judged again.
  if (vote.surface === 'check') return null;
  if (!usesStandingApproval(vote)) return findSourceProblem(vote, voteSources);
  return standing === null ? null : findStandingProblem(vote, proposal, standing);
}

/** Why a vote's comment or review is not the one that was counted; null if it is. */
export function findSourceProblem(vote: Vote, sources: VoteSources): VoteProblem | null {
  const location = voteLocationOf(vote);
  const key = location === null ? '' : voteSourceKey(location);
  const source = Object.hasOwn(sources, key) ? (sources[key] ?? null) : null;
  if (source === null) return 'missing';
  if (source.reviewState === 'dismissed') return 'dismissed';
  if (!hasBodyHash(source.body, vote.bodyHash)) return 'edited';
  return isTheirs(vote, source) ? null : 'not-theirs';
}

/**
 * GitHub knows permissions by the login, so a renamed account does not count. A forged delivery can name a real comment
 * with a much later time or in another thread, as if it were about another change.
 */
function isTheirs({ by, writtenAt, thread: counted }: Vote, source: VoteSource): boolean {
  const { authorId, authorLogin, viaApp, createdAt, thread: shown } = source;
  if (authorId !== by.id || viaApp) return false;
  if (authorLogin !== null && authorLogin.toLowerCase() !== by.login.toLowerCase()) return false;
  if (writtenAt === null || createdAt === null) return false;
  if (Math.abs(Date.parse(createdAt) - Date.parse(writtenAt)) > MAX_SERVER_SKEW_MS) return false;
  return counted?.rootId === shown?.rootId && counted?.reviewId === shown?.reviewId;
}

/** The hash is that of the webhook's text. The line ends of webhooks and API responses can differ. */
function hasBodyHash(body: string, bodyHash: string | null): boolean {
  const lines = body.replaceAll('\r\n', '\n');
  return [body, lines, lines.replaceAll('\n', '\r\n')].some((form) => hash('sha256', form, 'hex') === bodyHash);
}
