import type { ToolCall } from '../prompt/message.ts';
import { staleOutput } from '../prompt/outputs.ts';
import { answerProposal, showing, withCall } from './batch.ts';
import { type Draft, withAnswer, withEffects, withProposal } from './draft.ts';
import type { Origin, Proposal } from './proposal.ts';
import { named } from './spoken.ts';
import { moved } from './transition.ts';

/** `path` is the one that changed, where that is not the proposal's own. */
type Stale = { readonly path?: string };

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
