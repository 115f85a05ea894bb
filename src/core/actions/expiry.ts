import { isPending, type Proposal, transition } from '../state/proposal.ts';
import type { PullState, Run } from '../state/run.ts';
import { type StepBuilder, withEffects, withProposal } from './step-builder.ts';

const HOUR_MS = 3_600_000;

/** The part of its time after which people get a reminder of a pending proposal. */
const REMINDER_FRACTION = 0.8;

/** Deadlines this close together are checked at once. Proposals of one review are posted within seconds. */
const DEADLINE_BATCH_MS = 60_000;

/** GitHub's time (ISO 8601) at which a proposal that was posted at `proposedAt` expires; null if it is not posted. */
export function expiresAtFor(proposedAt: string | null, run: Pick<Run, 'settings'> | null): string | null {
  if (proposedAt === null || run === null) return null;
  return new Date(Date.parse(proposedAt) + run.settings.expiryHours * HOUR_MS).toISOString();
}

/** The deadline of a stored proposal; null if it is not posted. */
export function deadlineOf({ expiresAt, proposedAt }: Proposal, run: Run | null): string | null {
  return expiresAt ?? expiresAtFor(proposedAt, run);
}

/** Pending proposals whose reminder or expiry is due. */
type DueProposals = { readonly toRemind: readonly Proposal[]; readonly toExpire: readonly Proposal[] };

export function findDueProposals(pull: PullState, now: string): DueProposals {
  const time = Date.parse(now);
  const deadlines = deadlinesOf(pull);
  const toExpire = deadlines.filter(({ expiresAt }) => expiresAt <= time);
  const toRemind = deadlines.filter(
    ({ expiresAt, remindAt }) => expiresAt > time && remindAt !== null && remindAt <= time,
  );
  return { toRemind: toRemind.map(({ proposal }) => proposal), toExpire: toExpire.map(({ proposal }) => proposal) };
}

/** Makes an approved proposal pending again, with its full time: it could have expired while nobody had to decide. */
export function reopenProposal(builder: StepBuilder, proposal: Proposal, now: string): StepBuilder {
  const expiresAt = expiresAtFor(now, builder.pull.run);
  const reopened = { ...transition(proposal, 'proposed', now), expiresAt, reminded: false };
  return scheduleDeadlineCheck(withProposal(builder, reopened), now);
}

/**
 * Schedules the first check of posted proposals. An App that was suspended meanwhile can learn of a post after its
 * deadline: then the check is due immediately.
 */
export function scheduleFirstDeadlineCheck(builder: StepBuilder, now: string): StepBuilder {
  if (findDueProposals(builder.pull, now).toExpire.length === 0) return scheduleDeadlineCheck(builder, now);
  return withEffects(builder, { type: 'check-deadlines', at: now, requestedAt: now });
}

/** Schedules the next check of deadlines, if any is left. Those that are over already have their check. */
export function scheduleDeadlineCheck(builder: StepBuilder, now: string): StepBuilder {
  const times = deadlinesOf(builder.pull)
    .map(({ remindAt, expiresAt }) => (remindAt !== null && remindAt > Date.parse(now) ? remindAt : expiresAt))
    .filter((time) => time > Date.parse(now));
  if (times.length === 0) return builder;
  const first = Math.min(...times);
  const last = Math.max(...times.filter((time) => time <= first + DEADLINE_BATCH_MS));
  return withEffects(builder, { type: 'check-deadlines', at: new Date(last).toISOString(), requestedAt: now });
}

/** Times in milliseconds; `remindAt` is null after the reminder. */
type ProposalDeadlines = { readonly proposal: Proposal; readonly remindAt: number | null; readonly expiresAt: number };

function deadlinesOf({ proposals, run }: PullState): readonly ProposalDeadlines[] {
  return proposals.filter(isPending).flatMap((proposal) => {
    const { proposedAt, reminded } = proposal;
    const deadline = deadlineOf(proposal, run);
    if (proposedAt === null || deadline === null) return [];
    const [start, expiresAt] = [Date.parse(proposedAt), Date.parse(deadline)];
    return [{ proposal, remindAt: reminded ? null : start + (expiresAt - start) * REMINDER_FRACTION, expiresAt }];
  });
}
