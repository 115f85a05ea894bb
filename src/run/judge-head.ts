import type { Region } from '../change/change.ts';
import { composeFile, type LineRange } from '../change/range.ts';
import { lineOf } from '../change/region.ts';
import { sourcePath, takesWhole } from '../change/touched.ts';
import { judge, recognise, type Verdict } from '../policy/freshness.ts';
import { maySign } from '../policy/roles.ts';
import type { ToolCall } from '../prompt/message.ts';
import { staleOutput } from '../prompt/outputs.ts';
import { applied } from './applied.ts';
import { doubtAbout, missingBeside, rulesNow } from './approvals.ts';
import { answerProposal, showing, withCall } from './batch.ts';
import { type Draft, withAnswer, withEffects, withProposal, withRun, withVote } from './draft.ts';
import type { Facts, HeadFile } from './facts.ts';
import { ownEditsOf, withOwnEdit } from './own-edit.ts';
import { isPending, isRevocable, type Origin, type Permission, type Person, type Proposal } from './proposal.ts';
import type { Run } from './run.ts';
import { named } from './spoken.ts';
import { moved } from './transition.ts';

/** Who pushed, and by which delivery we know. */
export type Pusher = { readonly person: Person; readonly permission: Permission; readonly deliveryId: string };

/** The head that is judged, what was read there, and who pushed it, if that is known. */
type Judging = { readonly head: string; readonly facts: Facts; readonly pusher: Pusher | null };

/** Decided by the head's content: proposals that are not yet being committed. */
export function openProposals(proposals: readonly Proposal[]): readonly Proposal[] {
  return proposals.filter(isRevocable);
}

/** Proposals that wait were judged at another head: that one stands until they are judged again. */
export function withHead(draft: Draft, head: string): Draft {
  return openProposals(draft.pull.proposals).length > 0 ? draft : withRun(draft, { head });
}

/**
 * Judges every open proposal against the head as it is now: what the head contains is completed, what still applies
 * stays, the rest is superseded. Needs the fact `files` where the head moved.
 */
export function judgeHead(draft: Draft, head: string, facts: Facts, pusher: Pusher | null): Draft {
  const run = draft.pull.run;
  if (run === null || head === run.head || facts.files === undefined) return draft;
  const open = openProposals(draft.pull.proposals);
  const moves = open.filter(({ change }) => change.op === 'move');
  const paths = new Set(open.filter((one) => !moves.includes(one)).map(({ change }) => change.path));
  const at = { head, facts, pusher };
  const byPath = [...paths].reduce((next, path) => judgePath(next, path, at), draft);
  const judged = moves.reduce((next, move) => judgeOne(next, move, at), byPath);
  const judgedAt = withRun(judged, { head, commits: commitsWith(judged, run, head) });
  return tellStale(seeingOutdated(judgedAt, run.id), open);
}

/** A suggestion block whose lines left the pull request's diff has a button that does nothing; GitHub tells nobody. */
function seeingOutdated(draft: Draft, runId: string): Draft {
  const pressable = draft.pull.proposals.some((one) => isPending(one) && one.placement?.kind === 'suggestion');
  return pressable ? withEffects(draft, { type: 'see-outdated', runId }) : draft;
}

/** A push that completed proposals carried this run's changes, whoever pushed it. */
function commitsWith(judged: Draft, run: Run, head: string): readonly string[] {
  const carried = judged.pull.proposals.some((one) => one.commit === head);
  return carried && !run.commits.includes(head) ? [...run.commits, head] : run.commits;
}

function judgePath(draft: Draft, path: string, at: Judging): Draft {
  const { facts } = at;
  const before = facts.files?.atBase[path] ?? null;
  const now = facts.files?.atHead[path] ?? null;
  if (before?.blob === now?.blob && before?.mode === now?.mode) return draft;
  const open = openProposals(draft.pull.proposals).filter(({ change }) => change.path === path && change.op !== 'move');
  const contained = containedIn(open, before, now);
  const taken = contained.reduce((next, proposal) => complete(next, proposal, at), draft);
  const owned = contained.length > 0 ? withOwnPush(taken, path, contained, before, now) : taken;
  const rest = open.filter((proposal) => !contained.includes(proposal));
  return rest.reduce((next, proposal) => judgeOne(next, proposal, at), owned);
}

/**
 * The proposals whose changes are all that happened to this file; none where anything else did. An emptied file is no
 * deleted one, so deletions are not looked for in its lines.
 */
function containedIn(open: readonly Proposal[], before: HeadFile | null, now: HeadFile | null): readonly Proposal[] {
  const found = recognise({
    baseText: before === null ? '' : before.text,
    headText: now === null ? null : now.text,
    changes: open.map((proposal) => proposal.change).filter((change) => !takesWhole(change)),
  });
  if (found.kind === 'other') return [];
  return open.filter((proposal) => found.applied.includes(proposal.change));
}

/** A push that did nothing else counts as this run's own commit: what it moved is known to the line. */
function withOwnPush(
  draft: Draft,
  path: string,
  contained: readonly Proposal[],
  before: HeadFile | null,
  now: HeadFile | null,
): Draft {
  const run = draft.pull.run;
  if (run === null || before?.text == null || now === null) return draft;
  const ranges = rangesIn(run, path, contained, before);
  if (ranges === null) return draft;
  return withRun(draft, {
    ownEdits: withOwnEdit(run.ownEdits, { path, before: before.blob, after: now.blob, ranges }),
  });
}

function rangesIn(
  run: Run,
  path: string,
  contained: readonly Proposal[],
  before: HeadFile,
): readonly LineRange[] | null {
  const ownEdits = ownEditsOf(run, path);
  const verdicts = contained.map(({ change }) => judge({ change, file: before, ownEdits }));
  const regions = verdicts.flatMap((verdict) => (verdict.kind === 'applies' ? [verdict.region] : []));
  return regions.length === contained.length ? composeFile(before.text ?? '', regions).ranges : null;
}

function judgeOne(draft: Draft, proposal: Proposal, at: Judging): Draft {
  const { change } = proposal;
  const { path } = change;
  const files = at.facts.files?.atHead ?? {};
  const source = files[sourcePath(change)] ?? null;
  const verdict = judge({ change, file: files[path] ?? null, source, ownEdits: ownEditsOf(draft.pull.run, path) });
  switch (verdict.kind) {
    case 'applies':
      return moveTo(draft, proposal, verdict.region);
    case 'already-there':
      return complete(draft, proposal, at);
    case 'stale':
      return supersede(draft, proposal, verdict, { head: at.head, now: at.facts.now });
  }
}

/** It still applies; where its lines are others now, its comment says so. */
function moveTo(draft: Draft, proposal: Proposal, region: Region): Draft {
  const proposed = proposal.change.region;
  if (proposed === null) return draft;
  const line = lineOf(region);
  if (line === (proposal.movedTo ?? lineOf(proposed))) return draft;
  return showing(withProposal(draft, { ...proposal, movedTo: line }), proposal);
}

/** The push carries the change: that person's approval and its execution in one. */
function complete(draft: Draft, proposal: Proposal, { head, facts, pusher }: Judging): Draft {
  const voted = pusher === null ? draft : withVote(draft, commitVote(proposal, pusher, facts.now));
  const current = voted.pull.proposals.find((one) => one.id === proposal.id) ?? proposal;
  const done = withProposal(voted, {
    ...moved(current, 'completed', facts.now),
    commit: head,
    note: byPush(pusher, current, draft.pull.run, facts),
  });
  return showing(answerProposal(done, proposal, applied(current)), proposal);
}

function commitVote(proposal: Proposal, pusher: Pusher, now: string): Parameters<typeof withVote>[1] {
  return {
    proposalId: proposal.id,
    digest: proposal.change.digest,
    action: 'commit',
    by: pusher.person,
    permission: pusher.permission,
    surface: 'push',
    commentId: null,
    bodyHash: null,
    deliveryId: pusher.deliveryId,
    head: proposal.head,
    at: now,
    text: null,
  };
}

/** The vote says who pushed; what must be added is that he may not approve it alone, or that nobody knows who it was. */
function byPush(pusher: Pusher | null, proposal: Proposal, run: Run | null, facts: Facts): string | null {
  if (pusher === null) return 'found in a push';
  const { person, permission } = pusher;
  const now = rulesNow(facts.settings, run);
  const barred =
    !maySign(permission) || (now.kind === 'rules' && doubtAbout(person, permission, proposal, now.rules) !== null);
  if (barred) return `not an approval: ${person.login} may not approve here`;
  if (now.kind !== 'rules') return 'not an approval: the settings of the repository cannot be read';
  return missingBeside(person, proposal, now.rules) > 0
    ? `not an approval: ${person.login} may not approve here alone`
    : null;
}

type Stale = Extract<Verdict, { kind: 'stale' }>;

/**
 * The file moved on below the change. An edit in one place is tried again on the new head and shown under a new id
 * if it still fits; anything else goes back to the model, as does what a person wrote instead: the call has other lines.
 */
export function supersede(
  draft: Draft,
  proposal: Proposal,
  { path = proposal.change.path }: Stale,
  { head, now }: { readonly head: string; readonly now: string },
): Draft {
  const note = staleNote(proposal, path);
  const gone = showing(withProposal(draft, { ...moved(proposal, 'superseded', now), note }), proposal);
  const { origin } = proposal;
  const again = origin.kind === 'call' ? callToTryAgain(gone, proposal, origin) : null;
  if (origin.kind !== 'call' || again === null)
    return answerProposal(gone, proposal, staleOutput(path, proposal.head, head));
  const waiting = withCall(gone, origin.callId, { kind: 'using' });
  return withEffects(waiting, { type: 'use-tools', runId: proposal.runId, turn: origin.turn, calls: [again] });
}

/** Nobody proposes an undo again by itself. */
function staleNote({ origin }: Proposal, path: string): string {
  const note = `${path} changed after this was proposed`;
  return origin.kind === 'undo' ? `${note}. To ask for it again, write /undo ${origin.of}` : note;
}

function callToTryAgain(
  { pull }: Draft,
  { change, modified }: Proposal,
  { callId, tool }: Extract<Origin, { kind: 'call' }>,
): ToolCall | null {
  if (tool !== 'edit_file' || change.places > 1 || modified !== null) return null;
  return pull.run?.batch?.calls.find((one) => one.call.id === callId)?.call ?? null;
}

/** Whoever approved, or wrote other lines, must hear that nothing came of it: names what of it is withdrawn now. */
export function tellStale(draft: Draft, before: readonly Proposal[]): Draft {
  const superseded = draft.pull.proposals.filter(({ state }) => state === 'superseded').map(({ id }) => id);
  const gone = before.filter(({ id }) => superseded.includes(id));
  const given = gone.filter(({ state, modified }) => state !== 'proposed' && modified === null);
  const told =
    given.length === 0
      ? draft
      : withAnswer(draft, { at: 'pull' }, { kind: 'stale', proposals: given.map(named), undone: undoneBy(given) });
  return tellAuthors(told, gone);
}

/** The changes that these were to undo. */
function undoneBy(proposals: readonly Proposal[]): readonly string[] {
  return proposals.flatMap(({ origin }) => (origin.kind === 'undo' ? [origin.of] : []));
}

/** One answer to each person whose own lines are withdrawn. */
function tellAuthors(draft: Draft, gone: readonly Proposal[]): Draft {
  const own = gone.flatMap((proposal) => {
    const by = proposal.votes.findLast(({ action }) => action === 'modify')?.by;
    return proposal.modified === null || by === undefined ? [] : [{ by, proposal }];
  });
  return [...Map.groupBy(own, ({ by }) => by.id).values()].reduce((told, [first, ...more]) => {
    if (first === undefined) return told;
    const proposals = [first, ...more].map(({ proposal }) => named(proposal));
    return withAnswer(told, { at: 'pull' }, { kind: 'own-text-stale', by: first.by, proposals });
  }, draft);
}
