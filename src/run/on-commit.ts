import { approvalsOf, isApproval } from '../policy/approvals.ts';
import { maySign } from '../policy/roles.ts';
import { cleanText } from '../prompt/clean-text.ts';
import { deniedOutput, failedOutput, instructionOutput } from '../prompt/outputs.ts';
import { applied } from './applied.ts';
import { answerProposal, settleBatch, showing } from './batch.ts';
import { type Draft, draftOf, finish, withAnswer, withEffects, withProposal, withRun } from './draft.ts';
import type { Facts } from './facts.ts';
import { judgeHead, supersede, tellStale } from './judge-head.ts';
import { withOwnEdit } from './own-edit.ts';
import type { Person, Proposal, Vote } from './proposal.ts';
import { activeRun, type Pull, type Run } from './run.ts';
import type { Check, Signal } from './signal.ts';
import { named } from './spoken.ts';
import type { Step } from './step.ts';
import { moved } from './transition.ts';

type Starting = Extract<Signal, { type: 'commit-starting' }>;
type Committed = Extract<Signal, { type: 'committed' }>;
type Failed = Extract<Signal, { type: 'commit-failed' }>;
type Missed = Extract<Signal, { type: 'commit-missed' }>;

/** An attempt is about to begin: only what is still approved, still allowed and still fits goes into it. */
export function onCommitStarting(pull: Pull, signal: Starting, facts: Facts): Step {
  const checked = signal.checks.reduce((draft, check) => begin(draft, check, signal.head, facts), draftOf(pull));
  const mine = signal.checks.map((check) => check.proposalId);
  const told = tellStale(
    checked,
    pull.proposals.filter((one) => mine.includes(one.id) && isUnderWay(one)),
  );
  const executing = told.pull.proposals.some((one) => mine.includes(one.id) && one.state === 'executing');
  return finish(settleBatch(told, facts.now), executing ? 'commit-begun' : 'commit-void');
}

function begin(draft: Draft, check: Check, head: string, facts: Facts): Draft {
  const found = draft.pull.proposals.find((one) => one.id === check.proposalId);
  if (found === undefined) return draft;
  const proposal = found.state === 'executing' ? moved(found, 'approved', facts.now) : found;
  if (proposal.state !== 'approved') return draft;
  return judgeApproved(withProposal(draft, proposal), proposal, check, head, facts);
}

function judgeApproved(draft: Draft, proposal: Proposal, check: Check, head: string, facts: Facts): Draft {
  const no = proposal.votes.find((vote) => vote.action === 'deny' || vote.action === 'edit');
  if (no !== undefined) return rejectLate(draft, proposal, no, facts.now);
  if (activeRun(draft.pull)?.id !== proposal.runId) return cancelLate(draft, proposal, facts.now);
  const signed = withoutLapsed(proposal, check);
  if (approvers(signed).length === 0) return reopen(draft, proposal, signed, facts.now);
  switch (check.verdict.kind) {
    case 'applies':
      return withProposal(draft, moved(signed, 'executing', facts.now));
    case 'already-there':
      return completeAt(draft, proposal, head, 'the branch already held it', facts.now);
    case 'stale':
      return supersede(draft, proposal, head, facts.now);
  }
}

export function approvers(proposal: Proposal): readonly Person[] {
  return approvalsOf(proposal).map((vote) => vote.by);
}

/** A deny or other wishes that came while an earlier attempt was under way: that one did not land, and none follows. */
function rejectLate(draft: Draft, proposal: Proposal, no: Vote, now: string): Draft {
  const rejected = withProposal(draft, moved(proposal, 'rejected', now));
  const output = no.action === 'edit' ? instructionOutput(cleanText(no.text ?? '').text) : deniedOutput(no.text);
  return showing(answerProposal(rejected, proposal, output), proposal);
}

function cancelLate(draft: Draft, proposal: Proposal, now: string): Draft {
  return showing(withProposal(draft, { ...moved(proposal, 'cancelled', now), note: 'the run ended' }), proposal);
}

/** Votes of people who may no longer decide here count no more. */
function withoutLapsed(proposal: Proposal, check: Check): Proposal {
  const votes = proposal.votes.filter((vote) => !isApproval(vote) || maySign(check.permissions[vote.by.id]));
  return { ...proposal, votes };
}

/** No approval is left that counts: the proposal waits for somebody who may. */
function reopen(draft: Draft, proposal: Proposal, unsigned: Proposal, now: string): Draft {
  const login = approvers(proposal).at(-1)?.login ?? '';
  const open = withProposal(draft, moved(unsigned, 'proposed', now));
  return withAnswer(open, { at: 'pull' }, { kind: 'approval-void', proposals: [named(proposal)], login });
}

function completeAt(draft: Draft, proposal: Proposal, sha: string, note: string | null, now: string): Draft {
  const done = withProposal(draft, { ...moved(proposal, 'completed', now), commit: sha, note });
  return showing(answerProposal(done, proposal, applied(proposal)), proposal);
}

/** The commit landed, whatever has become of its run since. The other open proposals are judged against it. */
export function onCommitted(pull: Pull, signal: Committed, facts: Facts): Step {
  const landed = executingOf(pull, signal.proposalIds);
  const done = landed.reduce((draft, one) => completeAt(draft, one, signal.sha, null, facts.now), draftOf(pull));
  const told = landed.length > 1 ? withAnswer(done, { at: 'pull' }, committedAnswer(landed, signal.sha)) : done;
  const run = pull.run;
  if (run === null || run.id !== signal.runId) return finish(told, 'committed');
  const recorded = withRun(told, { commits: [...run.commits, signal.sha], ownEdits: ownEditsAfter(run, signal) });
  const judged = judgeHead(recorded, signal.sha, facts, null);
  return finish(refreshed(settleBatch(judged, facts.now), run.id), 'committed');
}

function committedAnswer(landed: readonly Proposal[], sha: string): Parameters<typeof withAnswer>[2] {
  return { kind: 'committed', sha, applied: landed.map(named) };
}

/** The run comment of a run that is over still tells what landed. */
function refreshed(draft: Draft, runId: string): Draft {
  return withEffects(draft, { type: 'show-run', runId });
}

function executingOf(pull: Pull, ids: readonly string[]): readonly Proposal[] {
  return pull.proposals.filter((one) => ids.includes(one.id) && one.state === 'executing');
}

function ownEditsAfter(run: Run, signal: Committed): Run['ownEdits'] {
  return signal.files.reduce((edits: Run['ownEdits'], file) => withOwnEdit(edits, file), run.ownEdits);
}

/** GitHub refused for good, or the branch never stood still: nothing was written. */
export function onCommitFailed(pull: Pull, signal: Failed, facts: Facts): Step {
  const failed = pull.proposals.filter((one) => signal.proposalIds.includes(one.id) && isUnderWay(one));
  const done = failed.reduce((draft, one) => fail(draft, one, signal.message, facts.now), draftOf(pull));
  const answer = { kind: 'commit-failed', proposals: failed.map(named), message: signal.message } as const;
  const told = failed.length === 0 ? done : withAnswer(done, { at: 'pull' }, answer);
  return finish(settleBatch(told, facts.now), 'commit-failed');
}

/** How long a branch may keep moving under our attempts. */
const MOVING_MS = 10 * 60_000;

/** The branch moved before the attempt: nothing was written, and these are approved as before, for a while. */
export function onCommitMissed(pull: Pull, signal: Missed, facts: Facts): Step {
  const missed = executingOf(pull, signal.proposalIds);
  const tired = missed.filter((one) => one.missedSince !== null && msBetween(one.missedSince, facts.now) > MOVING_MS);
  if (tired.length > 0) {
    const proposalIds = tired.map((one) => one.id);
    return onCommitFailed(
      pull,
      { ...signal, type: 'commit-failed', proposalIds, message: 'the branch kept moving' },
      facts,
    );
  }
  const back = missed.reduce((draft, one) => {
    const missedSince = one.missedSince ?? facts.now;
    return withProposal(draft, { ...moved(one, 'approved', facts.now), missedSince });
  }, draftOf(pull));
  return finish(back, 'commit-missed');
}

function msBetween(earlier: string, later: string): number {
  return Date.parse(later) - Date.parse(earlier);
}

function isUnderWay(proposal: Proposal): boolean {
  return proposal.state === 'executing' || proposal.state === 'approved';
}

function fail(draft: Draft, proposal: Proposal, message: string, now: string): Draft {
  const begun = proposal.state === 'approved' ? moved(proposal, 'executing', now) : proposal;
  const failed = withProposal(draft, { ...moved(begun, 'failed', now), note: message });
  return showing(answerProposal(failed, proposal, failedOutput(message)), proposal);
}
