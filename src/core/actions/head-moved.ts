import { staleOutput } from '../agent/shared/tool-results.ts';
import { mainPath } from '../edits/change.ts';
import { regionLine } from '../edits/region.ts';
import { asksForOtherPeople } from '../policy/approval-rules.ts';
import { decideReading } from '../policy/path-policy.ts';
import { toVerdict } from '../policy/push-impact.ts';
import type { IssuedCall } from '../state/conversation.ts';
import type { NearbyLines, PathStaleness, ProposalApplicability, StalenessVerdict } from '../state/head-changes.ts';
import { headingOf, memberPlaces, type Proposal, writerOf } from '../state/proposal.ts';
import { transition } from '../state/proposal-lifecycle.ts';
import type { Run } from '../state/run.ts';
import { canApprove, type Permission, type Person, type Vote } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import { proposalLink } from '../step/reply-links.ts';
import { withUndoNote } from './agent-notes.ts';
import { blockFor, currentApprovalRules, isEnoughWith } from './approvals.ts';
import {
  addAppCommit,
  appCommitsTo,
  combineVerdicts,
  isBelowOtherHeading,
  memberVerdicts,
  proposalsBeforeCommit,
} from './head-assessment.ts';
import {
  currentProposal,
  queueCommentUpdate,
  recordVote,
  type StepBuilder,
  withEffects,
  withProposal,
  withReply,
  withRun,
} from './step-builder.ts';
import { answerProposalCalls, appliedCallOutput, issuedCallsOf, setProposalCallStatus } from './tool-batch.ts';

/** The person who pushed, and the webhook that reported it. */
type Pusher = { readonly person: Person; readonly permission: Permission; readonly deliveryId: string };

/** `pusher` is `app` if the head is the App's own commit on the assessed one, and null if unknown. */
export type HeadMove = { readonly head: string; readonly facts: Facts; readonly pusher: Pusher | 'app' | null };

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
  if (run === null || head === run.assessedHeadSha || staleness === undefined) return builder;
  const open = proposalsBeforeCommit(builder.pull.proposals);
  const move = { head, facts, pusher };
  const withPaths = staleness.paths.reduce((next, path) => applyPathStaleness(next, path, move), builder);
  const withMoves = staleness.moves.reduce((next, one) => applyApplicability(next, one, move), withPaths);
  const withSets = open.reduce((next, one) => applySetStaleness(next, one, move), withMoves);
  const commits = commitsIncluding(withSets, run, head);
  const assessed = withRun(withSets, { assessedHeadSha: head, commits });
  return announceStale(assessed, open);
}

/** A push that completed proposals counts as a commit of the run, no matter who pushed it. */
function commitsIncluding({ pull }: StepBuilder, { commits }: Run, head: string): readonly string[] {
  const completesProposals = pull.proposals.some((one) => one.commitSha === head);
  return completesProposals && !commits.includes(head) ? [...commits, head] : commits;
}

function applyPathStaleness(
  builder: StepBuilder,
  { path, contained, appCommit, others }: PathStaleness,
  move: HeadMove,
): StepBuilder {
  const completed = contained.reduce((next, id) => {
    const proposal = findBeforeCommit(next, id);
    return proposal === null ? next : completeByPush(next, proposal, move);
  }, builder);
  const appCommits = completed.pull.run?.appCommits ?? {};
  const recorded =
    appCommit === null ? completed : withRun(completed, { appCommits: addAppCommit(appCommits, path, appCommit) });
  return others.reduce((next, one) => applyApplicability(next, one, move), recorded);
}

function findBeforeCommit({ pull }: StepBuilder, id: string): Proposal | null {
  return proposalsBeforeCommit(pull.proposals).find((one) => one.id === id) ?? null;
}

function applyApplicability(
  builder: StepBuilder,
  { id, applicability }: ProposalApplicability,
  move: HeadMove,
): StepBuilder {
  const proposal = findBeforeCommit(builder, id);
  if (proposal === null) return builder;
  if (proposal.change.op === 'set') return builder;
  const verdict = toVerdict(proposal.change, applicability);
  switch (verdict.kind) {
    case 'applies':
      return isOutOfSight(proposal, verdict, move)
        ? supersede(builder, proposal, { isBelowOtherHeading: true }, toMovedHead(move))
        : updatePlace(builder, proposal, verdict);
    case 'already-applied':
      return completeByPush(builder, proposal, move);
    case 'stale':
      return supersede(builder, proposal, verdict, toMovedHead(move));
  }
}

/** A set stands as long as all of its members do. Its page then names their lines at the new head. */
function applySetStaleness(builder: StepBuilder, { id }: Proposal, move: HeadMove): StepBuilder {
  const proposal = findBeforeCommit(builder, id);
  const { staleness } = move.facts;
  if (proposal?.change.op !== 'set' || staleness === undefined) return builder;
  const verdicts = memberVerdicts(proposal, staleness);
  if (verdicts === null) return builder;
  const verdict = combineVerdicts(proposal, verdicts);
  switch (verdict.kind) {
    case 'applies':
      return verdict.isBelowOtherHeading && isHeadingBinding(move)
        ? supersede(builder, proposal, { isBelowOtherHeading: true }, toMovedHead(move))
        : updatePlaces(builder, proposal, verdicts);
    case 'already-applied':
      return completeByPush(builder, proposal, move);
    case 'stale':
      return supersede(builder, proposal, verdict, toMovedHead(move));
  }
}

/** Whether somebody moved it below another heading than people saw, where other people must decide on what they saw. */
function isOutOfSight(proposal: Proposal, verdict: StalenessVerdict, move: HeadMove): boolean {
  return isBelowOtherHeading(proposal, verdict) && isHeadingBinding(move);
}

function isHeadingBinding({ facts, pusher }: HeadMove): boolean {
  return pusher !== 'app' && asksForOtherPeople(facts.settings);
}

function updatePlace(
  builder: StepBuilder,
  proposal: Proposal,
  { region, heading }: Extract<StalenessVerdict, { kind: 'applies' }>,
): StepBuilder {
  const { change } = proposal;
  if (change.op === 'set' || change.region === null) return builder;
  const line = regionLine(region);
  const moved = {
    ...(line === (proposal.currentLine ?? regionLine(change.region)) ? {} : { currentLine: line }),
    ...(heading === headingOf(proposal) ? {} : { currentHeading: { text: heading } }),
  };
  if (Object.keys(moved).length === 0) return builder;
  return queueCommentUpdate(withProposal(builder, { ...proposal, ...moved }), proposal);
}

function updatePlaces(
  builder: StepBuilder,
  proposal: Proposal,
  verdicts: NonNullable<ReturnType<typeof memberVerdicts>>,
): StepBuilder {
  const places = memberPlaces(proposal);
  const currentPlaces = verdicts.flatMap((one) =>
    one.kind === 'applies' ? [{ line: one.line, heading: one.heading }] : [],
  );
  const isMoved = currentPlaces.some(
    ({ line, heading }, index) => line !== places[index]?.line || heading !== places[index]?.heading,
  );
  return isMoved ? queueCommentUpdate(withProposal(builder, { ...proposal, currentPlaces }), proposal) : builder;
}

/** Completes a proposal that a push contains. The pusher gets a vote. */
export function completeByPush(
  builder: StepBuilder,
  proposal: Proposal,
  { head, facts, pusher }: HeadMove,
): StepBuilder {
  const person = pusher === 'app' ? null : pusher;
  const voted = person === null ? builder : recordVote(builder, createPushVote(proposal, person, facts.now));
  const current = currentProposal(voted, proposal);
  const note = pushNote(person, current, builder.pull.run, facts);
  const done = withProposal(voted, { ...transition(current, 'completed', facts.now), commitSha: head, note });
  const completed = withUndoNote(done, proposal, head);
  return queueCommentUpdate(answerProposalCalls(completed, proposal, appliedCallOutput(done.pull, current)), proposal);
}

function createPushVote(proposal: Proposal, { person, permission, deliveryId }: Pusher, now: string): Vote {
  return {
    proposalId: proposal.id,
    digest: proposal.change.digest,
    action: 'commit',
    by: person,
    permission,
    surface: 'push',
    commentId: null,
    thread: null,
    bodyHash: null,
    deliveryId,
    headSha: proposal.headSha,
    writtenAt: null,
    at: now,
    text: null,
    standingApproval: null,
  };
}

/** Tells people if the push was not an approval by the rules of the repository; null if it was. */
function pushNote(pusher: Pusher | null, proposal: Proposal, run: Run | null, facts: Facts): string | null {
  if (pusher === null) return 'found in a push';
  const { person, permission } = pusher;
  const current = currentApprovalRules(facts.settings, run, facts.codeOwners);
  const isBlocked =
    !canApprove(permission) ||
    (current.kind === 'rules' && blockFor(person, permission, proposal, current.rules) !== null);
  if (isBlocked) return `not an approval: ${person.login} may not approve here`;
  if (current.kind !== 'rules') return 'not an approval: the settings of the repository cannot be read';
  return isEnoughWith(person, proposal, current.rules)
    ? null
    : `not an approval: ${person.login} may not approve here alone`;
}

/** The effect of a push on a proposal. `path` is the changed file if it is not the proposal's own. */
type PushCause = {
  readonly path?: string;
  readonly isBelowOtherHeading?: true;
  readonly nearby?: readonly NearbyLines[];
};

/** The head that made a proposal stale; `login` names who pushed it, null if unknown. */
type MovedHead = { readonly head: string; readonly login: string | null; readonly now: string };

function toMovedHead({ head, facts: { now }, pusher }: HeadMove): MovedHead {
  return { head, login: pusher === null || pusher === 'app' ? null : pusher.person.login, now };
}

/**
 * Supersedes a stale proposal. An edit is retried on the new head and, if it still applies, posted under a new id.
 * Everything else goes back to the model, also a person's own text, because the call has other lines.
 */
export function supersede(
  builder: StepBuilder,
  proposal: Proposal,
  cause: PushCause,
  { head, login, now }: MovedHead,
): StepBuilder {
  const { path = mainPath(proposal.change) } = cause;
  const note = staleNote(proposal, path, cause.isBelowOtherHeading === true);
  const superseded = withProposal(builder, { ...transition(proposal, 'superseded', now), note });
  const updated = queueCommentUpdate(superseded, proposal);
  const { origin } = proposal;
  const retried = callsToRetry(updated, proposal);
  const nearby = isReadable(builder, path) ? (cause.nearby ?? []) : [];
  const excerpt =
    nearby.length === 0 ? {} : { excerpt: { path, commits: appCommitsTo(builder.pull.run, path).length } };
  const stale = { output: staleOutput(path, proposal.headSha, head, { login, nearby }), ...excerpt };
  if (origin.kind !== 'call' || retried.length === 0)
    return setProposalCallStatus(updated, proposal, { kind: 'answered', ...stale });
  const running = setProposalCallStatus(updated, proposal, { kind: 'running', ifRefused: stale });
  return withEffects(running, { type: 'run-tools', runId: proposal.runId, turn: origin.turn, calls: retried });
}

/** A file that people must approve first may have changed since they did. */
function isReadable({ pull: { run } }: StepBuilder, path: string): boolean {
  return run !== null && decideReading(run.settings, 'read_file', path).kind === 'allow';
}

/** An undo is never retried, so its note says how to request it again. */
function staleNote({ origin }: Proposal, path: string, isBelowOtherHeading: boolean): string {
  const note = isBelowOtherHeading
    ? `a push put these lines into another part of ${path}`
    : `${path} changed after this was proposed`;
  return origin.kind === 'undo' ? `${note}. To ask for it again, write /undo ${origin.undoneProposalId}` : note;
}

function callsToRetry({ pull }: StepBuilder, proposal: Proposal): readonly IssuedCall[] {
  const { change, origin, userEdit } = proposal;
  const isEdit = origin.kind === 'call' && origin.tool === 'edit_file';
  if (!isEdit || change.op === 'set' || userEdit !== null) return [];
  const calls = issuedCallsOf(pull, proposal);
  return change.placeCount > 1 && calls.some(replacesAll) ? [] : calls;
}

/**
 * Text that is replaced everywhere can now be in places that the model never saw. A false alarm only asks the model.
 */
function replacesAll({ toolCall }: IssuedCall): boolean {
  return /"replace_all"\s*:\s*(?!false|null)/.test(toolCall.arguments);
}

/** Tells the people who approved, or wrote their own lines, which of these proposals are now superseded. */
export function announceStale(builder: StepBuilder, before: readonly Proposal[]): StepBuilder {
  const supersededIds = builder.pull.proposals.filter(({ state }) => state === 'superseded').map(({ id }) => id);
  const superseded = before.filter(({ id }) => supersededIds.includes(id));
  const approved = superseded.filter(({ state, userEdit }) => state !== 'proposed' && userEdit === null);
  if (approved.length === 0) return announceStaleUserEdits(builder, superseded);
  const undoneProposalIds = approved.flatMap(({ origin }) => (origin.kind === 'undo' ? [origin.undoneProposalId] : []));
  const reply = { kind: 'stale', proposals: approved.map(proposalLink), undoneProposalIds } as const;
  return announceStaleUserEdits(withReply(builder, { at: 'pull-request' }, reply), superseded);
}

/** One reply to each person whose own lines are superseded. */
function announceStaleUserEdits(builder: StepBuilder, superseded: readonly Proposal[]): StepBuilder {
  const userEdits = superseded.flatMap((proposal) => {
    const by = writerOf(proposal);
    return by === null ? [] : [{ by, proposal }];
  });
  return [...Map.groupBy(userEdits, ({ by }) => by.id).values()].reduce((announced, [first, ...more]) => {
    if (first === undefined) return announced;
    const proposals = [first, ...more].map(({ proposal }) => proposalLink(proposal));
    return withReply(announced, { at: 'pull-request' }, { kind: 'user-edit-stale', by: first.by, proposals });
  }, builder);
}

/** Stores a new head if no proposal is open; otherwise the proposals must be assessed at that head first. */
export function setHeadIfIdle(builder: StepBuilder, assessedHeadSha: string): StepBuilder {
  return proposalsBeforeCommit(builder.pull.proposals).length > 0 ? builder : withRun(builder, { assessedHeadSha });
}
