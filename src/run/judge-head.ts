import { judge, recognise } from '../policy/freshness.ts';
import { staleOutput } from '../prompt/outputs.ts';
import { applied } from './applied.ts';
import { answerCall, showing, withCall } from './batch.ts';
import { type Draft, withAnswer, withEffects, withProposal, withRun, withVote } from './draft.ts';
import type { Facts, HeadFile } from './facts.ts';
import type { Permission, Person, Proposal } from './proposal.ts';
import { named } from './spoken.ts';
import { moved } from './transition.ts';

/** Who pushed, and by which delivery we know. */
export type Pusher = { readonly person: Person; readonly permission: Permission; readonly deliveryId: string };

/** Decided by the head's content: proposals that are not yet being committed. */
export function openProposals(proposals: readonly Proposal[]): readonly Proposal[] {
  return proposals.filter((proposal) => proposal.state === 'proposed' || proposal.state === 'approved');
}

/**
 * Judges every open proposal against the head as it is now: what the head contains is completed, what still applies
 * stays, the rest is superseded. Needs the facts `pull` and, where the head moved, `files`.
 */
export function judgeHead(draft: Draft, facts: Facts, pusher: Pusher | null): Draft {
  const run = draft.pull.run;
  const head = facts.pull?.headSha;
  if (run === null || head === undefined || head === run.head || facts.files === undefined) return draft;
  const open = openProposals(draft.pull.proposals);
  const paths = [...new Set(open.map((proposal) => proposal.change.path))];
  const judged = paths.reduce((next, path) => judgePath(next, path, facts, pusher), draft);
  return withRun(judged, { head });
}

function judgePath(draft: Draft, path: string, facts: Facts, pusher: Pusher | null): Draft {
  const before = facts.files?.atBase[path] ?? null;
  const now = facts.files?.atHead[path] ?? null;
  if (before?.blob === now?.blob && before?.mode === now?.mode) return draft;
  const open = openProposals(draft.pull.proposals).filter((proposal) => proposal.change.path === path);
  const contained = containedIn(open, before, now);
  const taken = contained.reduce((next, proposal) => complete(next, proposal, facts, pusher), draft);
  const owned = contained.length > 0 && now !== null ? withOwnBlob(taken, path, now.blob) : taken;
  const rest = open.filter((proposal) => !contained.includes(proposal));
  return rest.reduce((next, proposal) => judgeOne(next, proposal, now, facts, pusher), owned);
}

/** The proposals whose changes are all that happened to this file; none where anything else did. */
function containedIn(open: readonly Proposal[], before: HeadFile | null, now: HeadFile | null): readonly Proposal[] {
  const found = recognise({
    baseText: before === null ? '' : before.text,
    headText: now === null ? null : now.text,
    changes: open.map((proposal) => proposal.change),
  });
  if (found.kind === 'other') return [];
  return open.filter((proposal) => found.applied.includes(proposal.change));
}

function withOwnBlob(draft: Draft, path: string, blob: string): Draft {
  return withRun(draft, { ownBlobs: { ...draft.pull.run?.ownBlobs, [path]: blob } });
}

function judgeOne(draft: Draft, proposal: Proposal, now: HeadFile | null, facts: Facts, pusher: Pusher | null): Draft {
  const ownHistory = now !== null && draft.pull.run?.ownBlobs[proposal.change.path] === now.blob;
  const verdict = judge({ change: proposal.change, file: now, ownHistory });
  switch (verdict.kind) {
    case 'applies':
      return draft;
    case 'already-there':
      return complete(draft, proposal, facts, pusher);
    case 'stale':
      return supersede(draft, proposal, facts.pull?.headSha ?? '', facts.now);
  }
}

/** The push carries the change: that person's approval and its execution in one. */
function complete(draft: Draft, proposal: Proposal, facts: Facts, pusher: Pusher | null): Draft {
  const sha = facts.pull?.headSha ?? null;
  const voted = pusher === null ? draft : withVote(draft, commitVote(proposal, pusher, facts.now));
  const current = voted.pull.proposals.find((one) => one.id === proposal.id) ?? proposal;
  const done = withProposal(voted, { ...moved(current, 'completed', facts.now), commit: sha, note: byPush(pusher) });
  return showing(answerCall(done, proposal.callId, applied(current)), proposal);
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

function byPush(pusher: Pusher | null): string {
  if (pusher === null) return 'found in a push';
  const mayApprove = pusher.permission === 'write' || pusher.permission === 'admin';
  return mayApprove ? `committed by ${pusher.person.login}` : `committed by ${pusher.person.login}: not an approval`;
}

/**
 * The file moved on below the change. An edit in one place is tried again on the new head and shown under a new id
 * if it still fits; anything else goes back to the model.
 */
export function supersede(draft: Draft, proposal: Proposal, head: string, now: string): Draft {
  const note = `${proposal.change.path} changed after this was proposed`;
  const gone = showing(withProposal(draft, { ...moved(proposal, 'superseded', now), note }), proposal);
  const call = gone.pull.run?.batch?.calls.find((one) => one.call.id === proposal.callId)?.call;
  const again = proposal.tool === 'edit_file' && proposal.change.places === 1 && call !== undefined;
  if (!again) return answerCall(gone, proposal.callId, staleOutput(proposal.change.path, proposal.head, head));
  const waiting = withCall(gone, proposal.callId, { kind: 'using' });
  return withEffects(waiting, { type: 'use-tools', runId: proposal.runId, turn: proposal.turn, calls: [call] });
}

/** Names the proposals that could not be applied where somebody asked for it. */
export function tellStale(draft: Draft, proposals: readonly Proposal[], to: Parameters<typeof withAnswer>[1]): Draft {
  return proposals.length === 0 ? draft : withAnswer(draft, to, { kind: 'stale', proposals: proposals.map(named) });
}
