import type { ToolCall } from '../prompt/message.ts';
import type { Proposal } from '../run/proposal.ts';
import type { Derived } from './derive-calls.ts';
import type { FileChange } from './history.ts';
import type { Session } from './session.ts';
import { countRefusal, type Tally } from './tally.ts';
import { exampleOf, type Put } from './trial.ts';

/** A change with the calls that ask for it; `callId` is the one that becomes the proposal. */
export type Asked = { readonly change: FileChange; readonly calls: readonly ToolCall[]; readonly callId: string };

/** What a model asks for; where there is nothing, it is counted why. */
export function askedFor(derived: Derived | null, change: FileChange, tally: Tally): readonly Asked[] {
  if (derived === null) return [];
  if (derived.kind === 'calls') return [{ change, calls: derived.calls, callId: derived.callId }];
  countRefusal(tally, derived.why, exampleOf(change));
  return [];
}

/** The proposals that were posted. */
export async function proposalsOf(session: Session, asked: readonly Asked[]): Promise<readonly Put[]> {
  const { proposals } = await session.pull();
  return asked.flatMap(({ change, callId }) => {
    const proposal = proposals.find((one) => isOfCall(one, callId) && one.comment !== null);
    return proposal === undefined ? [] : [{ change, proposal }];
  });
}

/** Whether a proposal is what became of a call. */
export function isOfCall({ origin }: Proposal, callId: string): boolean {
  return origin.kind === 'call' && origin.callId === callId;
}
