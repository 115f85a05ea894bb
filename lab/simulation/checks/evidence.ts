import { hash } from 'node:crypto';
import type { FileChange } from '../../../src/core/edits/change.ts';
import type { PullRequestRef } from '../../../src/core/state/intent.ts';
import type { Proposal, Vote } from '../../../src/core/state/proposal.ts';
import type { CaseDatabase, FinalState } from '../world/database.ts';
import type { CaseFixture } from '../world/fixture.ts';
import type { LoggedAttempt, SimulatedGitHub } from '../world/simulated-github.ts';
import type { Trace, TraceEvent } from '../world/trace.ts';

export type SavedStep = Extract<TraceEvent, { kind: 'saved' }>;

export type ObservedCommit = Extract<TraceEvent, { kind: 'committed' }> & {
  readonly place: number;
  readonly sha: string;
};

/** What the checks go by: the case's history, read once. Places are positions in the history. */
export type CaseEvidence = {
  readonly played: PlayedCase;
  readonly finalState: FinalState;
  readonly events: readonly TraceEvent[];
  /** Steps that were stored, with their places. */
  readonly saved: readonly { readonly place: number; readonly saved: SavedStep }[];
  readonly votes: readonly { readonly place: number; readonly vote: Vote }[];
  readonly commits: readonly ObservedCommit[];
  /** Every change that a proposal ever had, by proposal and digest. */
  readonly changes: ReadonlyMap<string, FileChange>;
  /** By the id of the comment that shows it. */
  readonly proposalAt: ReadonlyMap<number, string>;
  /** By proposal. */
  readonly finalProposals: ReadonlyMap<string, FinalProposal>;
};

/** How a proposal ended up, where it was shown last, and on which pull request. */
type FinalProposal = Pick<Proposal, 'state' | 'comment' | 'note' | 'runId'> & { readonly ref: PullRequestRef };

/** One promise: what breaks it, in words. Empty where it holds. */
export type CaseCheck = (evidence: CaseEvidence) => readonly string[];

export function collectEvidence(played: PlayedCase, finalState: FinalState): CaseEvidence {
  const { events } = played.trace;
  const saved: { place: number; saved: SavedStep }[] = [];
  const votes: { place: number; vote: Vote }[] = [];
  const commits: ObservedCommit[] = [];
  const changes = new Map<string, FileChange>();
  const proposalAt = new Map<number, string>();
  const finalProposals = new Map<string, FinalProposal>();
  for (const [place, event] of events.entries()) {
    if (event.kind === 'committed' && event.outcome.kind === 'committed')
      commits.push({ ...event, place, sha: event.outcome.sha });
    if (event.kind !== 'saved' || event.result !== 'saved') continue;
    saved.push({ place, saved: event });
    for (const vote of event.step.votes) votes.push({ place, vote });
    for (const { id, runId, change, state, comment, note } of event.step.pull.proposals) {
      changes.set(`${id} ${change.digest}`, change);
      finalProposals.set(id, { state, comment, note, runId, ref: event.step.pull.ref });
      if (comment !== null) proposalAt.set(comment.id, id);
    }
  }
  return { played, finalState, events, saved, votes, commits, changes, proposalAt, finalProposals };
}

/** SHA-256 over what a person sees, by the published form and not by the product's code. */
export function expectedDigest({ op, path, from, base, result, region }: FileChange): string {
  const body =
    region === null
      ? { newBlob: result?.blob ?? null, oldBlob: base?.blob ?? null }
      : { after: region.after, before: region.before, new: region.new, old: region.old };
  const form = JSON.stringify(['countersign-v1', op, path, from, base?.mode ?? null, result?.mode ?? null, body]);
  return hash('sha256', form, 'hex');
}

/** A case that was played to its end. */
export type PlayedCase = {
  readonly seed: number;
  readonly fixture: CaseFixture;
  readonly simulatedGitHub: SimulatedGitHub;
  readonly trace: Trace;
  readonly database: CaseDatabase;
  readonly eventCount: number;
  /** Nothing was left to happen. */
  readonly cameToRest: boolean;
  /** How often a signal was decided for each reason. */
  readonly reasons: ReadonlyMap<string, number>;
  /** What GitHub tried to deliver, in order. */
  readonly attempts: readonly LoggedAttempt[];
  /** The processes looked for lost webhooks. */
  readonly recoversWebhooks: boolean;
  /** The processes forgot what was kept long enough, and went on for long after everything was over. */
  readonly cleansUp: boolean;
};

/** The App may still speak there. What it was removed from has nobody to be told anything, and nothing to be read. */
export function isInstalled({ played }: Pick<CaseEvidence, 'played'>, { installationId }: PullRequestRef): boolean {
  return played.simulatedGitHub.state.installations.has(installationId);
}
