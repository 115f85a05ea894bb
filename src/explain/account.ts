import { type Interpretation, interpret } from '../command/interpret.ts';
import { maskBody } from '../command/mask.ts';
import type { Self } from '../command/reader.ts';
import { decide } from '../run/decide.ts';
import type { Facts, Need } from '../run/facts.ts';
import { needs } from '../run/needs.ts';
import type { Permission } from '../run/proposal.ts';
import type { Pull } from '../run/run.ts';
import type { Signal } from '../run/signal.ts';
import type { Step } from '../run/step.ts';
import { isRecord } from '../trust.ts';
import type { RecordedDelivery } from './read-delivery.ts';
import type { RecordedFacts, RecordedState } from './read-state.ts';
import { workedOut } from './worked-out.ts';

/** Everything there is to say of one delivery. */
export type Account = {
  readonly delivery: { readonly id: string | null; readonly event: string; readonly action: string | null };
  /** The line of the words in which a command would stand, however it is read; null where there is none. */
  readonly line: string | null;
  readonly meaning: Interpretation;
  readonly outcome: Outcome;
};

/** What would be decided: nothing is left open where there is nothing to decide. */
export type Outcome =
  | { readonly kind: 'none' }
  /** No state was given, or nothing is decided before GitHub was asked. */
  | { readonly kind: 'unknown' }
  /** The state lacks what GitHub would be asked for next. */
  | { readonly kind: 'lacking'; readonly needs: readonly Need[] }
  | { readonly kind: 'decided'; readonly before: Pull; readonly step: Step };

/**
 * Works out what a delivery would lead to. `whatIf` is the person's permission instead of the state's; null for what the
 * state holds. Throws only where the state is none that this version wrote.
 */
export function account(
  delivery: RecordedDelivery,
  self: Self,
  state: RecordedState | null,
  whatIf: Permission | null = null,
): Account {
  const { id, event, payload } = delivery;
  const meaning = interpret({ event, payload, self });
  const body = bodyOf(payload);
  return {
    delivery: { id, event, action: textOf(payload, 'action') },
    line: body === null ? null : maskBody(body).first,
    meaning,
    outcome: outcomeOf(meaning, delivery, self, state === null ? null : told(state, meaning, whatIf)),
  };
}

/** The state as one delivery needs it: with the permission of whoever caused it, if that is known. */
type Told = { readonly pull: Pull; readonly recorded: RecordedFacts; readonly permission: Permission | undefined };

function told({ pull, facts, permissions }: RecordedState, meaning: Interpretation, whatIf: Permission | null): Told {
  const known = meaning.kind === 'intent' ? permissions[String(meaning.intent.actor.id)] : undefined;
  return { pull, recorded: facts, permission: whatIf ?? known };
}

function outcomeOf(meaning: Interpretation, { id }: RecordedDelivery, self: Self, state: Told | null): Outcome {
  if (meaning.kind === 'nothing') return { kind: 'none' };
  const signal = signalOf(meaning, id);
  if (state === null || signal === null) return { kind: 'unknown' };
  const { pull, recorded, permission } = state;
  const now = timeOf(signal) ?? '1970-01-01T00:00:00Z';
  const told = permission === undefined ? {} : { permission };
  let facts: Facts = { now, self, served: true, ...recorded, ...told };
  for (;;) {
    const missing = needs(pull, signal, facts);
    const [need] = missing;
    if (need === undefined) return { kind: 'decided', before: pull, step: decide(pull, signal, facts) };
    const fact = workedOut(need, recorded);
    if (fact === null) return { kind: 'lacking', needs: missing };
    facts = { ...facts, ...fact };
  }
}

function signalOf(meaning: Exclude<Interpretation, { kind: 'nothing' }>, id: string | null): Signal | null {
  if (meaning.kind === 'intent') return { type: 'intent', deliveryId: id ?? 'recorded', intent: meaning.intent };
  return meaning.notice.kind === 'access-lost' ? { type: 'access-lost', loss: meaning.notice.loss } : null;
}

function timeOf(signal: Signal): string | null {
  return signal.type === 'intent' && 'createdAt' in signal.intent ? signal.intent.createdAt : null;
}

/** The words of a comment or a review, unread. */
function bodyOf(payload: unknown): string | null {
  if (!isRecord(payload)) return null;
  return textOf(payload['comment'], 'body') ?? textOf(payload['review'], 'body');
}

function textOf(value: unknown, key: string): string | null {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : null;
}
