import type { Reply } from '../../lib/trust.ts';
import type { TokenUsage, TranscriptMessage } from '../state/conversation.ts';
import { type Proposal, type ProposalState, transition } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import type { Run } from '../state/run.ts';
import { addAnswer } from '../state/spending.ts';
import type { Vote } from '../state/vote.ts';
import type { Effect } from '../step/effects.ts';
import type { Reason } from '../step/reasons.ts';
import type { Step } from '../step/step.ts';

/** An unfinished step. The functions below return a new one. */
export type StepBuilder = Omit<Step, 'reason' | 'deferred' | 'cancelsPendingWork'>;

export function startStep(pull: PullState): StepBuilder {
  return {
    ...{ pull, effects: [], messages: [], votes: [], answers: [], ledgerCommits: [] },
    runStart: null,
  };
}

export function endStep(builder: StepBuilder, reason: Reason): Step {
  return { ...builder, reason, deferred: false, cancelsPendingWork: false };
}

/** A step that changes nothing. */
export function noop(pull: PullState, reason: Reason): Step {
  return endStep(startStep(pull), reason);
}

/** Puts the signal back until the comments that are being posted are known. */
export function defer(pull: PullState, reason: Reason): Step {
  return { ...startStep(pull), reason, deferred: true, cancelsPendingWork: false };
}

export function withEffects(builder: StepBuilder, ...effects: readonly Effect[]): StepBuilder {
  return { ...builder, effects: [...builder.effects, ...effects] };
}

export function withPullState(builder: StepBuilder, patch: Partial<PullState>): StepBuilder {
  return { ...builder, pull: { ...builder.pull, ...patch } };
}

/** Changes the current run; a pull request without one stays as it is. */
export function withRun(builder: StepBuilder, patch: Partial<Run>): StepBuilder {
  const run = builder.pull.run;
  return run === null ? builder : withPullState(builder, { run: { ...run, ...patch } });
}

/** A person wrote to the agent about the whole task, so that it can propose denied changes again. */
export function recordFeedback(builder: StepBuilder, now: string): StepBuilder {
  return withRun(builder, { denials: { liftedAt: now, repeats: 0 } });
}

export function withProposal(builder: StepBuilder, proposal: Proposal): StepBuilder {
  const proposals = builder.pull.proposals.map((other) => (other.id === proposal.id ? proposal : other));
  return withPullState(builder, { proposals });
}

/** Updates the proposal's comment if it is posted. */
export function queueCommentUpdate(builder: StepBuilder, proposal: Proposal): StepBuilder {
  return proposal.comment === null
    ? builder
    : withEffects(builder, { type: 'update-proposal-comment', proposalId: proposal.id });
}

/** Gives a proposal its next state, on its page too. `note` tells people why. */
export function withTransition(
  builder: StepBuilder,
  proposal: Proposal,
  to: ProposalState,
  now: string,
  note: string | null = proposal.note,
): StepBuilder {
  return queueCommentUpdate(withProposal(builder, { ...transition(proposal, to, now), note }), proposal);
}

/** The proposal as the steps so far left it. */
export function currentProposal({ pull }: StepBuilder, proposal: Proposal): Proposal {
  return pull.proposals.find(({ id }) => id === proposal.id) ?? proposal;
}

/** Adds a vote to the step and to its proposal. Its text is no feedback on other changes. */
export function recordVote(builder: StepBuilder, vote: Vote): StepBuilder {
  const proposal = builder.pull.proposals.find((other) => other.id === vote.proposalId);
  if (proposal === undefined) return builder;
  const voted = withProposal(builder, { ...proposal, votes: [...proposal.votes, vote] });
  return { ...voted, votes: [...voted.votes, vote] };
}

/** A vote that a person cast by an event of GitHub, without a comment of their own. */
export function createEventVote(
  { id: proposalId, headSha }: Proposal,
  event: Pick<Vote, 'digest' | 'action' | 'surface' | 'by' | 'permission' | 'deliveryId' | 'commentId' | 'at'>,
): Vote {
  return {
    ...event,
    proposalId,
    headSha,
    thread: null,
    bodyHash: null,
    writtenAt: null,
    text: null,
    standingApproval: null,
  };
}

/** Adds to what the current run has spent. */
export function addUsage(builder: StepBuilder, usage: TokenUsage): StepBuilder {
  const { run } = builder.pull;
  return run === null ? builder : withRun(builder, { spending: addAnswer(run.spending, usage) });
}

/** Shows on the run's comment what has changed; `progress` where nobody waits for it. */
export function showRun(builder: StepBuilder, progress: { readonly progress?: true } = {}): StepBuilder {
  const { run } = builder.pull;
  return run === null ? builder : withEffects(builder, { type: 'update-run-comment', runId: run.id, ...progress });
}

/** Appends to the run's transcript. */
export function appendMessages(builder: StepBuilder, ...messages: readonly TranscriptMessage[]): StepBuilder {
  const counted = withRun(builder, { messageCount: (builder.pull.run?.messageCount ?? 0) + messages.length });
  return { ...counted, messages: [...builder.messages, ...messages] };
}

export function withReply(
  builder: StepBuilder,
  to: Extract<Effect, { type: 'reply' }>['to'],
  reply: Reply,
  once?: string,
): StepBuilder {
  return withEffects(builder, { type: 'reply', to, reply, onceKey: once ?? null });
}
