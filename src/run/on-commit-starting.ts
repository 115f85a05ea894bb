import { type ApprovalRules, countingApprovals } from '../policy/approval-rules.ts';
import { isApproval } from '../policy/approvals.ts';
import { cleanText } from '../prompt/clean-text.ts';
import { deniedOutput, instructionOutput } from '../prompt/outputs.ts';
import type { Doubt } from './answer.ts';
import { approvers, doubtAbout, rulesNow } from './approvals.ts';
import { answerProposal, settleBatch, showing } from './batch.ts';
import { tellDoubted, withoutApprovals } from './doubted.ts';
import { type Draft, draftOf, finish, withAnswer, withProposal } from './draft.ts';
import { waitingAgain } from './expiry.ts';
import type { Facts } from './facts.ts';
import { completeAt } from './on-commit.ts';
import { tellRetargeted, withBaseFound, withdrawFrom } from './on-retargeted.ts';
import { isUnderWay, type Permission, type Person, type Proposal, type Vote } from './proposal.ts';
import { activeRun, type Pull, type Run } from './run.ts';
import type { Check, Signal } from './signal.ts';
import { named } from './spoken.ts';
import type { Step } from './step.ts';
import { supersede, tellStale } from './superseded.ts';
import { moved } from './transition.ts';

type Starting = Extract<Signal, { type: 'commit-starting' }>;

/** An attempt is about to begin: only what is still approved, still allowed and still fits goes into it. */
export function onCommitStarting(pull: Pull, signal: Starting, facts: Facts): Step {
  const based = withBaseFound(draftOf(pull), signal.baseRef, facts.now);
  const checked = signal.checks.reduce((draft, check) => begin(draft, check, signal, facts), based);
  const mine = signal.checks.map((check) => check.proposalId);
  const given = based.pull.proposals.filter((one) => mine.includes(one.id) && isUnderWay(one));
  const here = given.filter(({ retargeted }) => retargeted === null);
  const doubted = tellDoubted(checked, given);
  const told = tellVoid(tellStale(tellElsewhere(doubted, given), here), here, signal);
  const executing = told.pull.proposals.some((one) => mine.includes(one.id) && one.state === 'executing');
  return finish(settleBatch(told, facts.now), executing ? 'commit-begun' : 'commit-void');
}

function begin(draft: Draft, check: Check, signal: Starting, facts: Facts): Draft {
  const found = draft.pull.proposals.find((one) => one.id === check.proposalId);
  if (found === undefined) return draft;
  const proposal = found.state === 'executing' ? moved(found, 'approved', facts.now) : found;
  if (proposal.state !== 'approved') return draft;
  return judgeApproved(withProposal(draft, proposal), proposal, check, signal, facts);
}

function judgeApproved(draft: Draft, proposal: Proposal, check: Check, signal: Starting, facts: Facts): Draft {
  const no = proposal.votes.find((vote) => vote.action === 'deny' || vote.action === 'edit');
  if (no !== undefined) return rejectLate(draft, proposal, no, facts.now);
  const over = whyOver(draft.pull, proposal);
  if (over !== null) return cancelLate(draft, proposal, over, facts.now);
  if (proposal.retargeted !== null) return withdrawFrom(draft, proposal, proposal.retargeted, facts.now);
  if (proposal.doubted) return withoutApprovals(draft, proposal, facts.now);
  const now = rulesNow(signal.settings, draft.pull.run);
  const signed = now.kind === 'rules' ? withoutLapsed(proposal, check, now.rules) : proposal;
  if (doubtAtCommit(proposal, signal, draft.pull.run) !== null)
    return showing(waitingAgain(draft, signed, facts.now), signed);
  switch (check.verdict.kind) {
    case 'applies':
      return withProposal(draft, moved(signed, 'executing', facts.now));
    case 'already-there':
      return completeAt(draft, proposal, { ...FOUND, commit: signal.head }, facts.now);
    case 'stale':
      return supersede(draft, proposal, check.verdict, { head: signal.head, now: facts.now });
  }
}

const FOUND = { made: null, note: 'the branch already held it' } as const;

/** Tells what is withdrawn because the pull request went to another base while an earlier attempt was under way. */
function tellElsewhere(draft: Draft, given: readonly Proposal[]): Draft {
  const ids = draft.pull.proposals.filter(({ state }) => state === 'superseded').map(({ id }) => id);
  const gone = given.filter(({ id, retargeted }) => retargeted !== null && ids.includes(id));
  const last = gone.at(-1)?.retargeted ?? null;
  return last === null ? draft : tellRetargeted(draft, gone, last);
}

function permissionNow(check: Check | undefined, person: Person): Permission {
  return check?.permissions[person.id] ?? 'none';
}

/** Why what was approved is not any more: somebody's vote lapsed, or the repository asks for more of them. */
function doubtAtCommit(proposal: Proposal, signal: Starting, run: Run | null): Doubt | null {
  const now = rulesNow(signal.settings, run);
  if (now.kind !== 'rules') return now;
  const check = signal.checks.find((one) => one.proposalId === proposal.id);
  const counting = countingApprovals(proposal, now.rules, ({ by }) => permissionNow(check, by));
  const missing = Math.max(1, now.rules.requiredApprovals) - counting.length;
  if (missing <= 0) return null;
  const lapsed = approvers(proposal).map((one) => doubtAbout(one, permissionNow(check, one), proposal, now.rules));
  return lapsed.findLast((one) => one !== null) ?? { kind: 'too-few', missing };
}

/** Tells once for each doubt which proposals wait again because of it. */
function tellVoid(draft: Draft, given: readonly Proposal[], signal: Starting): Draft {
  const open = draft.pull.proposals.filter(({ state }) => state === 'proposed').map(({ id }) => id);
  const doubts = given.flatMap((proposal) => {
    const doubt = open.includes(proposal.id) ? doubtAtCommit(proposal, signal, draft.pull.run) : null;
    return doubt === null ? [] : [{ proposal, doubt }];
  });
  const groups = [...Map.groupBy(doubts, ({ doubt }) => JSON.stringify(doubt)).values()];
  return groups.reduce((told, group) => {
    const [first] = group;
    if (first === undefined) return told;
    const proposals = group.map(({ proposal }) => named(proposal));
    return withAnswer(told, { at: 'pull' }, { kind: 'approval-void', doubt: first.doubt, proposals });
  }, draft);
}

/** A deny or other wishes that came while an earlier attempt was under way: that one did not land, and none follows. */
function rejectLate(draft: Draft, proposal: Proposal, no: Vote, now: string): Draft {
  const rejected = withProposal(draft, moved(proposal, 'rejected', now));
  const output = no.action === 'edit' ? instructionOutput(cleanText(no.text ?? '').text) : deniedOutput(no.text);
  return showing(answerProposal(rejected, proposal, output), proposal);
}

/** Why nothing of it may be made any more, whoever approved it; null where it may. */
function whyOver(pull: Pull, { origin, runId }: Proposal): string | null {
  if (origin.kind === 'undo') return origin.cancelled;
  return activeRun(pull)?.id === runId ? null : 'the run ended';
}

function cancelLate(draft: Draft, proposal: Proposal, note: string, now: string): Draft {
  return showing(withProposal(draft, { ...moved(proposal, 'cancelled', now), note }), proposal);
}

/** Approvals of people who may no longer give them count no more; given again, they are other votes. */
function withoutLapsed(proposal: Proposal, check: Check, rules: ApprovalRules): Proposal {
  const counting = countingApprovals(proposal, rules, ({ by }) => permissionNow(check, by));
  const votes = proposal.votes.filter((vote) => !isApproval(vote) || counting.includes(vote));
  return { ...proposal, votes, requiredApprovals: rules.requiredApprovals };
}
