import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interpret } from '../../src/command/interpret.ts';
import { type RecordedDelivery, readDelivery } from '../../src/explain/read-delivery.ts';
import { readState } from '../../src/explain/read-state.ts';
import type { Reading } from '../../src/explain/reading.ts';
import { decide } from '../../src/run/decide.ts';
import { needs } from '../../src/run/needs.ts';

const RECORDINGS = join(import.meta.dirname, '../fixtures/deliveries/two-wait');

function value<Value>(reading: Reading<Value>): Value {
  if (reading.kind === 'refused') throw new Error(reading.problem);
  return reading.value;
}

const text = (name: string): string => readFileSync(join(RECORDINGS, name), 'utf8');
const state = value(readState(text('state.json')));
const now = '2026-01-02T00:00:00.000Z';
const facts = { now, self: { slug: 'countersign', botId: 0 }, served: true, ...state.facts };
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

type Path = readonly string[];

function pathsOf(of: unknown, at: Path = []): readonly Path[] {
  if (typeof of !== 'object' || of === null) return [at];
  return [at, ...Object.entries(of).flatMap(([key, inner]) => pathsOf(inner, [...at, key]))];
}

/** Fields that decide nothing are most of a payload; those that are read are picked as often as all the others. */
const READ =
  /^(?:action|sender|installation|repository|number|before|after|issue|pull_request|comment|review)(?:\.(?:id|login|type|name|owner|number|state|merged|pull_request|user|body|created_at|updated_at|submitted_at|in_reply_to_id|path|performed_via_github_app)|$)/;

const GONE = Symbol('gone');

function broken(of: unknown, path: Path, by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return by === GONE ? undefined : by;
  if (typeof of !== 'object' || of === null) return of;
  const entries = Object.entries(of).flatMap(([name, inner]) => {
    if (name !== key) return [[name, inner] as const];
    return rest.length === 0 && by === GONE ? [] : [[name, broken(inner, rest, by)] as const];
  });
  return Array.isArray(of) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** Never text for text or a number for a number: that would be another payload, not a broken one. */
function isOtherKind(was: unknown, by: unknown): boolean {
  return by === GONE || by === null || typeof by !== typeof was || Array.isArray(by) !== Array.isArray(was);
}

function at(of: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? Object.entries(inner).find(([name]) => name === key)?.[1]
        : undefined,
    of,
  );
}

const nonsense = fc.oneof(
  fc.constant(GONE),
  fc.constantFrom<unknown>(null, '', 'x', -1, 0, 1.5, 2 ** 60, true, [], {}),
  fc.jsonValue({ maxDepth: 2 }),
);
const wound = fc.record({ pick: fc.nat(), read: fc.boolean(), by: nonsense });

function wounded(
  { payload }: RecordedDelivery,
  wounds: readonly { pick: number; read: boolean; by: unknown }[],
): unknown {
  return wounds.reduce<unknown>((inner, { pick, read, by }) => {
    const paths = pathsOf(inner).filter((path) => !read || READ.test(path.join('.')));
    const path = paths[pick % Math.max(1, paths.length)] ?? [];
    return isOtherKind(at(inner, path), by) ? broken(inner, path, by) : inner;
  }, payload);
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
          const payload = wounded(sample, wounds);
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
