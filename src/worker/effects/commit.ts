import { currentApprovalRules } from '../../core/actions/approvals.ts';
import type { CommitStyle } from '../../core/policy/commit-message.ts';
import type { ProposalToCommit } from '../../core/policy/commit-plan.ts';
import { type CountersignedCommit, countersign } from '../../core/policy/countersign.ts';
import { isOpen, type Proposal } from '../../core/state/proposal.ts';
import type { PullState } from '../../core/state/pull-state.ts';
import type { CommitEffect } from '../../core/step/effects.ts';
import type { PullFacts } from '../../core/step/facts.ts';
import type { GitHub } from '../../core/step/ports.ts';
import type { PreflightCheck, Signal, SignalOf } from '../../core/step/signals.ts';
import { localFacts } from '../jobs/gather-facts.ts';
import { DONE, type EffectResult, type Job, msRefused, resultIfClosed, retryAfterComments } from '../jobs/job.ts';
import { isRefusedForGood, retryAfterRefusal } from '../jobs/retries.ts';
import { type CommitPreconditions, preflightCommit, verifyWrittenCommit } from './commit-checks.ts';
import { findExistingCommit, findReportedCommit } from './find-commit.ts';

/** Immediate attempts while the branch keeps moving. */
const MAX_IMMEDIATE_ATTEMPTS = 3;

/** Delay of the next attempts (ms), and the time since GitHub first refused after which there are none. */
const HEAD_MOVED_DELAY_MS = 30_000;
const MAX_HEAD_MOVING_MS = 10 * 60_000;

/** Comments arrived during the preparation, so the attempt was not started. */
type CommentsPending = { readonly kind: 'comments-pending' };

const COMMENTS_PENDING: CommentsPending = { kind: 'comments-pending' };

/** The branch was not at `head`: nothing was written, and these proposals are still approved. */
type HeadMoved = { readonly kind: 'head-moved'; readonly head: string; readonly proposals: readonly Proposal[] };

/**
 * Commits the approved proposals of the effect. Each attempt first looks for a commit of an earlier one, then asks the
 * decision core, which can remove proposals and stores the others as `executing`: after a crash, this says that a
 * commit may exist. Finally it writes on top of the checked head only.
 */
export async function performCommit(singleJob: Job<'commit'>): Promise<EffectResult> {
  // Pending comments could stop the commit, so send no requests until they are handled.
  const commentsDueAt = await singleJob.pendingCommentsDueAt();
  if (commentsDueAt !== null) return retryAfterComments(singleJob, commentsDueAt);
  const job = await withSameReview(singleJob);
  let moved: MovedBranch = { proposals: [], head: '', why: '' };
  for (let attempt = 1; attempt <= MAX_IMMEDIATE_ATTEMPTS; attempt += 1) {
    const result = await attemptCommit(job);
    if (result.kind === 'comments-pending')
      return moved.proposals.length === 0 ? retryAfterComments(job, null) : yieldToComments(job, moved);
    // Returned without `commit-head-moved`: this attempt might have succeeded, unlike the ones before.
    if (result.kind !== 'head-moved') return result;
    moved = { ...result, why: moved.head === result.head ? RECORD_LAGS : KEPT_MOVING };
  }
  return retryAfterHeadMoved(job, moved);
}

/** The last attempt that the branch outran. */
type MovedBranch = Omit<HeadMoved, 'kind'> & { readonly why: string };

const KEPT_MOVING = 'the branch kept moving';

const RECORD_LAGS = 'GitHub shows an older commit on the pull request than its branch has';

/**
 * Adds the other proposals that the same review approved, for a single commit. Their own effects then find nothing to
 * do.
 */
async function withSameReview(job: Job<'commit'>): Promise<Job<'commit'>> {
  const { context, effect, stored } = job;
  const reviewId = reviewIdOf(effect);
  if (reviewId === null) return job;
  const pending = await context.store.listPendingCommits(stored.pullRequestKey);
  const sameReview = pending.filter((commit) => commit.runId === effect.runId && reviewIdOf(commit) === reviewId);
  const ids = [effect, ...sameReview].flatMap(({ proposalIds }) => proposalIds);
  return { ...job, effect: { ...effect, proposalIds: [...new Set(ids)] } };
}

/** GitHub puts even a single thread comment into a review of its own. */
function reviewIdOf({ location }: CommitEffect): number | null {
  return location !== null && 'reviewId' in location ? location.reviewId : null;
}

async function attemptCommit(job: Job<'commit'>): Promise<EffectResult | HeadMoved | CommentsPending> {
  const { context, stored, effect } = job;
  const pull = await context.store.load(stored.pullRequestKey, { ids: effect.proposalIds, commentId: null });
  const effectProposals = pull.proposals.filter(
    (one) => effect.proposalIds.includes(one.id) && isOpen(one) && one.state !== 'proposed',
  );
  if (effectProposals.length === 0) return DONE;
  // Another effect can have attempted an executing proposal, and its result might be lost.
  const mayExist = job.attempts > 1 || effectProposals.some(({ state }) => state === 'executing');
  return findOrAttempt(job, pull, effectProposals, mayExist);
}

async function findOrAttempt(
  job: Job<'commit'>,
  pull: PullState,
  effectProposals: readonly Proposal[],
  mayExist: boolean,
): Promise<EffectResult | HeadMoved | CommentsPending> {
  const { context, attempts } = job;
  const github = context.githubApp.forPull(pull.ref);
  const facts = await github.fetchPull();
  const lookup = { pull: facts, botId: context.self.botId, attempts };
  const existing = mayExist
    ? ((await findExistingCommit(github, { proposals: effectProposals, known: pull.proposals }, lookup)) ??
      (await findReportedCommit(github, effectProposals, lookup)))
    : null;
  if (existing !== null) return existingCommitResult(job, effectProposals, existing);
  const closed = resultIfClosed(facts, effectProposals);
  return closed ?? preflightAndWrite(job, github, pull, effectProposals, facts);
}

/**
 * Reports an existing commit. If another effect made it with only some of the proposals, the others are retried at
 * once.
 */
function existingCommitResult(
  { context }: Job<'commit'>,
  effectProposals: readonly Proposal[],
  existing: SignalOf<'committed' | 'commit-mismatch'>,
): EffectResult {
  if (effectProposals.every(({ id }) => existing.proposalIds.includes(id))) return { kind: 'done', signal: existing };
  return {
    kind: 'retry',
    retryAt: context.clock.now(),
    error: 'only some of the proposals were committed',
    failure: 'other',
    signal: existing,
  };
}

async function preflightAndWrite(
  job: Job<'commit'>,
  github: GitHub,
  pull: PullState,
  effectProposals: readonly Proposal[],
  facts: PullFacts,
): Promise<EffectResult | HeadMoved | CommentsPending> {
  const { now } = localFacts(job.context, pull);
  const preconditions = await preflightCommit({ ...job.context, github }, pull, effectProposals, {
    head: facts.headSha,
    branch: facts.headRef,
  });
  const { head: headSha, checks, settings, codeOwners } = preconditions;
  const owners = codeOwners === null ? {} : { codeOwners };
  const preflight = { runId: job.effect.runId, headSha, baseRef: facts.baseRef, checks, settings, ...owners };
  const decided = await job.decideNow({ type: 'commit-preflight', ...preflight });
  if (decided === null) return COMMENTS_PENDING;
  const executing = decided.proposals.filter(
    ({ id, state }) => job.effect.proposalIds.includes(id) && state === 'executing',
  );
  return executing.length === 0 ? DONE : writeAndVerify(job, github, { pull: decided, executing, now }, preconditions);
}

/** The proposals to write, as returned by the decision core. */
type CommitAttempt = {
  readonly pull: PullState;
  readonly executing: readonly Proposal[];
  /** A time before the decision, so that nothing that it relied on has expired meanwhile. */
  readonly now: string;
};

async function writeAndVerify(
  job: Job<'commit'>,
  github: GitHub,
  attempt: CommitAttempt,
  preconditions: CommitPreconditions,
): Promise<EffectResult | HeadMoved> {
  const { executing } = attempt;
  const signed = createSignedPlan(job, attempt, preconditions);
  if (signed === null) return commitFailed(job, executing, 'what is stored is not what was shown');
  const outcome = await github.commit(signed.plan);
  switch (outcome.kind) {
    case 'committed':
      return verifyWrittenCommit(job, github, outcome, signed);
    case 'head-moved':
      return { kind: 'head-moved', head: preconditions.head, proposals: executing };
    case 'refused':
      // A new look can find that the pull request was closed meanwhile.
      if (!outcome.byRule && !isRefusedForGood(job))
        return { ...retryAfterRefusal(job, outcome.message), signal: notWrittenSignal(job, executing) };
      return commitFailed(job, executing, outcome.message, outcome.byRule);
  }
}

/** Null if a change differs from the approved one. Retries cannot fix that: an operator has to investigate. */
function createSignedPlan(
  job: Job<'commit'>,
  { pull: { ref, run, standingApprovals: approvals }, executing, now }: CommitAttempt,
  preconditions: CommitPreconditions,
): CountersignedCommit | null {
  const { branch, head: headSha, files, checks, settings } = preconditions;
  const toCommit = executing.map((proposal) => toProposalToCommit(proposal, checks));
  const current = currentApprovalRules(settings, run, preconditions.codeOwners);
  const standing = { approvals, rules: settings.settings, runBy: run?.task.by ?? null, now };
  try {
    if (current.kind !== 'rules') throw new Error('the settings of the repository cannot be read');
    const links = job.context.links(ref);
    const style = commitStyleOf(preconditions.settings);
    return countersign({ branch, headSha, toCommit, files, rules: current.rules, standing, links, style });
  } catch (error) {
    job.context.log.error({ err: error }, 'stored change could not be countersigned');
    return null;
  }
}

/** As in the settings that were read for this commit. */
function commitStyleOf({ settings }: CommitPreconditions['settings']): CommitStyle {
  return { template: settings.commitMessage, signOff: settings.signOff };
}

function toProposalToCommit(proposal: Proposal, checks: readonly PreflightCheck[]): ProposalToCommit {
  const check = checks.find((one) => one.proposalId === proposal.id);
  const regions = proposal.change.members.map((member, index) => {
    const verdict = check?.verdicts[index];
    return member.region !== null && verdict?.kind === 'applies' ? verdict.region : null;
  });
  return { proposal, regions, permissions: check?.permissions ?? {}, voteSources: check?.voteSources ?? {} };
}

/** Handles comments that arrived while the branch moved. If that repeats, the delay is as long as without comments. */
function yieldToComments(job: Job<'commit'>, moved: MovedBranch): EffectResult {
  const retry = retryAfterHeadMoved(job, moved);
  return retry.kind === 'done' || job.attempts > MAX_IMMEDIATE_ATTEMPTS
    ? retry
    : { ...retry, retryAt: retryAfterComments(job, null).retryAt };
}

/** Meanwhile people can withdraw their approval. */
function retryAfterHeadMoved(job: Job<'commit'>, { proposals, why }: MovedBranch): EffectResult {
  const now = job.context.clock.now();
  if (msRefused(job) > MAX_HEAD_MOVING_MS) return commitFailed(job, proposals, why);
  const retryAt = now + HEAD_MOVED_DELAY_MS;
  return {
    kind: 'retry',
    retryAt,
    error: 'the branch moved',
    failure: 'refusal',
    signal: notWrittenSignal(job, proposals),
  };
}

/** Moves the proposals from executing back to approved. */
function notWrittenSignal({ effect }: Job<'commit'>, movedProposals: readonly Proposal[]): Signal {
  return { type: 'commit-head-moved', runId: effect.runId, proposalIds: movedProposals.map(({ id }) => id) };
}

function commitFailed(
  job: Job<'commit'>,
  proposals: readonly Proposal[],
  message: string,
  refusedByRule = false,
): EffectResult {
  const proposalIds = proposals.map((one) => one.id);
  return {
    kind: 'done',
    signal: { type: 'commit-failed', runId: job.effect.runId, proposalIds, message, refusedByRule },
  };
}
