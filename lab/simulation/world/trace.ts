import type {
  Claim,
  InterpretedDelivery,
  NewClaim,
  SaveResult,
  Store,
  StoredEffect,
} from '../../../src/adapters/store/store.ts';
import type { InstallationEvent } from '../../../src/core/state/intent.ts';
import type { CommitPlan, CommitResult } from '../../../src/core/state/ports.ts';
import type { ProposalState } from '../../../src/core/state/proposal.ts';
import type { PullState } from '../../../src/core/state/run.ts';
import type { Signal } from '../../../src/core/state/signals.ts';
import type { Step } from '../../../src/core/state/step.ts';

/** One thing that happened, in the order in which things happened. `at` is virtual time (ms). */
export type TraceEvent = { readonly at: number } & (
  | { readonly kind: 'received'; readonly delivery: InterpretedDelivery; readonly receipt: 'stored' | 'duplicate' }
  /** What concerns a whole installation was stored. */
  | {
      readonly kind: 'installation-event-received';
      readonly notice: InstallationEvent;
      readonly receipt: 'stored' | 'duplicate';
    }
  /** GitHub was told that a delivery is taken. */
  | { readonly kind: 'acknowledged'; readonly deliveryId: string; readonly isForUs: boolean }
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | {
      readonly kind: 'saved';
      readonly claim: Claim;
      readonly signal: Signal;
      readonly step: Step;
      readonly result: SaveResult;
      /** As the store had them just before. */
      readonly before: ReadonlyMap<string, ProposalState>;
    }
  | { readonly kind: 'effect-started'; readonly effect: StoredEffect }
  | { readonly kind: 'effect-finished'; readonly effect: StoredEffect }
  | {
      readonly kind: 'committed';
      /** The pull request that it was tried for. */
      readonly number: number;
      readonly plan: CommitPlan;
      readonly outcome: CommitResult;
    }
  | { readonly kind: 'permission'; readonly accountId: number; readonly writes: boolean }
  | { readonly kind: 'fault'; readonly fault: FaultKind; readonly where: string }
  | { readonly kind: 'person-action'; readonly actor: string; readonly action: string }
  | { readonly kind: 'note'; readonly text: string }
);

/** What goes wrong. */
export const FAULT_KINDS = [
  'crash-before',
  'crash-after',
  'fault-before',
  'fault-after',
  'limit',
  'hang',
  'stale-head',
  'connection-cut',
  'delivery-dropped',
  'delivery-duplicated',
  'delivery-delayed',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** Everything that happened in a case. */
export type Trace = {
  readonly events: readonly TraceEvent[];
  readonly add: (event: UntimedEvent) => void;
};

type UntimedEvent = TraceEvent extends infer One ? (One extends TraceEvent ? Omit<One, 'at'> : never) : never;

export function createTrace(now: () => number): Trace {
  const events: TraceEvent[] = [];
  return {
    events,
    add: (event) => void events.push({ ...event, at: now() }),
  };
}

/** States of a pull request's proposals by id. */
function proposalStatesById(pull: PullState): ReadonlyMap<string, ProposalState> {
  return new Map(pull.proposals.map(({ id, state }) => [id, state]));
}

/** The store, with everything that a checker must know of written down the moment it is stored. */
export function traceStore(store: Store, trace: Trace): Store {
  async function saved(claim: Claim, signal: Signal, step: Step, save: () => Promise<SaveResult>): Promise<SaveResult> {
    const ids = step.pull.proposals.map(({ id }) => id);
    const before = proposalStatesById(await store.load(claim.pullRequestKey, { ids, commentId: null }));
    const result = await save();
    trace.add({ kind: 'saved', claim, signal, step, result, before });
    return result;
  }
  function claimed(claim: NewClaim | null): NewClaim | null {
    if (claim !== null) trace.add({ kind: 'claimed', claim });
    return claim;
  }
  function begun(effect: StoredEffect | null): StoredEffect | null {
    if (effect !== null) trace.add({ kind: 'effect-started', effect });
    return effect;
  }
  return {
    ...store,
    ...traceIntake(store, trace),
    claimPull: async (worker, now, leaseMs) => claimed(await store.claimPull(worker, now, leaseMs)),
    save: (claim, signal, step, now) => saved(claim, signal.signal, step, () => store.save(claim, signal, step, now)),
    saveIfInboxEmpty: (claim, signal, step, now) =>
      saved(claim, signal, step, () => store.saveIfInboxEmpty(claim, signal, step, now)),
    async nextWork(claim, now) {
      const work = await store.nextWork(claim, now);
      if (work?.kind === 'effect') begun(work.effect);
      return work;
    },
    claimEffect: async (worker, now, leaseMs) => begun(await store.claimEffect(worker, now, leaseMs)),
    async finishEffect(effect, outcome, now) {
      await store.finishEffect(effect, outcome, now);
      trace.add({ kind: 'effect-finished', effect });
    },
  };
}

function traceIntake(store: Store, trace: Trace): Pick<Store, 'receive' | 'broadcastToPulls'> {
  return {
    async receive(deliveries, now) {
      const receipts = await store.receive(deliveries, now);
      for (const [place, delivery] of deliveries.entries())
        trace.add({ kind: 'received', delivery, receipt: receipts[place] ?? 'duplicate' });
      return receipts;
    },
    async broadcastToPulls(deliveryId, notice, now) {
      const receipt = await store.broadcastToPulls(deliveryId, notice, now);
      trace.add({ kind: 'installation-event-received', notice, receipt });
      return receipt;
    },
  };
}
