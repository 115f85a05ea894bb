import { isOpen } from '../../run/proposal.ts';
import { DELIVERIES_MS, REMOVED_MS, RUNS_MS } from '../../store/prune.ts';
import { idle, isFree, type PullRow, type Tables } from './tables.ts';

/** Forgets in memory what a database forgets, all at once: there is never more. */
export function prune(tables: Tables, now: number): false {
  for (const row of tables.pulls.values()) {
    forgetDeliveries(tables, row, now);
    forgetEffects(row, now);
    forgetRuns(tables, row, now);
  }
  for (const [id, { receivedAt }] of tables.notices) if (receivedAt < now - DELIVERIES_MS) tables.notices.delete(id);
  forgetRemoved(tables, now);
  return false;
}

function forgetDeliveries(tables: Tables, row: PullRow, now: number): void {
  const stays = ({ doneAt, parked }: PullRow['inbox'][number]): boolean =>
    doneAt === null || doneAt >= now - (parked ? RUNS_MS : DELIVERIES_MS);
  for (const { deliveryId, naturalKey } of row.inbox.filter((one) => !stays(one))) {
    if (deliveryId !== null) tables.deliveryIds.delete(deliveryId);
    if (naturalKey !== null) tables.naturalKeys.delete(naturalKey);
  }
  row.inbox = row.inbox.filter(stays);
}

function forgetEffects(row: PullRow, now: number): void {
  const gone = row.effects.filter(({ doneAt }) => doneAt !== null && doneAt < now - DELIVERIES_MS);
  for (const { effect } of gone) if (effect.type === 'answer' && effect.once !== null) row.onceKeys.delete(effect.once);
  row.effects = row.effects.filter((one) => !gone.includes(one));
}

/** Runs that nobody touched for long, where nothing goes on or waits and nobody is at work. */
function forgetRuns(tables: Tables, row: PullRow, now: number): void {
  if (row.waiting.length > 0 || row.wanted.length > 0 || !isFree(tables, row.lease, now)) return;
  for (const [runId, { pullKey, updatedAt }] of tables.runs) {
    const proposals = [...row.proposals.values()].filter(({ proposal }) => proposal.runId === runId);
    const recent = proposals.some((one) => one.updatedAt >= now - RUNS_MS || isOpen(one.proposal));
    const goesOn = row.active && row.runId === runId;
    if (pullKey === row.key && updatedAt < now - RUNS_MS && !recent && !goesOn) forgetRun(tables, row, runId);
  }
}

function forgetRun(tables: Tables, row: PullRow, runId: string): void {
  for (const [id, { proposal }] of row.proposals) if (proposal.runId === runId) forgetProposal(row, id);
  tables.messages.delete(runId);
  tables.runs.delete(runId);
  if (!tables.laws.ledger) row.writes.length = 0;
  if (row.runId === runId) row.runId = null;
}

/** All but what the ledger says of it without anybody's words. */
function forgetProposal(row: PullRow, id: string): void {
  row.proposals.delete(id);
  row.votes = row.votes.map((vote) => (vote.proposalId === id ? { ...vote, text: null } : vote));
  const outcome = row.outcomes.get(id);
  if (outcome !== undefined) row.outcomes.set(id, { ...outcome, note: null });
}

/** Everything of an account that removed the App, but the ledger and the ids of deliveries. */
function forgetRemoved(tables: Tables, now: number): void {
  const removed = [...tables.notices.values()].flatMap(({ uninstalled, receivedAt }) =>
    receivedAt < now - REMOVED_MS ? (uninstalled ?? []) : [],
  );
  for (const row of tables.pulls.values()) {
    if (!removed.includes(row.state.ref.installationId)) continue;
    for (const id of [...row.proposals.keys()]) forgetProposal(row, id);
    for (const [runId, { pullKey }] of tables.runs) if (pullKey === row.key) forgetRun(tables, row, runId);
    const inbox = row.inbox.filter(({ deliveryId }) => deliveryId !== null);
    const silent = inbox.map((one) => ({
      ...one,
      signal: null,
      error: null,
      parked: false,
      doneAt: one.doneAt ?? now,
    }));
    for (const effect of row.wanted) idle(effect);
    Object.assign(row, { inbox: silent, waiting: [], wanted: [], effects: [], active: false });
    tables.pulls.delete(row.key);
    tables.removed.push(row);
  }
  for (const id of removed) tables.budgets.delete(id);
}
