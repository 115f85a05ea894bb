import type { PullRef } from '../command/intent.ts';
import { countersign, type Signed } from '../policy/countersign.ts';
import type { Signing } from '../policy/signing.ts';
import { rulesNow } from '../run/approvals.ts';
import type { CommitEffect } from '../run/effect.ts';
import type { PullFacts } from '../run/facts.ts';
import { isUnderWay, type Proposal } from '../run/proposal.ts';
import type { Pull, Run } from '../run/run.ts';
import type { Check, Signal } from '../run/signal.ts';
import { type Again, afterWords } from './after-words.ts';
import { isLasting, retryTime, wordsOf } from './backoff.ts';
import { type Ground, layGround } from './commit-ground.ts';
import { findLanded } from './find-landed.ts';
import { findMade } from './find-made.ts';
import { DONE, type Job, type Outcome } from './job.ts';
import type { GitHub } from './ports.ts';
import { readBack } from './read-back.ts';

/** Tries at once when the branch moves under an attempt, then the wait between further ones. */
const QUICK_TRIES = 3;
const MOVING_WAIT_MS = 30_000;

/** People spoke while an attempt was being prepared: it was not begun. */
type Spoken = { readonly kind: 'spoken' };

const SPOKEN: Spoken = { kind: 'spoken' };

/** An attempt that the branch moved away from under: nothing was written, and these are still approved. */
type Moved = { readonly kind: 'moved'; readonly proposals: readonly Proposal[] };

/**
 * Commits what is approved of the effect's proposals. Each attempt looks first for what an earlier one may have left,
 * is announced to the decision core (which may take proposals out), and is bound to the head that was checked.
 */
export async function performCommit(alone: Job<'commit'>): Promise<Outcome> {
  // Until what people said can be heard, GitHub is asked nothing.
  const words = await alone.wordsDue();
  if (words !== null) return afterWords(alone, words);
  const job = await withItsReview(alone);
  let missed: readonly Proposal[] = [];
  for (let tries = 0; tries < QUICK_TRIES; tries += 1) {
    const tried = await tryOnce(job);
    if (tried.kind === 'spoken') return missed.length === 0 ? afterWords(job, null) : interrupted(job, missed);
    // Also where it comes again: then this last attempt may have landed, whatever became of those before it.
    if (tried.kind !== 'moved') return tried;
    missed = tried.proposals;
  }
  return movedOn(job, missed);
}

/** Takes along what else the same review approved; there is nothing left to do then when its own turn comes. */
async function withItsReview(job: Job<'commit'>): Promise<Job<'commit'>> {
  const { context, effect, stored } = job;
  const review = reviewOf(effect);
  if (review === null) return job;
  const wanted = await context.store.commitsWanted(stored.pullKey);
  const together = wanted.filter((one) => one.runId === effect.runId && reviewOf(one) === review);
  const ids = [effect, ...together].flatMap(({ proposalIds }) => proposalIds);
  return { ...job, effect: { ...effect, proposalIds: [...new Set(ids)] } };
}

/** Words in a thread stand in a review of their own where they were not sent with others. */
function reviewOf({ place }: CommitEffect): number | null {
  return place !== null && 'reviewId' in place ? place.reviewId : null;
}

async function tryOnce(job: Job<'commit'>): Promise<Outcome | Moved | Spoken> {
  const { context, stored, effect } = job;
  const pull = await context.store.load(stored.pullKey, { ids: effect.proposalIds, commentId: null });
  const mine = pull.proposals.filter((one) => effect.proposalIds.includes(one.id) && isUnderWay(one));
  if (mine.length === 0) return DONE;
  // What is being executed already belongs to an attempt for other words, whose answer may be lost.
  const byOther = job.attempts === 1 && mine.some(({ state }) => state === 'executing');
  try {
    return await lookAndAttempt(job, pull, mine, job.attempts > 1 || byOther);
  } catch (error) {
    if (byOther && isLasting(error)) return again(job, error);
    throw error;
  }
}

/** What is refused for good at its first try is given up as not written; of these another attempt may have written some. */
function again({ context, attempts }: Job<'commit'>, error: unknown): Outcome {
  return { kind: 'again', at: retryTime(context.clock.now(), attempts, error), error: wordsOf(error) };
}

async function lookAndAttempt(
  job: Job<'commit'>,
  pull: Pull,
  mine: readonly Proposal[],
  tried: boolean,
): Promise<Outcome | Moved | Spoken> {
  const { context, attempts } = job;
  const github = context.githubs.for(pull.ref);
  const facts = await github.pull();
  const at = { pull: facts, botId: context.self.botId, attempts };
  const landed = tried
    ? ((await findLanded(github, { mine, all: pull.proposals }, at)) ?? (await findMade(github, mine, at)))
    : null;
  if (landed !== null) return found(job, mine, landed);
  if (facts.state !== 'open') return failed(job, mine, `the pull request is ${facts.state}`);
  return attempt(job, github, pull, mine, facts);
}

/** What an attempt of before left; where another effect made it, of some of these only, the others are still to be made. */
function found(
  { context }: Job<'commit'>,
  mine: readonly Proposal[],
  landed: Extract<Signal, { type: 'committed' | 'commit-differs' }>,
): Outcome {
  if (mine.every(({ id }) => landed.proposalIds.includes(id))) return { kind: 'done', signal: landed };
  return { kind: 'again', at: context.clock.now(), error: 'only some of it was made', signal: landed };
}

async function attempt(
  job: Job<'commit'>,
  github: GitHub,
  pull: Pull,
  mine: readonly Proposal[],
  facts: PullFacts,
): Promise<Outcome | Moved | Spoken> {
  const ground = await layGround({ github, workOut: job.context.workOut }, pull, mine, {
    head: facts.headSha,
    branch: facts.headRef,
  });
  const { head, checks, settings } = ground;
  const { runId } = job.effect;
  const { baseRef } = facts;
  const begun = await job.decideNow({ type: 'commit-starting', runId, head, baseRef, checks, settings });
  if (begun === null) return SPOKEN;
  const executing = begun.proposals.filter(
    (one) => job.effect.proposalIds.includes(one.id) && one.state === 'executing',
  );
  return executing.length === 0 ? DONE : write(job, github, { ref: pull.ref, run: begun.run, executing }, ground);
}

/** What the attempt is for, as the decision core has it. */
type Begun = { readonly ref: PullRef; readonly run: Run | null; readonly executing: readonly Proposal[] };

async function write(job: Job<'commit'>, github: GitHub, begun: Begun, ground: Ground): Promise<Outcome | Moved> {
  const { executing } = begun;
  const signed = sign(job, begun, ground);
  if (signed === null) return failed(job, executing, 'what is stored is not what was shown');
  const outcome = await github.commit(signed.plan);
  switch (outcome.kind) {
    case 'committed':
      return readBack(job, github, outcome.sha, signed);
    case 'head-moved':
      return { kind: 'moved', proposals: executing };
    case 'refused':
      return failed(job, executing, outcome.message, outcome.byRule);
  }
}

/** Null where a change is not the one that people saw and approved: that never passes, and somebody has to look into it. */
function sign(job: Job<'commit'>, { ref, run, executing }: Begun, ground: Ground): Signed | null {
  const { branch, head, files, checks } = ground;
  const signings = executing.map((proposal) => signingOf(proposal, checks));
  const now = rulesNow(ground.settings, run);
  try {
    if (now.kind !== 'rules') throw new Error('The settings of the repository cannot be read');
    const links = job.context.links(ref);
    return countersign({ branch, head, signings, files, rules: now.rules, links });
  } catch (error) {
    job.context.log.error({ err: error, effect: job.stored.id }, 'a stored change was refused its signature');
    return null;
  }
}

function signingOf(proposal: Proposal, checks: readonly Check[]): Signing {
  const check = checks.find((one) => one.proposalId === proposal.id);
  const verdict = check?.verdict;
  const region = proposal.change.region !== null && verdict?.kind === 'applies' ? verdict.region : null;
  return { proposal, region, permissions: check?.permissions ?? {} };
}

/**
 * The branch moved, and words came with it. They are heard at once, and the attempt comes again after them; but where
 * that happens over and over, it waits as long as for a branch that moves by itself.
 */
function interrupted(job: Job<'commit'>, missed: readonly Proposal[]): Again {
  const again = movedOn(job, missed);
  return job.attempts > QUICK_TRIES ? again : { ...again, at: afterWords(job, null).at };
}

/** Comes again later: people may change their minds meanwhile, and after long enough the decision core ends it. */
function movedOn(job: Job<'commit'>, missed: readonly Proposal[]): Again {
  const at = job.context.clock.now() + MOVING_WAIT_MS;
  return { kind: 'again', at, error: 'the branch moved', signal: missOf(job, missed) };
}

/** Takes the proposals back to approved: they were not committed, whatever people said in between. */
function missOf({ effect }: Job<'commit'>, missed: readonly Proposal[]): Signal {
  return { type: 'commit-missed', runId: effect.runId, proposalIds: missed.map(({ id }) => id) };
}

function failed(job: Job<'commit'>, proposals: readonly Proposal[], message: string, byRule = false): Outcome {
  const proposalIds = proposals.map((one) => one.id);
  return { kind: 'done', signal: { type: 'commit-failed', runId: job.effect.runId, proposalIds, message, byRule } };
}
