import type { Claim, InterpretedDelivery, SaveResult, Store, StoredEffect } from '../../../src/adapters/store/store.ts';
import type { InstallationEvent } from '../../../src/core/state/intent.ts';
import type { ProposalState } from '../../../src/core/state/proposal.ts';
import type { PullState } from '../../../src/core/state/pull-state.ts';
import type { CommitPlan, CommitResult } from '../../../src/core/step/ports.ts';
import type { Signal } from '../../../src/core/step/signals.ts';
import type { Step } from '../../../src/core/step/step.ts';

/** One event of a case. `at` is the virtual time (ms since the epoch). */
export type TraceEvent = { readonly at: number } & (
  | { readonly kind: 'received'; readonly delivery: InterpretedDelivery; readonly receipt: 'stored' | 'duplicate' }
  | {
      readonly kind: 'installation-event-received';
      readonly installationEvent: InstallationEvent;
      readonly receipt: 'stored' | 'duplicate';
    }
  /** The webhook response was a success. */
  | { readonly kind: 'acknowledged'; readonly deliveryId: string; readonly isForUs: boolean }
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | {
      readonly kind: 'saved';
      readonly claim: Claim;
      readonly signal: Signal;
      readonly step: Step;
      readonly result: SaveResult;
      /** Proposal states by id, before the step. */
      readonly before: ReadonlyMap<string, ProposalState>;
    }
  | { readonly kind: 'effect-started'; readonly effect: StoredEffect }
  | {
      readonly kind: 'committed';
      /** The number of the pull request. */
      readonly number: number;
      readonly plan: CommitPlan;
      readonly outcome: CommitResult;
    }
  /** A check run of the App, as it was made. */
  | { readonly kind: 'listed'; readonly checkRunId: number; readonly text: string; readonly hasButtons: boolean }
  | { readonly kind: 'permission'; readonly accountId: number; readonly writes: boolean }
  /** The logins of the owners' team; none while the App may not see its members. */
  | { readonly kind: 'team'; readonly members: readonly string[] }
  | { readonly kind: 'fault'; readonly fault: FaultKind; readonly where: string }
  | { readonly kind: 'person-action'; readonly actor: string; readonly action: string }
  | { readonly kind: 'note'; readonly text: string }
);

export type FaultKind =
  | `${'crash' | 'fault'}-${'before' | 'after'}`
  | `delivery-${'dropped' | 'duplicated' | 'delayed'}`
  | 'limit'
  | 'young-token'
  | 'lagging-read'
  | 'hang'
  | 'stale-head'
  | 'refused-by-rule';

/** The events of a case, in order. */
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

function proposalStatesById(pull: PullState): ReadonlyMap<string, ProposalState> {
  return new Map(pull.proposals.map(({ id, state }) => [id, state]));
}

/** Returns a store that records receipts, claims, saved steps and started effects in the trace. */
export function traceStore(store: Store, trace: Trace): Store {
  async function traceSave(
    claim: Claim,
    signal: Signal,
    step: Step,
    save: () => Promise<SaveResult>,
  ): Promise<SaveResult> {
    const ids = step.pull.proposals.map(({ id }) => id);
    const before = proposalStatesById(await store.load(claim.pullRequestKey, { ids, commentId: null }));
    const result = await save();
    trace.add({ kind: 'saved', claim, signal, step, result, before });
    return result;
  }
  function traceClaim(claim: Claim | null): Claim | null {
    if (claim !== null) trace.add({ kind: 'claimed', claim });
    return claim;
  }
  function traceEffectStart(effect: StoredEffect | null): StoredEffect | null {
    if (effect !== null) trace.add({ kind: 'effect-started', effect });
    return effect;
  }
  return {
    ...store,
    async receive(delivery, now) {
      const receipt = await store.receive(delivery, now);
      trace.add({ kind: 'received', delivery, receipt });
      return receipt;
    },
    async broadcastToPulls(deliveryId, installationEvent, now) {
      const receipt = await store.broadcastToPulls(deliveryId, installationEvent, now);
      trace.add({ kind: 'installation-event-received', installationEvent, receipt });
      return receipt;
    },
    claimPull: async (now, leaseMs) => traceClaim(await store.claimPull(now, leaseMs)),
    save: (claim, signal, step, now) =>
      traceSave(claim, signal.signal, step, () => store.save(claim, signal, step, now)),
    saveIfInboxEmpty: (claim, signal, step, now) =>
      traceSave(claim, signal, step, () => store.saveIfInboxEmpty(claim, signal, step, now)),
    async nextWork(claim, now) {
      const work = await store.nextWork(claim, now);
      if (work?.kind === 'effect') traceEffectStart(work.effect);
      return work;
    },
    claimEffect: async (now, leaseMs) => traceEffectStart(await store.claimEffect(now, leaseMs)),
  };
}
