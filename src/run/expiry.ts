import { type Draft, withEffects, withProposal } from './draft.ts';
import { isPending, type Proposal } from './proposal.ts';
import type { Pull, Run } from './run.ts';
import { moved } from './transition.ts';

const HOUR_MS = 3_600_000;
/** People are reminded of what waits when this part of its time is over. */
const REMINDER_AT = 0.8;
/** What comes this soon after one another is looked at once: changes of one review are seconds apart at most. */
const TOGETHER_MS = 60_000;

/** What has waited long enough at that time: for a reminder, or for good. */
export type Due = { readonly reminding: readonly Proposal[]; readonly expiring: readonly Proposal[] };

/** GitHub's time at which a change that was posted at that time expires (ISO 8601); null where it is not posted. */
export function expiryOf(proposedAt: string | null, run: Pick<Run, 'settings'> | null): string | null {
  if (proposedAt === null || run === null) return null;
  return new Date(Date.parse(proposedAt) + run.settings.expiryHours * HOUR_MS).toISOString();
}

/** The same of a change as it is stored; one of before there were deadlines has what the run of now would give it. */
export function deadlineOf({ expiresAt, proposedAt }: Proposal, run: Run | null): string | null {
  return expiresAt ?? expiryOf(proposedAt, run);
}

export function dueAt(pull: Pull, now: string): Due {
  const at = Date.parse(now);
  const over = timesOf(pull).filter(({ end }) => end <= at);
  const soon = timesOf(pull).filter(({ end, remind }) => end > at && remind !== null && remind <= at);
  return { reminding: soon.map(({ proposal }) => proposal), expiring: over.map(({ proposal }) => proposal) };
}

/** One whose approvals count no more waits for its whole time again: its end may have passed while nobody had to decide. */
export function waitingAgain(draft: Draft, proposal: Proposal, now: string): Draft {
  const expiresAt = expiryOf(now, draft.pull.run);
  return withTimer(withProposal(draft, { ...moved(proposal, 'proposed', now), expiresAt, reminded: false }), now);
}

/** Wants the next look at what waits; none where nothing is to come any more. */
export function withTimer(draft: Draft, now: string): Draft {
  const moments = timesOf(draft.pull)
    .map(({ remind, end }) => (remind !== null && remind > Date.parse(now) ? remind : end))
    .filter((moment) => moment > Date.parse(now));
  const first = Math.min(Number.POSITIVE_INFINITY, ...moments);
  const last = Math.max(...moments.filter((moment) => moment <= first + TOGETHER_MS));
  if (first === Number.POSITIVE_INFINITY) return draft;
  return withEffects(draft, { type: 'see-deadline', at: new Date(last).toISOString(), wantedAt: now });
}

type Times = { readonly proposal: Proposal; readonly remind: number | null; readonly end: number };

/** Of everything that waits. */
function timesOf({ proposals, run }: Pull): readonly Times[] {
  return proposals.filter(isPending).flatMap((proposal) => {
    const { proposedAt, reminded } = proposal;
    const expiresAt = deadlineOf(proposal, run);
    if (proposedAt === null || expiresAt === null) return [];
    const [start, end] = [Date.parse(proposedAt), Date.parse(expiresAt)];
    return [{ proposal, remind: reminded ? null : start + (end - start) * REMINDER_AT, end }];
  });
}
