import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeDelete, describeMove, describeWrite } from '../../src/change/describe.ts';
import { Payload } from '../../src/change/payload.ts';

const text = fc.string({ unit: 'binary' });
const amount = fc.nat();
const perhaps = fc.option(amount, { nil: null });
const common = { description: text, path: text, sandbox: text };
const standing = { file_lines: perhaps, file_bytes: amount };

const ANY = {
  edit: fc.record({
    type: fc.constant('edit'),
    ...common,
    old_string: text,
    new_string: text,
    replace_all: fc.boolean(),
    unified_diff: text,
    diff_lines: amount,
    match_line: amount,
    match_count: amount,
    context_before: text,
    context_after: text,
    file_lines: amount,
    file_bytes: amount,
  }),
  write: fc.record({
    type: fc.constant('write'),
    ...common,
    content: fc.option(text, { nil: null }),
    content_lines: perhaps,
    content_bytes: amount,
    preview: fc.option(text, { nil: null }),
    preview_truncated: fc.boolean(),
    file_exists: fc.boolean(),
    existing_lines: perhaps,
    existing_bytes: perhaps,
    unified_diff: fc.option(text, { nil: null }),
  }),
  delete: fc.record({
    type: fc.constant('delete'),
    ...common,
    unified_diff: fc.option(text, { nil: null }),
    ...standing,
  }),
  move: fc.record({ type: fc.constant('move'), ...common, from: text, ...standing }),
  read: fc.record({ type: fc.constant('read'), ...common, ...standing, file_exists: fc.boolean() }),
} as const satisfies Record<Payload['type'], fc.Arbitrary<unknown>>;

const anyPayload = fc.oneof(ANY.edit, ANY.write, ANY.delete, ANY.move, ANY.read);

describe('payloads', () => {
  it('S19, S20, S22, S24: every kind is read back as it was written', () => {
    fc.assert(
      fc.property(anyPayload, (payload) => {
        expect(Payload.parse(JSON.parse(JSON.stringify(payload)))).toEqual(payload);
      }),
    );
  });

  it('S19, S24: no kind takes a key of its own choosing, or does without one of its own: a read has no content', () => {
    fc.assert(
      fc.property(anyPayload, fc.nat(), (payload, pick) => {
        const keys = Object.keys(payload);
        const { [keys[pick % keys.length] ?? '']: _, ...rest } = Object.fromEntries(Object.entries(payload));
        expect(Payload.safeParse(rest).success).toBe(false);
        expect(Payload.safeParse({ ...payload, contents: 'x' }).success).toBe(false);
      }),
    );
    expect(Payload.safeParse({ ...fc.sample(ANY.read, 1)[0], content: 'secret' }).success).toBe(false);
    expect(Payload.safeParse({ ...fc.sample(ANY.move, 1)[0], type: 'copy' }).success).toBe(false);
  });

  it('S27: each says in one line what would happen', () => {
    expect([
      describeWrite('src/a.ts', 150),
      describeWrite('src/a.ts', 1),
      describeDelete('src/a.ts'),
      describeMove('src/a.ts', 'src/b.ts'),
    ]).toEqual([
      'Write 150 lines to src/a.ts',
      'Write 1 line to src/a.ts',
      'Delete src/a.ts',
      'Move src/a.ts to src/b.ts',
    ]);
  });
});
