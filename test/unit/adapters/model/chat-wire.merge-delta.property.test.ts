import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeDelta } from '../../../../src/adapters/model/chat-wire.ts';

function merge(...deltas: readonly unknown[]): unknown {
  return deltas.reduce(mergeDelta, undefined);
}

const memberName = fc.oneof(
  fc.constantFrom('text', 'signature', 'data', '__proto__', 'constructor', 'toString'),
  fc.string({ minLength: 1, maxLength: 4 }).filter((name) => !['id', 'name', 'role', 'type'].includes(name)),
);

/** JSON without nulls and lists, which a stream of deltas can carry in pieces. */
const jsonTree = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.tuple(memberName, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
})).value;

/** The deltas of a value: each text in two pieces, each object member by member. */
function split(value: unknown, at: number): readonly unknown[] {
  if (typeof value === 'string') return [value.slice(0, at), value.slice(at)];
  if (typeof value !== 'object' || value === null) return [value];
  const members = Object.entries(value).flatMap(([name, member]) =>
    split(member, at).map((piece) => Object.fromEntries([[name, piece]])),
  );
  return members.length === 0 ? [{}] : members;
}

describe('a value that arrives in deltas', () => {
  it('puts every value together from its pieces, with any names of its members (S164)', () => {
    fc.assert(
      fc.property(jsonTree, fc.nat({ max: 6 }), (value, at) => {
        expect(JSON.stringify(merge(...split(value, at)))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('keeps the elements of a list apart by index, in any interleaving (S164)', () => {
    const texts = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, fc.nat({ max: 3 }), (words, at) => {
        const opening = words.map((_, index) => ({ details: [{ index, type: 'thought', text: '' }] }));
        const pieces = [0, 1].flatMap((half) =>
          words.map((word, index) => ({
            details: [{ index, type: 'thought', text: half === 0 ? word.slice(0, at) : word.slice(at) }],
          })),
        );
        expect(merge(...opening, ...pieces)).toEqual({
          details: words.map((text, index) => ({ index, type: 'thought', text })),
        });
      }),
    );
  });

  it('does not change its inputs', () => {
    const [whole, delta] = [
      { a: ['x'], b: { c: 'd' } },
      { a: ['y'], b: { c: 'e' } },
    ];
    merge(whole, delta, whole);
    expect([whole, delta]).toEqual([
      { a: ['x'], b: { c: 'd' } },
      { a: ['y'], b: { c: 'e' } },
    ]);
  });

  it.each<[string, readonly unknown[], unknown]>([
    [
      'a label that every delta repeats',
      [
        { type: 'a', id: '1' },
        { type: 'a', id: '' },
      ],
      { type: 'a', id: '1' },
    ],
    [
      'two calls that share an index, with different ids',
      [
        [
          { index: 0, id: 'a', function: { name: 'x', arguments: '{}' } },
          { index: 0, id: 'b', function: { name: 'y', arguments: '' } },
        ],
        [{ index: 0, function: { arguments: '{"z":1}' } }],
      ],
      [
        { index: 0, id: 'a', function: { name: 'x', arguments: '{}' } },
        { index: 0, id: 'b', function: { name: 'y', arguments: '{"z":1}' } },
      ],
    ],
    [
      'two kinds of thoughts that share an index',
      [
        [{ index: 0, type: 'reasoning.text', text: 'Hm' }],
        [{ index: 0, type: 'reasoning.encrypted', data: 'x' }],
        [{ index: 0, type: 'reasoning.text', text: 'm.' }],
      ],
      [
        { index: 0, type: 'reasoning.text', text: 'Hmm.' },
        { index: 0, type: 'reasoning.encrypted', data: 'x' },
      ],
    ],
    ['elements without index', [[{ a: 'x' }], [{ a: 'y' }]], [{ a: 'x' }, { a: 'y' }]],
    ['null after a text', [{ a: 'x' }, { a: null }], { a: 'x' }],
    ['a text after another kind of value', [{ a: 5 }, { a: 'x' }], { a: 'x' }],
  ])('handles %s (S164)', (_, deltas, whole) => {
    expect(merge(...deltas)).toEqual(whole);
  });
});
