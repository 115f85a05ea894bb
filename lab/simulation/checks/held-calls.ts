import { formatPath } from '../../../src/core/agent/shared/tool-results.ts';
import { escapeHiddenCharacters } from '../../../src/core/edits/text/unicode.ts';
import { type CallRef, callRefOf, isSameCall } from '../../../src/core/state/conversation.ts';
import type { Proposal } from '../../../src/core/state/proposal.ts';
import type { Run } from '../../../src/core/state/run.ts';
import type { CaseCheck } from './evidence.ts';

/** S149: a held call stays held until its batch runs, and the model gets its outcome unless the run ends before. */
export const heldCallsAreTold: CaseCheck = ({ saved }) => {
  const problems: string[] = [];
  const open = new Map<string, readonly CallRef[]>();
  for (const { saved: one } of saved) {
    const { run } = one.step.pull;
    if (run === null) continue;
    const known = [...run.heldCalls.map(callRefOf), ...heldInBatch(run)];
    const told = JSON.stringify(one.step.messages);
    const gone = (open.get(run.id) ?? []).filter((call) => !known.some((other) => isSameCall(other, call)));
    const untold = gone.filter(
      ({ callId }) => !told.includes(JSON.stringify(`(${nameInNote(callId)}): `).slice(1, -1)),
    );
    problems.push(...untold.map(({ callId }) => `S149: the held call ${callId} has no outcome (${one.step.reason})`));
    open.set(run.id, known);
  }
  return problems;
};

/** The note shows hidden characters, which a model can write into its ids. */
function nameInNote(callId: string): string {
  return escapeHiddenCharacters(formatPath(callId));
}

function heldInBatch(run: Run): readonly CallRef[] {
  return run.batch?.calls.filter(({ heldPath }) => heldPath !== null).map(callRefOf) ?? [];
}

/** S149, S145: people decide on each call once, unless a push or an expiry made it necessary to ask again. */
export const callsAreProposedOnce: CaseCheck = ({ saved }) => {
  const problems = new Set<string>();
  for (const { saved: one } of saved) {
    const { run, proposals } = one.step.pull;
    const asked = proposals.filter((proposal) => proposal.runId === run?.id && !REPLACED.has(proposal.state));
    for (const [index, proposal] of asked.entries()) {
      const earlier = asked
        .slice(0, index)
        .find((other) => sharesOwnCall(other, proposal) && !readsOtherVersion(other, proposal));
      if (earlier !== undefined) problems.add(`S149: ${earlier.id} and ${proposal.id} are from one call`);
    }
  }
  return [...problems];
};

const REPLACED: ReadonlySet<Proposal['state']> = new Set<Proposal['state']>(['superseded', 'expired', 'cancelled']);

/** A file that changed after people allowed its reading is asked for again (S24). The digest of a reading has its blob. */
function readsOtherVersion({ change, state }: Proposal, later: Proposal): boolean {
  const areReadings = change.op === 'read' && later.change.op === 'read';
  return areReadings && state === 'completed' && change.digest !== later.change.digest;
}

function sharesOwnCall(left: Proposal, right: Proposal): boolean {
  if (left.origin.kind !== 'call' || right.origin.kind !== 'call') return false;
  const { calls } = right.origin;
  return left.origin.calls.some((call) => calls.some((other) => isSameCall(call, other)));
}

/** S149: people never see a change of a call that waits for the model's next response. */
export const heldCallsAreNotShown: CaseCheck = ({ saved }) =>
  saved.flatMap(({ saved: { step } }) => {
    const { run, proposals } = step.pull;
    const held = run?.heldCalls.map(callRefOf) ?? [];
    const shown = proposals.filter(
      ({ runId, origin }) =>
        runId === run?.id &&
        origin.kind === 'call' &&
        origin.calls.some((call) => held.some((one) => isSameCall(one, call))),
    );
    return shown.map(({ id }) => `S149: ${id} is shown although its call is held`);
  });
