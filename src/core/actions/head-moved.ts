import { retargetedOutput, staleOutput } from '../agent/shared/tool-results.ts';
import { isReading, mainPath } from '../edits/change.ts';
import { notAppliedStale } from '../messages/change-replies.ts';
import { mayApprove } from '../policy/may-approve.ts';
import type { IssuedCall } from '../state/conversation.ts';
import type { PathStaleness, Staleness } from '../state/head-changes.ts';
import { type Proposal, writerOf } from '../state/proposal.ts';
import type { Run } from '../state/run.ts';
import { canApprove, type Permission, type Person, type Vote } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import { currentApprovalRules, isEnoughWith } from './approvals.ts';
import { addAppCommit, combineVerdicts, memberVerdicts, proposalsBeforeCommit } from './head-assessment.ts';
import {
  createEventVote,
  currentProposal,
  queueCommentUpdate,
  recordVote,
  type StepBuilder,
  withEffects,
  withProposal,
  withPullState,
  withReply,
  withRun,
  withTransition,
} from './step-builder.ts';
import { completeProposal, issuedCallsOf, setProposalCallStatus, withdrawProposal } from './tool-batch.ts';

/** The person who pushed, and the webhook that reported it. */
export type Pusher = { readonly person: Person; readonly permission: Permission; readonly deliveryId: string };

/** `pusher` is null if unknown. */
type HeadMove = { readonly head: string; readonly facts: Facts; readonly pusher: Pusher | null };

/**
 * Applies the assessment of all open proposals at `head`: those that it contains are completed, those that still apply
 * stay, all others are superseded. If the head moved and there are open proposals, the fact `staleness` is required.
 */
export function applyHeadMove(
  builder: StepBuilder,
  head: string,
  facts: Facts,
  pusher: HeadMove['pusher'],
): StepBuilder {
  const { run } = builder.pull;
  const { staleness } = facts;
  if (run === null || head === run.assessed.headSha || staleness === undefined) return builder;
  const open = proposalsBeforeCommit(builder.pull.proposals);
  const recorded = staleness.paths.reduce(recordPush, builder);
  const judged = open.reduce((next, { id }) => judgeProposal(next, id, staleness, { head, facts, pusher }), recorded);
  const commits = commitsIncluding(judged, run, head);
  return announceStale(withRun(judged, { assessed: { ...run.assessed, headSha: head }, commits }), open);
}

/**
 * Applies the base branch of now, wherever it is read: what was proposed for another one is withdrawn, and standing
 * approvals end.
 */
export function applyBase(builder: StepBuilder, to: string, now: string): StepBuilder {
  const { run } = builder.pull;
  if (run === null || run.assessed.baseRef === to) return builder;
  const open = proposalsBeforeCommit(builder.pull.proposals);
  const why = { note: `the pull request now targets ${to}`, output: retargetedOutput(run.assessed.baseRef, to) };
  const atBase = { ...run, assessed: { ...run.assessed, baseRef: to } };
  const moved = withPullState(builder, { run: atBase, standingApprovals: [] });
  return announceStale(
    open.reduce((next, one) => withdrawProposal(next, one, why, now), moved),
    open,
  );
}

/** A push to a path that contains nothing but pending changes moves the others like a commit of the run. */
function recordPush(builder: StepBuilder, { path, appCommit }: PathStaleness): StepBuilder {
  if (appCommit === null) return builder;
  return withRun(builder, { appCommits: addAppCommit(builder.pull.run?.appCommits ?? {}, path, appCommit) });
}

/** A push that completed proposals counts as a commit of the run, no matter who pushed it. */
function commitsIncluding({ pull }: StepBuilder, { commits }: Run, head: string): readonly string[] {
  const completesProposals = pull.proposals.some((one) => one.commitSha === head);
  return completesProposals && !commits.includes(head) ? [...commits, head] : commits;
}

/** A change stands as long as all of its members do. Its page names their lines at the head that it shows. */
function judgeProposal(builder: StepBuilder, id: string, staleness: Staleness, move: HeadMove): StepBuilder {
  const proposal = proposalsBeforeCommit(builder.pull.proposals).find((one) => one.id === id);
  const verdicts = proposal === undefined ? null : memberVerdicts(proposal, staleness);
  if (proposal === undefined || verdicts === null) return builder;
  const verdict = combineVerdicts(proposal, verdicts);
  const { head, facts, pusher } = move;
  const movedHead = { head, login: pusher?.person.login ?? null, now: facts.now };
  switch (verdict.kind) {
    case 'applies':
      return builder;
    case 'already-applied':
      return completeByPush(builder, proposal, move);
    case 'stale':
      return supersede(builder, proposal, verdict.path ?? null, movedHead);
  }
}

/** Changes that were found on the branch while nobody was known to have pushed them. */
export function withoutPusher(proposals: readonly Proposal[]): readonly Proposal[] {
  return proposals.filter(
    ({ state, change, committed, votes }) =>
      state === 'completed' && !isReading(change) && committed === null && votes.every((one) => one.surface !== 'push'),
  );
}

/** Names the pusher of the changes that a push brought: on their pages, in the run's table and in their votes. */
export function creditPusher(builder: StepBuilder, after: string, facts: Facts, pusher: Pusher): StepBuilder {
  const { broughtByPush } = facts;
  if (broughtByPush === undefined) return builder;
  const brought = withoutPusher(builder.pull.proposals).filter((one) => {
    const verdicts = memberVerdicts(one, broughtByPush);
    return verdicts !== null && combineVerdicts(one, verdicts).kind === 'already-applied';
  });
  const credited = brought.reduce((next, one) => {
    const voted = recordVote(next, createPushVote(one, pusher, facts.now));
    const current = currentProposal(voted, one);
    const note = pushNote(pusher, current, voted.pull.run, facts);
    return queueCommentUpdate(withProposal(voted, { ...current, commitSha: after, note }), one);
  }, builder);
  const runIds = [...new Set(brought.map(({ runId }) => runId))];
  return withEffects(credited, ...runIds.map((runId) => ({ type: 'update-run-comment', runId }) as const));
}

/** Completes a proposal that a push contains. The pusher gets a vote. */
function completeByPush(builder: StepBuilder, proposal: Proposal, { head, facts, pusher }: HeadMove): StepBuilder {
  const voted = pusher === null ? builder : recordVote(builder, createPushVote(proposal, pusher, facts.now));
  const current = currentProposal(voted, proposal);
  const note = pushNote(pusher, current, builder.pull.run, facts);
  return completeProposal(voted, current, { commitSha: head, committed: current.committed, note }, facts.now);
}

function createPushVote(proposal: Proposal, { person: by, permission, deliveryId }: Pusher, at: string): Vote {
  const { digest } = proposal.change;
  const event = { action: 'commit', surface: 'push', commentId: null } as const;
  return createEventVote(proposal, { ...event, digest, by, permission, deliveryId, at });
}

/** Tells people if the push was not an approval by the rules of the repository; null if it was. */
function pushNote(pusher: Pusher | null, proposal: Proposal, run: Run | null, facts: Facts): string | null {
  if (pusher === null) return 'found in a push';
  const { person } = pusher;
  const current = currentApprovalRules(facts.settings, run, facts.codeOwners);
  const isRefused =
    !canApprove(pusher.permission) ||
    (current.kind === 'rules' && mayApprove(proposal, pusher, current.rules) !== 'yes');
  if (isRefused) return `not an approval: ${person.login} may not approve here`;
  if (current.kind !== 'rules') return 'not an approval: the settings of the repository cannot be read';
  return isEnoughWith(person, proposal, current.rules)
    ? null
    : `not an approval: ${person.login} may not approve here alone`;
}

/** The head that made a proposal stale; `login` names who pushed it, null if unknown. */
type MovedHead = { readonly head: string; readonly login: string | null; readonly now: string };

/**
 * Supersedes a stale proposal. An edit is retried on the new head and, if it still applies, posted under a new id.
 * Everything else goes back to the model, also a person's own text, because the call has other lines. `changedPath` is
 * null if it is the proposal's own.
 */
export function supersede(
  builder: StepBuilder,
  proposal: Proposal,
  changedPath: string | null,
  { head, login, now }: MovedHead,
): StepBuilder {
  const path = changedPath ?? mainPath(proposal.change);
  const updated = withTransition(builder, proposal, 'superseded', now, staleNote(proposal, path));
  const { origin } = proposal;
  const retried = callsToRetry(updated, proposal);
  const output = staleOutput(path, proposal.headSha, head, login);
  if (origin.kind !== 'call' || retried.length === 0)
    return setProposalCallStatus(updated, proposal, { kind: 'answered', output });
  const running = setProposalCallStatus(updated, proposal, { kind: 'running', ifRefused: { output } });
  return withEffects(running, { type: 'run-tools', runId: proposal.runId, turn: origin.turn, calls: retried });
}

/** An undo is never retried, so its note says how to request it again. */
function staleNote({ origin }: Proposal, path: string): string {
  const note = `${path} changed after this was proposed`;
  return origin.kind === 'undo' ? `${note}. To ask for it again, write /undo ${origin.undoneProposalId}` : note;
}

/** Text that is replaced everywhere can now be in places that the model never saw. */
function callsToRetry({ pull }: StepBuilder, proposal: Proposal): readonly IssuedCall[] {
  const { change, origin, userEdit } = proposal;
  if (origin.kind !== 'call' || origin.tool !== 'edit_file' || userEdit !== null) return [];
  const calls = issuedCallsOf(pull, proposal);
  const isEverywhere = calls.some(({ toolCall }) => /"replace_all"\s*:\s*(?!false|null)/.test(toolCall.arguments));
  return isEverywhere && change.members[0].placeCount > 1 ? [] : calls;
}

/** Tells the people who approved, or wrote their own lines, which of these proposals are now superseded. */
export function announceStale(builder: StepBuilder, before: readonly Proposal[]): StepBuilder {
  const supersededIds = builder.pull.proposals.filter(({ state }) => state === 'superseded').map(({ id }) => id);
  const superseded = before.filter(({ id }) => supersededIds.includes(id));
  const expected = superseded.filter((one) => one.state !== 'proposed' || writerOf(one) !== null);
  return expected.length === 0 ? builder : withReply(builder, { at: 'pull-request' }, notAppliedStale(expected));
}

/** Stores a new head if no proposal is open; otherwise the proposals must be assessed at that head first. */
export function setHeadIfIdle(builder: StepBuilder, headSha: string): StepBuilder {
  const { run, proposals } = builder.pull;
  if (run === null || proposalsBeforeCommit(proposals).length > 0) return builder;
  return withRun(builder, { assessed: { ...run.assessed, headSha } });
}
