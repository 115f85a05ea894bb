import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParseResult, parseDelivery } from '../../../../src/cli/explain/read-delivery.ts';
import { decide } from '../../../../src/core/decide.ts';
import { needs } from '../../../../src/core/needs.ts';
import { interpret } from '../../../../src/core/webhooks/interpret.ts';
import { readState } from '../../../support/recorded-decision.ts';
import { breakPayload, damage } from './broken-payload.ts';

const RECORDINGS = join(import.meta.dirname, '../../../fixtures/deliveries/two-wait');

function value<Value>(reading: ParseResult<Value>): Value {
  if (reading.kind === 'refused') throw new Error(reading.problem);
  return reading.value;
}

const text = (name: string): string => readFileSync(join(RECORDINGS, name), 'utf8');

const state = value(readState(text('state.json')));

const now = '2026-01-02T00:00:00.000Z';

const facts = {
  now,
  app: { slug: 'countersign', botId: 0 },
  ownerAllowed: true,
  ...state.facts,
  permission: 'write',
} as const;

const samples = readdirSync(RECORDINGS)
  .filter((name) => name.endsWith('.json') && name !== 'state.json')
  .map((name) => [name, value(parseDelivery(text(name), null))] as const);

/** The effect of a delivery while two proposals are pending: its votes, and the state of each proposal. */
function effectOf(
  event: string,
  payload: unknown,
): { readonly votes: readonly string[]; readonly states: readonly string[] } {
  const interpretation = interpret({ event, payload, app: facts.app });
  const before = state.pull.proposals.map((one) => `${one.id} ${one.state}`);
  if (interpretation.kind !== 'intent') return { votes: [], states: before };
  const signal = { type: 'intent', deliveryId: 'd', intent: interpretation.intent } as const;
  needs(state.pull, signal, { now, app: facts.app, ownerAllowed: true });
  const step = decide(state.pull, signal, facts);
  return {
    votes: step.votes.map((vote) => `${vote.action} ${vote.proposalId} ${vote.digest} by ${vote.by.id}`),
    states: step.pull.proposals.map((one) => `${one.id} ${one.state}`),
  };
}

describe('recorded payloads, broken at random (F11)', () => {
  it('decide something as they were sent', () => {
    const votes = samples.flatMap(([, { event, payload }]) => effectOf(event, payload).votes);
    expect(votes.map((vote) => vote.split(' ')[0])).toEqual(expect.arrayContaining(['approve', 'edit']));
    const stopped = samples.flatMap(([, { event, payload }]) => effectOf(event, payload).states);
    expect(stopped.filter((one) => one.endsWith('cancelled')).length).toBeGreaterThan(0);
  });

  it('never throw, and decide nothing that the complete payload would not decide', () => {
    let ignored = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        ([, sample], damages) => {
          const complete = effectOf(sample.event, sample.payload);
          const payload = breakPayload(sample.payload, damages);
          const { votes, states } = effectOf(sample.event, payload);
          const untouched = state.pull.proposals.map((one) => `${one.id} ${one.state}`);
          expect(complete.votes).toEqual(expect.arrayContaining([...votes]));
          expect([untouched, complete.states]).toContainEqual(states);
          if (interpret({ event: sample.event, payload, app: facts.app }).kind === 'ignored') ignored += 1;
        },
      ),
      { numRuns: 3000 },
    );
    expect(ignored).toBeGreaterThan(500);
  });
});
