import { delayOf, type Effect, LANES, RANK_OF } from '../../run/effect.ts';
import type { Signal } from '../../run/signal.ts';
import type { Step } from '../../run/step.ts';
import type { Claim, Claimed, Ending, GivenBack, Lease, PullWork, StoredSignal } from '../../store/store.ts';
import { gatesOf } from './budgets.ts';
import { type EffectRow, type InboxRow, isFree, type PullRow, type Tables } from './tables.ts';
import { begin, dueAt } from './work.ts';

/** The next due signal, else the next due effect, else the claim is given back. */
export function nextWork(tables: Tables, row: PullRow | null, now: number): PullWork | null {
  if (row === null) return null;
  const signal = nextSignal(tables, row, now);
  if (signal !== null) return { kind: 'signal', signal };
  const effect = row.wanted.find((one) => one.lane === 'pull' && isDue(tables, row, one, now));
  if (effect !== undefined) return { kind: 'effect', effect: begin(row, effect) };
  giveBack(row);
  return null;
}

/** Outcomes first, then what people said, each in the order received. */
export function nextSignal(tables: Tables, row: PullRow, now: number): StoredSignal | null {
  if (gatesOf(tables, row).hear > now) return null;
  const due = row.waiting.filter((signal) => dueAt(row, signal) <= now && signal.signal !== null);
  const next = due.find(({ kind }) => kind === 'outcome') ?? due[0];
  return next === undefined ? null : storedSignal(next);
}

function storedSignal({ id, signal, receivedAt, attempts, faults }: InboxRow): StoredSignal | null {
  return signal === null ? null : { id, signal, receivedAt, attempts, faults };
}

function isDue(
  tables: Tables,
  row: PullRow,
  { effect: { type }, notBefore, attempts }: EffectRow,
  now: number,
): boolean {
  const isTime = notBefore <= now || (type === 'catch-up' && attempts === 0);
  return isTime && gatesOf(tables, row)[RANK_OF[type]] <= now;
}

export function giveBack(row: PullRow): void {
  Object.assign(row, { fence: row.fence + 1, mark: null, lease: null });
}

/** The end of a claim with the step that was just saved, where nothing else is due. */
export function endWith(
  tables: Tables,
  row: PullRow,
  { effects }: Step,
  { holder, lease }: Ending & { readonly holder: number },
  now: number,
): GivenBack | null {
  const waits = row.waiting.some(({ notBefore }) => notBefore <= now);
  const wants = row.wanted.some(
    (one) => one.lane === 'pull' && (isDue(tables, row, one, now) || one.effect.type === 'catch-up'),
  );
  if (waits || wants) return null;
  giveBack(row);
  const first = effects.find((effect) => LANES[effect.type] === 'free' && delayOf(effect) === 0);
  const taken = lease === null || first === undefined ? undefined : openOne(tables, row, first, now);
  if (taken === undefined || lease === null) return { kind: 'given-back', effect: null };
  taken.lease = { until: now + lease.ms, holder };
  return { kind: 'given-back', effect: begin(row, taken) };
}

function openOne(tables: Tables, row: PullRow, effect: Effect, now: number): EffectRow | undefined {
  return row.wanted.find((one) => one.effect === effect && one.attempts === 0 && isDue(tables, row, one, now));
}

/** Claims the pull request for an outcome that was just stored, where it is free and no other comes before. */
export function claimFor(
  tables: Tables,
  row: PullRow,
  outcome: Signal,
  { ms, holder }: Lease & { readonly holder: number },
  now: number,
): Claimed | null {
  const [first, ...others] = row.waiting.filter(({ kind }) => kind === 'outcome');
  const mayBe = isFree(tables, row.lease, now) && gatesOf(tables, row).hear <= now;
  if (!mayBe || first?.signal !== outcome || others.length > 0) return null;
  return { ...claimRow(tables, row, holder, now, ms), first: storedSignal(first) };
}

export function claimRow(tables: Tables, row: PullRow, holder: number, now: number, leaseMs: number): Claim {
  row.fence += 1;
  tables.claims += 1;
  row.mark = `${holder}/${tables.claims}`;
  row.lease = { until: now + leaseMs, holder };
  return { pullKey: row.key, fence: row.fence, mark: row.mark, leaseUntil: now + leaseMs };
}
