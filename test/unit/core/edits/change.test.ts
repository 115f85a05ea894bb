import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChangePayload, ChangePayloadSchema } from '../../../../src/core/edits/change.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const text = fc.string({ unit: anyCharacter });

const amount = fc.nat();

const nullableAmount = fc.option(amount, { nil: null });

const common = { description: text, path: text, sandbox: text };

const fileSize = { file_lines: nullableAmount, file_bytes: amount };

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
    content_lines: nullableAmount,
    content_bytes: amount,
    preview: fc.option(text, { nil: null }),
    preview_truncated: fc.boolean(),
    file_exists: fc.boolean(),
    existing_lines: nullableAmount,
    existing_bytes: nullableAmount,
    unified_diff: fc.option(text, { nil: null }),
  }),
  delete: fc.record({
    type: fc.constant('delete'),
    ...common,
    unified_diff: fc.option(text, { nil: null }),
    ...fileSize,
  }),
  move: fc.record({ type: fc.constant('move'), ...common, from: text, ...fileSize }),
  read: fc.record({ type: fc.constant('read'), ...common, ...fileSize, file_exists: fc.boolean() }),
} as const satisfies Record<ChangePayload['type'], fc.Arbitrary<unknown>>;

const anyPayload = fc.oneof(ANY.edit, ANY.write, ANY.delete, ANY.move, ANY.read);

describe('payloads', () => {
  it('every kind survives JSON (S19, S20, S22, S24)', () => {
    fc.assert(
      fc.property(anyPayload, (payload) => {
        expect(ChangePayloadSchema.parse(JSON.parse(JSON.stringify(payload)))).toEqual(payload);
      }),
    );
  });

  it('no kind accepts an unknown or a missing key; a read has no content (S19, S24)', () => {
    fc.assert(
      fc.property(anyPayload, fc.nat(), (payload, pick) => {
        const keys = Object.keys(payload);
        const { [keys[pick % keys.length] ?? '']: _, ...rest } = Object.fromEntries(Object.entries(payload));
        expect(ChangePayloadSchema.safeParse(rest).success).toBe(false);
        expect(ChangePayloadSchema.safeParse({ ...payload, contents: 'x' }).success).toBe(false);
      }),
    );
    expect(ChangePayloadSchema.safeParse({ ...fc.sample(ANY.read, 1)[0], content: 'secret' }).success).toBe(false);
    expect(ChangePayloadSchema.safeParse({ ...fc.sample(ANY.move, 1)[0], type: 'copy' }).success).toBe(false);
  });
});
