import type { InterpretedDelivery } from '../../../src/adapters/store/store.ts';
import type { Intent } from '../../../src/core/state/intent.ts';
import { pullRequestKey } from '../../../src/core/state/pull-state.ts';
import { approvalsOf, type CaseCheck, type CaseEvidence, type SavedStep } from './evidence.ts';

/** V4: no commit attempt begins after a valid /deny or /stop for the proposal was stored. */
export const denialsHold: CaseCheck = (evidence) =>
  evidence.events.flatMap((event, index) => {
    if (event.kind !== 'received' || event.receipt !== 'stored') return [];
    if (!couldAlwaysDeny(evidence, event.delivery.intent)) return [];
    return [
      ...proposalsDenied(evidence, event.delivery.intent),
      ...proposalsStopped(evidence, event.delivery, index),
    ].flatMap((id) => {
      const hasStarted = hasAttemptAfter(evidence, id, index);
      return hasStarted ? [`V4: an attempt to commit ${id} began after its denial or a stop was stored`] : [];
    });
  });

function hasAttemptAfter({ saved }: CaseEvidence, id: string, after: number): boolean {
  return saved.some(({ index, saved: step }) => index > after && startsCommit(step, id));
}

function startsCommit({ signal, step }: SavedStep, id: string): boolean {
  if (signal.type !== 'commit-preflight' || !signal.checks.some(({ proposalId }) => proposalId === id)) return false;
  return step.pull.proposals.some((proposal) => proposal.id === id && proposal.state === 'executing');
}

/** V4: after a suspension, earlier approvals start no commit attempt: a denial from that time can be lost. */
export const approvalsEndWithSuspension: CaseCheck = (evidence) =>
  evidence.events.flatMap((event, unsuspended) => {
    if (event.kind !== 'installation-event-received' || event.installationEvent.kind !== 'unsuspended') return [];
    const { installationId } = event.installationEvent;
    const later = evidence.saved.filter(
      ({ index, saved: { step } }) => index > unsuspended && step.pull.ref.installationId === installationId,
    );
    return later.flatMap(({ index: attempt, saved: step }) => {
      const ids = step.step.pull.proposals.map(({ id }) => id).filter((id) => startsCommit(step, id));
      const early = ids.filter((id) => approvalsOf(evidence, id, { after: unsuspended, before: attempt }).length === 0);
      return early.map((id) => `V4: an attempt to commit ${id} began with approvals from before a suspension's end`);
    });
  });

/** V4: after a dead letter, which can be a denial, earlier approvals start no commit attempt. */
export const deadLettersSuspendApprovals: CaseCheck = (evidence) =>
  evidence.saved.flatMap(({ index: deadLetterIndex, saved: { claim, signal, before } }) => {
    if (signal.type !== 'dead-lettered') return [];
    const later = evidence.saved.filter(
      ({ index, saved: step }) => index > deadLetterIndex && step.claim.pullRequestKey === claim.pullRequestKey,
    );
    return [...before].flatMap(([id, state]) => {
      if (state !== 'approved' && state !== 'executing') return [];
      const attempt = later.find(({ saved: step }) => startsCommit(step, id));
      const between = { after: deadLetterIndex, before: attempt?.index ?? 0 };
      return attempt === undefined || approvalsOf(evidence, id, between).length > 0
        ? []
        : [`V4: an attempt to commit ${id} began after a dead letter, with only earlier approvals`];
    });
  });

/** The proposals that a /deny names by id or by its thread. */
function proposalsDenied(evidence: CaseEvidence, intent: Intent): readonly string[] {
  if (intent.kind !== 'comment' || intent.parsed.kind !== 'command') return [];
  const { command } = intent.parsed;
  if (command.name !== 'deny') return [];
  if (command.targets.by === 'ids') return command.targets.ids;
  const { location } = intent;
  const proposalId =
    command.targets.by === 'location' && location.at === 'thread'
      ? evidence.proposalsByComment.get(location.rootId)
      : undefined;
  return proposalId === undefined ? [] : [proposalId];
}

/** The proposals of the run that a /stop ends. A run whose task is newer than the comment continues. */
function proposalsStopped({ saved }: CaseEvidence, { intent }: InterpretedDelivery, index: number): readonly string[] {
  if (intent.kind !== 'comment' || intent.parsed.kind !== 'command' || intent.parsed.command.name !== 'stop') return [];
  const key = pullRequestKey(intent.pull);
  const pull = saved.findLast((step) => step.index < index && step.saved.claim.pullRequestKey === key)?.saved.step.pull;
  const run = pull?.run ?? null;
  if (pull === undefined || run === null || run.phase.kind === 'ended') return [];
  if (Date.parse(run.task.requestedAt) > Date.parse(intent.createdAt)) return [];
  return pull.proposals.filter(({ runId, origin }) => runId === run.id && origin.kind === 'call').map(({ id }) => id);
}

/** True for the author of this pull request, and for accounts that had write permission all the time. */
function couldAlwaysDeny({ events, played: { fixture } }: CaseEvidence, { actor, pull }: Intent): boolean {
  const { id: accountId } = actor;
  if (accountId === fixture.people.carl && pull.number === fixture.ref.number) return true;
  const permissions = events.filter((event) => event.kind === 'permission' && event.accountId === accountId);
  return permissions.length > 0 && permissions.every((event) => event.kind === 'permission' && event.writes);
}
