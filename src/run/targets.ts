import type { CommandName, Place, Targets } from '../command/intent.ts';
import type { QuotedId } from '../command/quoted-ids.ts';
import { isPending, isUnmade, type Proposal, standsSince } from './proposal.ts';
import type { Pull } from './run.ts';

/** What a command's words point at, with everything an answer needs where they do not fit. */
export type Aim =
  | { readonly kind: 'these'; readonly proposals: readonly Proposal[]; readonly left: readonly Proposal[] }
  /** More than one of these could be meant, or none of them is. */
  | { readonly kind: 'which'; readonly pending: readonly Proposal[] }
  | { readonly kind: 'unknown'; readonly ids: readonly string[] }
  /** They are a review's, whose own comments already speak of all that they could mean. */
  | { readonly kind: 'inline' }
  | { readonly kind: 'none'; readonly left: readonly Proposal[] };

export type Words = {
  readonly place: Place;
  readonly quotedIds: readonly QuotedId[];
  /** GitHub's `created_at`. */
  readonly createdAt: string;
  /** Ids of proposals that the same review speaks of in comments of its own: those win over its body. */
  readonly inline: readonly string[];
};

/** Whether this comment began a thread about the proposal; it may be gone by now. */
export function isThreadOf({ comment, formerThreads }: Proposal, rootId: number): boolean {
  return comment?.id === rootId || formerThreads.includes(rootId);
}

/** Whether the words stand in a thread whose first comment showed the proposal and is gone: nothing can be approved there. */
export function isWhereItStood({ comment, formerThreads }: Proposal, place: Place): boolean {
  return place.at === 'thread' && comment?.id !== place.rootId && formerThreads.includes(place.rootId);
}

/** The proposal that the words answer by where they stand: its thread, or a quote of exactly one, as it was shown. */
export function answered(pull: Pull, words: Omit<Words, 'inline'>): Proposal | null {
  const { place } = words;
  if (place.at === 'thread') return pull.proposals.find((one) => isThreadOf(one, place.rootId)) ?? null;
  const [only, ...more] = words.quotedIds;
  if (only === undefined || more.length > 0) return null;
  const { id, digest } = only;
  const shown = pull.proposals.find((proposal) => proposal.id === id && proposal.comment !== null);
  if (shown === undefined) return null;
  const stood = [shown.change, ...(shown.modified === null ? [] : [shown.modified.proposed])];
  return stood.some((change) => change.digest.startsWith(digest)) ? shown : null;
}

/** Only what stood on the page when the words were written; what came in the same second did not. */
function stoodBefore(proposal: Proposal, createdAt: string): boolean {
  const since = standsSince(proposal);
  return since !== null && Date.parse(since) < Date.parse(createdAt);
}

/**
 * What a command can be about: a no is about all that is not made yet, everything else about what waits for a decision.
 * Nobody can want an undo to be different, and the agent does not wait for it.
 */
function stakeOf(command: CommandName): (proposal: Proposal) => boolean {
  const atStake = command === 'deny' || command === 'edit' ? isUnmade : isPending;
  if (command !== 'edit' && command !== 'continue') return atStake;
  return (proposal) => proposal.origin.kind === 'call' && atStake(proposal);
}

export function aim(pull: Pull, command: CommandName, targets: Targets, words: Words): Aim {
  if (targets.by === 'ids') return aimByIds(pull, targets.ids, words);
  if (targets.by === 'all') return aimAtAll(pull, command, words);
  const proposal = answered(pull, words);
  if (proposal !== null) return theseBut([proposal], words);
  // A thread and a quote mean what they are about; where that is none of our proposals, it is never another one.
  if (words.place.at === 'thread' || words.quotedIds.length > 0)
    return { kind: 'which', pending: pull.proposals.filter(stakeOf(command)) };
  return aimAtOnly(pull, command, words);
}

function aimByIds(pull: Pull, ids: readonly string[], words: Words): Aim {
  const posted = new Map(pull.proposals.filter((one) => one.comment !== null).map((one) => [one.id, one]));
  const unknown = ids.filter((id) => !posted.has(id));
  if (unknown.length > 0) return { kind: 'unknown', ids: unknown };
  return theseBut(
    [...new Set(ids)].flatMap((id) => posted.get(id) ?? []),
    words,
  );
}

/** What was named, without what the review's own comments speak of. */
function theseBut(named: readonly Proposal[], words: Words): Aim {
  const proposals = leftOpen(named, words);
  return proposals.length === 0 ? { kind: 'inline' } : { kind: 'these', proposals, left: [] };
}

function leftOpen(proposals: readonly Proposal[], { inline }: Words): readonly Proposal[] {
  return proposals.filter((proposal) => !inline.includes(proposal.id));
}

/** Every proposal that the words could mean, and those that came too late for them. */
export function aimAtAll(pull: Pull, command: CommandName, words: Words): Aim {
  const pending = leftOpen(pull.proposals.filter(stakeOf(command)), words);
  const proposals = pending.filter((proposal) => stoodBefore(proposal, words.createdAt));
  const left = pending.filter((proposal) => !stoodBefore(proposal, words.createdAt));
  return proposals.length === 0 ? nothing(left, words) : { kind: 'these', proposals, left };
}

/** "The only pending one" is counted as of when the words were written, so that a late delivery cannot move it. */
function aimAtOnly(pull: Pull, command: CommandName, words: Words): Aim {
  const atStake = stakeOf(command);
  const open = leftOpen(pull.proposals, words);
  const then = open.filter(
    (one) => stoodBefore(one, words.createdAt) && (atStake(one) || decidedSince(one, words.createdAt)),
  );
  const left = open.filter((one) => atStake(one) && !stoodBefore(one, words.createdAt));
  const [only, ...more] = then;
  if (only === undefined) return nothing(left, words);
  if (more.length === 0) return { kind: 'these', proposals: [only], left };
  return { kind: 'which', pending: then.filter(atStake) };
}

function nothing(left: readonly Proposal[], { inline }: Words): Aim {
  return left.length === 0 && inline.length > 0 ? { kind: 'inline' } : { kind: 'none', left };
}

function decidedSince(proposal: Proposal, createdAt: string): boolean {
  return proposal.decidedAt !== null && Date.parse(proposal.decidedAt) >= Date.parse(createdAt);
}
