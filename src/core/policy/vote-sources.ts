import { hash } from 'node:crypto';
import { approvalVotes, type Proposal, type Vote } from '../state/proposal.ts';
import {
  type VoteLocation,
  type VoteProblem,
  type VoteSource,
  type VoteSources,
  voteLocationOf,
  voteSourceKey,
} from '../state/vote-source.ts';

/** The comments and reviews to read again before these proposals are committed, each once. */
export function voteLocations(proposals: readonly Proposal[]): readonly VoteLocation[] {
  const locations = proposals.flatMap(approvalVotes).flatMap((vote) => voteLocationOf(vote) ?? []);
  return [...new Map(locations.map((location) => [voteSourceKey(location), location])).values()];
}

/** The comment or review of a vote; null if GitHub has none, or if it was not read. */
export function voteSourceOf(vote: Vote, sources: VoteSources): VoteSource | null {
  const location = voteLocationOf(vote);
  if (location === null) return null;
  const key = voteSourceKey(location);
  return Object.hasOwn(sources, key) ? (sources[key] ?? null) : null;
}

/** Why a vote's comment is not the one that was counted: same id, author, time and text; null if it is. */
export function findSourceProblem(vote: Vote, sources: VoteSources): VoteProblem | null {
  const source = voteSourceOf(vote, sources);
  if (source === null) return 'missing';
  if (source.authorId !== vote.by.id || source.viaApp) return 'not-theirs';
  if (!isSameText(source.body, vote.bodyHash)) return 'edited';
  return isSameTime(vote, source) ? null : 'not-theirs';
}

/** A forged delivery can name a real comment with a later time, as if it were about a later change. */
function isSameTime({ writtenAt }: Vote, { createdAt }: VoteSource): boolean {
  return writtenAt !== null && createdAt !== null && Date.parse(createdAt) === Date.parse(writtenAt);
}

/** The hash is that of the webhook's text. The line ends of webhooks and API responses can differ. */
function isSameText(body: string, bodyHash: string | null): boolean {
  const lines = body.replaceAll('\r\n', '\n');
  const forms = new Set([body, lines, lines.replaceAll('\n', '\r\n')]);
  return [...forms].some((form) => hash('sha256', form, 'hex') === bodyHash);
}
