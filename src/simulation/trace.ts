import type { Notice } from '../command/notice.ts';
import type { CommitPlan } from '../policy/countersigned.ts';
import type { ProposalState } from '../run/proposal.ts';
import type { Pull } from '../run/run.ts';
import type { Signal } from '../run/signal.ts';
import type { Step } from '../run/step.ts';
import type { Claim, Delivery, SaveResult, StoredEffect } from '../store/store.ts';
import type { CommitOutcome } from '../worker/ports.ts';

/** One thing that happened, in the order in which things happened. `at` is virtual time (ms). */
export type Happening = { readonly at: number } & (
  | { readonly kind: 'received'; readonly delivery: Delivery; readonly receipt: 'stored' | 'duplicate' }
  /** What concerns a whole installation was stored. */
  | { readonly kind: 'told'; readonly notice: Notice; readonly receipt: 'stored' | 'duplicate' }
  /** GitHub was told that a delivery is taken. */
  | { readonly kind: 'answered'; readonly deliveryId: string; readonly meant: boolean }
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
  | { readonly kind: 'effect-begun'; readonly effect: StoredEffect }
  | { readonly kind: 'effect-finished'; readonly effect: StoredEffect }
  | {
      readonly kind: 'committed';
      /** The pull request that it was tried for. */
      readonly number: number;
      readonly plan: CommitPlan;
      readonly outcome: CommitOutcome;
    }
  | { readonly kind: 'permission'; readonly accountId: number; readonly writes: boolean }
  | { readonly kind: 'fault'; readonly fault: FaultKind; readonly where: string }
  | { readonly kind: 'deed'; readonly who: string; readonly what: string }
  | { readonly kind: 'words'; readonly text: string }
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
  'database-died',
  'delivery-dropped',
  'delivery-twice',
  'delivery-late',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Everything that happened in a case. */
export type Trace = {
  readonly happenings: readonly Happening[];
  readonly add: (happening: Untimed) => void;
  /** What was stored from that place on never was: the database forgot it. What was told outside stays. */
  readonly forget: (from: number) => void;
};

const STORED: ReadonlySet<Happening['kind']> = new Set<Happening['kind']>([
  'claimed',
  'saved',
  'effect-begun',
  'effect-finished',
]);

type Untimed = Happening extends infer One ? (One extends Happening ? Omit<One, 'at'> : never) : never;

export function openTrace(now: () => number): Trace {
  const happenings: Happening[] = [];
  return {
    happenings,
    add: (happening) => void happenings.push({ ...happening, at: now() }),
    forget(from) {
      for (const [place, { kind, at }] of happenings.entries())
        if (place >= from && STORED.has(kind)) happenings[place] = { kind: 'words', at, text: `(forgotten: ${kind})` };
    },
  };
}

/** States of a pull request's proposals by id. */
export function statesOf(pull: Pull): ReadonlyMap<string, ProposalState> {
  return new Map(pull.proposals.map(({ id, state }) => [id, state]));
}
