import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interpret } from '../../src/command/interpret.ts';
import { readDelivery } from '../../src/explain/read-delivery.ts';
import { readState } from '../../src/explain/read-state.ts';
import type { Reading } from '../../src/explain/reading.ts';
import { decide } from '../../src/run/decide.ts';
import { needs } from '../../src/run/needs.ts';
import { wound, wounded } from './wounds.ts';

const RECORDINGS = join(import.meta.dirname, '../fixtures/deliveries/two-wait');

function value<Value>(reading: Reading<Value>): Value {
  if (reading.kind === 'refused') throw new Error(reading.problem);
  return reading.value;
}

const text = (name: string): string => readFileSync(join(RECORDINGS, name), 'utf8');
const state = value(readState(text('state.json')));
const now = '2026-01-02T00:00:00.000Z';
const facts = {
  now,
  self: { slug: 'countersign', botId: 0 },
  served: true,
  ...state.facts,
  permission: 'write',
} as const;
const samples = readdirSync(RECORDINGS)
  .filter((name) => name.endsWith('.json') && name !== 'state.json')
  .map((name) => [name, value(readDelivery(text(name), null))] as const);

/** What a delivery would do while two changes wait: its votes, and each proposal with its state. */
function done(
  event: string,
  payload: unknown,
): { readonly votes: readonly string[]; readonly states: readonly string[] } {
  const meaning = interpret({ event, payload, self: facts.self });
  const before = state.pull.proposals.map((one) => `${one.id} ${one.state}`);
  if (meaning.kind !== 'intent') return { votes: [], states: before };
  const signal = { type: 'intent', deliveryId: 'd', intent: meaning.intent } as const;
  needs(state.pull, signal, { now, self: facts.self, served: true });
  const step = decide(state.pull, signal, facts);
  return {
    votes: step.votes.map((vote) => `${vote.action} ${vote.proposalId} ${vote.digest} by ${vote.by.id}`),
    states: step.pull.proposals.map((one) => `${one.id} ${one.state}`),
  };
}

describe('F11: recorded payloads, broken at random', () => {
  it('as they were sent, some of them decide', () => {
    const votes = samples.flatMap(([, { event, payload }]) => done(event, payload).votes);
    expect(votes.map((vote) => vote.split(' ')[0])).toEqual(expect.arrayContaining(['approve', 'edit']));
    const stopped = samples.flatMap(([, { event, payload }]) => done(event, payload).states);
    expect(stopped.filter((one) => one.endsWith('cancelled')).length).toBeGreaterThan(0);
  });

  it('nothing throws, and none decides what the whole one would not have', () => {
    let unheard = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(wound, { minLength: 1, maxLength: 3 }),
        ([, sample], wounds) => {
          const whole = done(sample.event, sample.payload);
          const payload = wounded(sample.payload, wounds);
          const { votes, states } = done(sample.event, payload);
          const untouched = state.pull.proposals.map((one) => `${one.id} ${one.state}`);
          expect(whole.votes).toEqual(expect.arrayContaining([...votes]));
          expect([untouched, whole.states]).toContainEqual(states);
          if (interpret({ event: sample.event, payload, self: facts.self }).kind === 'nothing') unheard += 1;
        },
      ),
      { numRuns: 3000 },
    );
    expect(unheard).toBeGreaterThan(500);
  });
});
