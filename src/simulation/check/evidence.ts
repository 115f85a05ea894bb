import { hash } from 'node:crypto';
import type { Change } from '../../change/change.ts';
import type { PullRef } from '../../command/intent.ts';
import type { Proposal, Vote } from '../../run/proposal.ts';
import type { PlayedCase } from '../case.ts';
import type { Remains } from '../database.ts';
import type { Happening } from '../trace.ts';

export type Saved = Extract<Happening, { kind: 'saved' }>;
export type Landed = Extract<Happening, { kind: 'committed' }> & { readonly place: number; readonly sha: string };

/** What the checks go by: the case's history, read once. Places are positions in the history. */
export type Evidence = {
  readonly played: PlayedCase;
  readonly remains: Remains;
  readonly happenings: readonly Happening[];
  /** Steps that were stored, with their places. */
  readonly saved: readonly { readonly place: number; readonly saved: Saved }[];
  readonly votes: readonly { readonly place: number; readonly vote: Vote }[];
  readonly landed: readonly Landed[];
  /** Every change that a proposal ever had, by proposal and digest. */
  readonly changes: ReadonlyMap<string, Change>;
  /** By the id of the comment that shows it. */
  readonly proposalAt: ReadonlyMap<number, string>;
  /** By proposal. */
  readonly ends: ReadonlyMap<string, End>;
};

/** How a proposal ended up, where it was shown last, and on which pull request. */
export type End = Pick<Proposal, 'state' | 'comment' | 'note' | 'runId'> & { readonly ref: PullRef };

/** One promise: what breaks it, in words. Empty where it holds. */
export type Check = (evidence: Evidence) => readonly string[];

export function gatherEvidence(played: PlayedCase, remains: Remains): Evidence {
  const { happenings } = played.trace;
  const saved: { place: number; saved: Saved }[] = [];
  const votes: { place: number; vote: Vote }[] = [];
  const landed: Landed[] = [];
  const changes = new Map<string, Change>();
  const proposalAt = new Map<number, string>();
  const ends = new Map<string, End>();
  for (const [place, happening] of happenings.entries()) {
    if (happening.kind === 'committed' && happening.outcome.kind === 'committed')
      landed.push({ ...happening, place, sha: happening.outcome.sha });
    if (happening.kind !== 'saved' || happening.result !== 'saved') continue;
    saved.push({ place, saved: happening });
    for (const vote of happening.step.votes) votes.push({ place, vote });
    for (const { id, runId, change, state, comment, note } of happening.step.pull.proposals) {
      changes.set(`${id} ${change.digest}`, change);
      ends.set(id, { state, comment, note, runId, ref: happening.step.pull.ref });
      if (comment !== null) proposalAt.set(comment.id, id);
    }
  }
  return { played, remains, happenings, saved, votes, landed, changes, proposalAt, ends };
}

/** SHA-256 over what a person sees, by the published form and not by the product's code. */
export function digestOf({ op, path, from, base, result, region }: Change): string {
  const body =
    region === null
      ? { newBlob: result?.blob ?? null, oldBlob: base?.blob ?? null }
      : { after: region.after, before: region.before, new: region.new, old: region.old };
  const form = JSON.stringify(['countersign-v1', op, path, from, base?.mode ?? null, result?.mode ?? null, body]);
  return hash('sha256', form, 'hex');
}
