import type { Change } from '../change/change.ts';
import { repeatsDenied, restoresProposed } from '../policy/repeats.ts';
import { RESTORED, repeatOutput } from '../prompt/outputs.ts';
import { ownEditsOf } from './own-edit.ts';
import type { Proposal } from './proposal.ts';
import type { Pull } from './run.ts';

/** What the model hears instead of people being asked the same once more; null where this is new to them. */
export type AskedBefore = { readonly kind: 'denied' | 'restored'; readonly output: string };

/** Whether people of this run have answered a change already: denied it, or put their own text in its place. */
export function askedBefore(pull: Pull, change: Change): AskedBefore | null {
  const ownEdits = ownEditsOf(pull.run, change.path);
  const mine = pull.proposals.filter((one) => one.runId === pull.run?.id);
  if (mine.some((one) => isUndoneBy(one, change, ownEdits))) return { kind: 'restored', output: RESTORED };
  const denied = mine.filter((one) => isBarred(one, pull.run?.spokenAt ?? null));
  const repeated = denied.findLast((one) => repeatsDenied(change, one.change, ownEdits));
  const by = repeated?.votes.findLast(({ action }) => action === 'deny')?.by;
  return by === undefined ? null : { kind: 'denied', output: repeatOutput(by.login) };
}

function isUndoneBy({ state, change, modified }: Proposal, fresh: Change, ownEdits: OwnEdits): boolean {
  return state === 'completed' && modified !== null && restoresProposed(fresh, { change, ...modified }, ownEdits);
}

type OwnEdits = ReturnType<typeof ownEditsOf>;

/** Denied, and no person has told the agent anything since. */
function isBarred({ state, votes }: Proposal, spokenAt: string | null): boolean {
  const denial = votes.findLast(({ action }) => action === 'deny' || action === 'edit');
  if (state !== 'rejected' || denial?.action !== 'deny') return false;
  return spokenAt === null || Date.parse(denial.at) > Date.parse(spokenAt);
}
