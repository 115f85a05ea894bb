import type { Fault, Sequel, Store, StoredSignal } from '../../store/store.ts';
import { TOLD_FAULTS } from '../../store/store.ts';
import { wantEffect } from './save.ts';
import { addSignal, type InboxRow, type PullRow, settle, type Tables } from './tables.ts';

/** Gives a waiting signal up, once, with what follows. */
export function park(
  tables: Tables,
  row: PullRow | null,
  stored: StoredSignal,
  fault: Fault,
  { told, outcome }: Sequel,
  now: number,
): void {
  const signal = waitingRow(row, stored);
  if (row === null || signal === undefined) return;
  settle(row, signal, now);
  Object.assign(signal, { parked: true, error: plain(fault.words), faultId: fault.id });
  if (outcome !== null) addSignal(tables, row, outcome, { kind: 'outcome', deliveryId: null, now });
  if (told !== null && row.inbox.filter(({ parked: aside }) => aside).length <= TOLD_FAULTS)
    wantEffect(tables, row, told, now);
}

/** As a database stores a text. */
export function plain(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** What was given up, newest first, at most so many. */
export function parked(tables: Tables, most: number): Awaited<ReturnType<Store['parked']>> {
  const all = [...tables.pulls.values()].flatMap(({ key, inbox }) =>
    inbox.filter((signal) => signal.parked).map((signal) => ({ pullKey: key, signal })),
  );
  return all
    .sort((left, right) => right.signal.id - left.signal.id)
    .slice(0, most)
    .map(({ pullKey: key, signal: { id, deliveryId, error, faultId, attempts, receivedAt, doneAt } }) => ({
      ...{ id, pullKey: key, deliveryId, faultId, attempts, receivedAt },
      error: error ?? '',
      parkedAt: doneAt ?? receivedAt,
    }));
}

/** The signal as long as nothing came of it. */
export function waitingRow(row: PullRow | null, { id, receivedAt }: StoredSignal): InboxRow | undefined {
  return row?.waiting.find((signal) => signal.id === id && signal.receivedAt === receivedAt);
}
