import { LANES } from '../../run/effect.ts';
import { NONE_NAMED } from '../../run/named-proposals.ts';
import { isOpen } from '../../run/proposal.ts';
import { newPull, pullKey } from '../../run/run.ts';
import type { Step } from '../../run/step.ts';
import { isThreadOf } from '../../run/targets.ts';
import type { Claim, Delivery, Ending, Failure, KnownRun, SaveResult, Store, StoredSignal } from '../../store/store.ts';
import { budgetMethods } from './budgets.ts';
import { effectMethods } from './effects.ts';
import { claimRow, endWith, giveBack, nextSignal, nextWork } from './holding.ts';
import { park, parked, plain, waitingRow } from './parked.ts';
import { prune } from './prune.ts';
import { checkStep, writeStep } from './save.ts';
import { sweepMethods } from './sweeps.ts';
import { addSignal, type PullRow, settle, type Tables, wake } from './tables.ts';
import { tellAll } from './tell-all.ts';
import { waitingMethods } from './waiting.ts';
import { nextDue, oldestFree } from './work.ts';

/**
 * The store in memory: every method does its work in one go, so that each is a transaction of its own. `holder` is the
 * process that it belongs to; its leases hold while `tables.holders` has it.
 */
export function memoryStore(tables: Tables, holder: number): Store {
  tables.holders.add(holder);
  const held = (claim: Claim): PullRow | null => heldRow(tables, claim);
  return {
    receive: async (deliveries, now) => receive(tables, deliveries, now),
    tellAll: async (deliveryId, notice, now) => {
      const receipt = tellAll(tables, deliveryId, notice, now);
      if (receipt === 'stored') wake(tables);
      return receipt;
    },
    ...sweepMethods(tables, holder, () => wake(tables)),
    ...budgetMethods(tables),
    claimPull: async (_worker, now, leaseMs) => {
      const row = oldestFree(tables, now);
      return row && { ...claimRow(tables, row, holder, now, leaseMs), first: nextSignal(tables, row, now) };
    },
    renew: async (claim, now, leaseMs) => {
      const row = held(claim);
      if (row !== null) row.lease = { until: now + leaseMs, holder };
      return row !== null;
    },
    release: async (claim) => {
      const row = held(claim);
      if (row !== null) giveBack(row);
    },
    load: async (key, named) => load(tables, key, named),
    loadRun: async (key, runId) => loadRun(tables, key, runId),
    refOf: async (key) => rowOf(tables, key).state.ref,
    transcript: async (runId) => tables.messages.get(runId) ?? [],
    nextWork: async (claim, now) => nextWork(tables, held(claim), now),
    ...waitingMethods(tables),
    save: async (claim, signal, step, now, ending) =>
      save(tables, claim, signal, step, now, ending && { ...ending, holder }),
    saveDirect: async (claim, _signal, step, now) => saveDirect(tables, claim, step, now),
    postponeSignal: async (claim, signal, at, failure) => postponeSignal(tables, claim, signal, at, failure),
    parkSignal: async (claim, signal, fault, sequel, now) => park(tables, held(claim), signal, fault, sequel, now),
    parked: async (most) => parked(tables, most),
    ...effectMethods(tables, holder),
    nextDue: async () => nextDue(tables),
    ...{ onCut() {}, tenure: () => tables.tenure },
    onWake: (wake) => {
      const own = (): void => wake(null);
      tables.listeners.add(own);
      return () => void tables.listeners.delete(own);
    },
    prune: async (now) => prune(tables, now),
    ping: async () => {},
    close: async () => void tables.holders.delete(holder),
  };
}

/** The row while it is still the claim's. */
function heldRow(tables: Tables, claim: Claim): PullRow | null {
  const row = tables.pulls.get(claim.pullKey);
  const isHeld = row?.fence === claim.fence && row.mark === claim.mark;
  return row !== undefined && (isHeld || !tables.laws.fencing) ? row : null;
}

function receive(tables: Tables, deliveries: readonly Delivery[], now: number): ('stored' | 'duplicate')[] {
  if (deliveries.some(({ id, naturalKey }) => `${id}${naturalKey ?? ''}`.includes('\0')))
    throw new Error('A key holds U+0000');
  const receipts = deliveries.map((delivery) => receiveOne(tables, delivery, now));
  if (receipts.includes('stored')) wake(tables);
  return receipts;
}

function receiveOne(tables: Tables, { id, intent, naturalKey }: Delivery, now: number): 'stored' | 'duplicate' {
  const row = tables.pulls.get(pullKey(intent.pull)) ?? addPull(tables, intent.pull);
  const known = tables.deliveryIds.has(id) || (naturalKey !== null && tables.naturalKeys.has(naturalKey));
  if (known && tables.laws.dedupe) return 'duplicate';
  tables.deliveryIds.add(id);
  if (naturalKey !== null) tables.naturalKeys.add(naturalKey);
  addSignal(
    tables,
    row,
    { type: 'intent', deliveryId: id, intent },
    { kind: 'intent', deliveryId: id, naturalKey, now },
  );
  return 'stored';
}

function addPull(tables: Tables, ref: Delivery['intent']['pull']): PullRow {
  const key = pullKey(ref);
  const { run: _run, proposals: _proposals, ...state } = newPull(ref);
  const row: PullRow = {
    key,
    state,
    runId: null,
    active: true,
    goesOnSince: null,
    heldUntil: 0,
    fence: 0,
    mark: null,
    lease: null,
    waiting: [],
    wanted: [],
    inbox: [],
    effects: [],
    proposals: new Map(),
    outcomes: new Map(),
    votes: [],
    writes: [],
    onceKeys: new Set(),
  };
  tables.pulls.set(key, row);
  return row;
}

function rowOf(tables: Tables, key: string): PullRow {
  const row = tables.pulls.get(key);
  if (row === undefined) throw new Error(`No pull request ${key} is stored`);
  return row;
}

function load(tables: Tables, key: string, named: Parameters<Store['load']>[1]): Awaited<ReturnType<Store['load']>> {
  const row = rowOf(tables, key);
  const run = row.runId === null ? null : (tables.runs.get(row.runId)?.run ?? null);
  const wanted = [...row.proposals.values()].filter(
    ({ proposal, proposal: { id, runId } }) =>
      isOpen(proposal) ||
      (row.runId !== null && runId === row.runId) ||
      named.ids.includes(id) ||
      (named.commentId !== null && isThreadOf(proposal, named.commentId)),
  );
  const proposals = wanted.sort((left, right) => left.place - right.place).map(({ proposal }) => proposal);
  return { ...row.state, run, proposals };
}

function loadRun(tables: Tables, key: string, runId: string): KnownRun | null {
  const stored = tables.runs.get(runId);
  if (stored?.pullKey !== key) return null;
  const own = [...rowOf(tables, key).proposals.values()].filter(({ proposal }) => proposal.runId === runId);
  const proposals = own.sort((left, right) => left.place - right.place).map(({ proposal }) => proposal);
  return { run: stored.run, proposals };
}

function save(
  tables: Tables,
  claim: Claim,
  stored: StoredSignal,
  step: Step,
  now: number,
  ending: (Ending & { readonly holder: number }) | undefined,
): SaveResult {
  const row = heldRow(tables, claim);
  const signal = waitingRow(row, stored);
  if (row === null || signal === undefined) return 'lost';
  checkStep(tables, row, step);
  settle(row, signal, now);
  signal.reason = step.reason;
  if (step.reason === 'not-ours') signal.signal = null;
  writeStep(tables, row, step, now);
  const ended = ending === undefined ? null : endWith(tables, row, step, ending, now);
  if (step.effects.some(({ type }) => LANES[type] === 'free')) wake(tables);
  if (ended === null) return 'saved';
  return ended.effect === null ? ended : { ...ended, pull: load(tables, claim.pullKey, NONE_NAMED) };
}

function saveDirect(tables: Tables, claim: Claim, step: Step, now: number): SaveResult {
  const row = heldRow(tables, claim);
  if (row === null) return 'lost';
  const waits = row.waiting.some(({ kind, notBefore }) => kind === 'intent' || notBefore <= now);
  if (waits && tables.laws.guard) return 'signals-waiting';
  checkStep(tables, row, step);
  writeStep(tables, row, step, now);
  if (step.effects.some(({ type }) => LANES[type] === 'free')) wake(tables);
  return 'saved';
}

function postponeSignal(
  tables: Tables,
  claim: Claim,
  stored: StoredSignal,
  notBefore: number,
  failure: Failure | null,
): void {
  const row = heldRow(tables, claim);
  const signal = waitingRow(row, stored);
  if (row === null) return;
  if (signal !== undefined) {
    signal.notBefore = notBefore;
    if (failure !== null) Object.assign(signal, countedAs(stored, failure));
  }
  if (failure !== null && stored.signal.type === 'intent') row.heldUntil = notBefore;
}

function countedAs({ attempts, faults }: StoredSignal, { words, ours }: Failure) {
  return { error: plain(words), attempts: attempts + 1, faults: ours ? faults + 1 : 0 };
}
