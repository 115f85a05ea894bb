import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../src/core/decide.ts';
import { needs } from '../../../../src/core/needs.ts';
import type { PullState } from '../../../../src/core/state/pull-state.ts';
import { interpret } from '../../../../src/core/webhooks/interpret.ts';
import { isRecord, parseJson, storedAs } from '../../../../src/lib/trust.ts';
import { type TwoPending, twoPending } from '../commands/two-pending.ts';
import { breakPayload, damage } from './broken-payload.ts';
import { RECORDED_DELIVERIES, recordedDelivery } from './recorded-delivery.ts';

const app = { slug: 'countersign', botId: 1002 };

const game = gameWithRecordedIds();

const { pull } = game;

const facts = game.facts({ app, permission: 'write', now: '2026-01-02T00:00:00.000Z' });

/** Two pending changes; the first has the id and the comment that the recordings name. */
function gameWithRecordedIds(): TwoPending['game'] {
  const { game, first } = twoPending();
  const inThread = field(recordedDelivery('two-pending/approve-in-thread').payload, 'comment');
  const byId = field(recordedDelivery('two-pending/approve-by-id').payload, 'comment');
  const id = String(field(byId, 'body')).replace('/approve ', '');
  const stored = JSON.stringify(game.pull)
    .replaceAll(`"${first.id}"`, JSON.stringify(id))
    .replaceAll(`"id":${first.comment?.id},`, `"id":${String(field(inThread, 'in_reply_to_id'))},`);
  game.pull = storedAs<PullState>(parseJson(stored));
  return game;
}

function field(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

const samples = RECORDED_DELIVERIES.filter((name) => name.startsWith('two-pending/')).map(
  (name) => [name, recordedDelivery(name)] as const,
);

/** The effect of a delivery while two proposals are pending: its votes, and the state of each proposal. */
function effectOf(
  event: string,
  payload: unknown,
): { readonly votes: readonly string[]; readonly states: readonly string[] } {
  const interpretation = interpret({ event, payload, app });
  const before = pull.proposals.map((one) => `${one.id} ${one.state}`);
  if (interpretation.kind !== 'intent') return { votes: [], states: before };
  const signal = { type: 'intent', deliveryId: 'd', intent: interpretation.intent } as const;
  needs(pull, signal, { now: facts.now, app, ownerAllowed: true });
  const step = decide(pull, signal, facts);
  return {
    votes: step.votes.map((vote) => `${vote.action} ${vote.proposalId} ${vote.digest} by ${vote.by.id}`),
    states: step.pull.proposals.map((one) => `${one.id} ${one.state}`),
  };
}

describe('recorded payloads, broken at random (F11)', () => {
  it('decide something as they were sent', () => {
    const votes = samples.flatMap(([, { event, payload }]) => effectOf(event, payload).votes);
    expect(votes.map((vote) => vote.split(' ')[0])).toEqual(expect.arrayContaining(['approve', 'edit']));
    for (const name of ['two-pending/approve-by-id', 'two-pending/approve-in-thread']) {
      const { event, payload } = recordedDelivery(name);
      expect(effectOf(event, payload).votes).toEqual([expect.stringMatching(/^approve /)]);
    }
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
          const untouched = pull.proposals.map((one) => `${one.id} ${one.state}`);
          expect(complete.votes).toEqual(expect.arrayContaining([...votes]));
          expect([untouched, complete.states]).toContainEqual(states);
          if (interpret({ event: sample.event, payload, app }).kind === 'ignored') ignored += 1;
        },
      ),
      { numRuns: 3000 },
    );
    expect(ignored).toBeGreaterThan(500);
  });
});
