import { hash } from 'node:crypto';
import type { Change, FileChange } from '../../../src/core/edits/change.ts';
import type { PullRequestRef } from '../../../src/core/state/intent.ts';
import type { Proposal } from '../../../src/core/state/proposal.ts';
import { isApprovalVote, type Vote } from '../../../src/core/state/vote.ts';
import type { CaseDatabase, FinalState } from '../world/database.ts';
import type { CaseFixture } from '../world/fixture.ts';
import type { LoggedAttempt, SimulatedGitHub } from '../world/simulated-github.ts';
import type { Trace, TraceEvent } from '../world/trace.ts';

export type SavedStep = Extract<TraceEvent, { kind: 'saved' }>;

export type ObservedCommit = Extract<TraceEvent, { kind: 'committed' }> & {
  readonly index: number;
  readonly sha: string;
};

/** The trace of a case, prepared for the checks. Each `index` is a position in `events`. */
export type CaseEvidence = {
  readonly played: PlayedCase;
  readonly finalState: FinalState;
  readonly events: readonly TraceEvent[];
  readonly saved: readonly { readonly index: number; readonly saved: SavedStep }[];
  readonly votes: readonly { readonly index: number; readonly vote: Vote }[];
  readonly commits: readonly ObservedCommit[];
  /** All changes that a proposal ever had, by `proposal digest`. */
  readonly changes: ReadonlyMap<string, Change>;
  /** Proposal ids by the id of the comment that shows them. */
  readonly proposalsByComment: ReadonlyMap<number, string>;
  /** By proposal id. */
  readonly finalProposals: ReadonlyMap<string, FinalProposal>;
};

/** A proposal as it was saved last. */
type FinalProposal = Pick<Proposal, 'state' | 'comment' | 'note' | 'runId' | 'origin'> & {
  readonly ref: PullRequestRef;
};

/** Checks one promise. Returns a description of each violation. */
export type CaseCheck = (evidence: CaseEvidence) => readonly string[];

export function collectEvidence(played: PlayedCase, finalState: FinalState): CaseEvidence {
  const { events } = played.trace;
  const saved: { index: number; saved: SavedStep }[] = [];
  const votes: { index: number; vote: Vote }[] = [];
  const commits: ObservedCommit[] = [];
  const changes = new Map<string, Change>();
  const proposalsByComment = new Map<number, string>();
  const finalProposals = new Map<string, FinalProposal>();
  for (const [index, event] of events.entries()) {
    if (event.kind === 'committed' && event.outcome.kind === 'committed')
      commits.push({ ...event, index, sha: event.outcome.sha });
    if (event.kind !== 'saved' || event.result !== 'saved') continue;
    saved.push({ index, saved: event });
    for (const vote of event.step.votes) votes.push({ index, vote });
    for (const { id, runId, change, state, comment, note, origin } of event.step.pull.proposals) {
      changes.set(`${id} ${change.digest}`, change);
      finalProposals.set(id, { state, comment, note, runId, origin, ref: event.step.pull.ref });
      if (comment !== null) proposalsByComment.set(comment.id, id);
    }
  }
  return { played, finalState, events, saved, votes, commits, changes, proposalsByComment, finalProposals };
}

/** The approvals of a proposal between two indexes, in order. */
export function approvalsOf(
  { votes }: CaseEvidence,
  id: string,
  { after = -1, before }: { readonly after?: number; readonly before: number },
): CaseEvidence['votes'] {
  return votes.filter(
    ({ index, vote }) => index > after && index < before && vote.proposalId === id && isApprovalVote(vote),
  );
}

/** The digest of a change, computed from its published definition without the App's code. */
export function expectedDigest({ members: [first, ...others] }: Change): string {
  const digests = [first, ...others].map(expectedMemberDigest);
  if (others.length === 0) return digests.join('');
  return hash('sha256', JSON.stringify(['countersign-set-v1', digests]), 'hex');
}

function expectedMemberDigest({ op, path, from, base, result, region }: FileChange): string {
  if (op === 'read') {
    const reading = JSON.stringify(['countersign-v1', op, path, null, null, null, { blob: base?.blob ?? '' }]);
    return hash('sha256', reading, 'hex');
  }
  const body =
    region === null
      ? { newBlob: result?.blob ?? null, oldBlob: base?.blob ?? null }
      : { after: region.after, before: region.before, new: region.new, old: region.old };
  const canonicalForm = JSON.stringify([
    'countersign-v1',
    op,
    path,
    from,
    base?.mode ?? null,
    result?.mode ?? null,
    body,
  ]);
  return hash('sha256', canonicalForm, 'hex');
}

export type PlayedCase = {
  readonly seed: number;
  readonly fixture: CaseFixture;
  readonly simulatedGitHub: SimulatedGitHub;
  readonly trace: Trace;
  readonly database: CaseDatabase;
  readonly eventCount: number;
  /** No events were left. */
  readonly hasFinished: boolean;
  /** Decided signals by reason. */
  readonly reasons: ReadonlyMap<string, number>;
  /** GitHub's delivery attempts, in order. */
  readonly attempts: readonly LoggedAttempt[];
  /** The processes recovered lost webhooks. */
  readonly recoversWebhooks: boolean;
};

/** A played case with the problems that the checks found. */
export type CheckedCase = { readonly played: PlayedCase; readonly problems: readonly string[] };

/** False after the App's removal: then it can neither read nor write there. */
export function isInstalled({ played }: Pick<CaseEvidence, 'played'>, { installationId }: PullRequestRef): boolean {
  return played.simulatedGitHub.state.installations.has(installationId);
}
