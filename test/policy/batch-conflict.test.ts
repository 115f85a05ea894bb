import { describe, expect, it } from 'vitest';
import { buildWrite } from '../../src/change/build-write.ts';
import type { Change } from '../../src/change/change.ts';
import { conflictingChange, standsAfter } from '../../src/policy/batch-conflict.ts';
import { changeOf, editOf } from '../change/samples.ts';

const text = 'a\nb\nc\nd\ne\n';
const earlier = [{ id: 'k7q2', change: editOf(text, 'b', 'new text') }];

function writeTo(path: string): Change {
  return changeOf(buildWrite({ path, sandbox: 'shop', file: null, content: 'x', seenBlob: null }));
}

describe('changes of one batch', () => {
  it('S18: edits that overlap or touch cannot be decided apart, others can', () => {
    expect(conflictingChange(editOf(text, 'b', 'x'), earlier)?.id).toBe('k7q2');
    expect(conflictingChange(editOf(text, 'c', 'x'), earlier)?.id).toBe('k7q2');
    expect(conflictingChange(editOf(text, 'd', 'x'), earlier)).toBeNull();
    expect(conflictingChange({ ...editOf(text, 'b', 'x'), path: 'other.txt' }, earlier)).toBeNull();
  });

  it('S18: any other two changes that share a path cannot either, parents and case included', () => {
    expect(conflictingChange(writeTo('file.txt'), earlier)?.id).toBe('k7q2');
    expect(conflictingChange(writeTo('File.txt'), earlier)?.id).toBe('k7q2');
    expect(conflictingChange(writeTo('file.txt/x'), earlier)?.id).toBe('k7q2');
    expect(conflictingChange(writeTo('file.txt2'), earlier)).toBeNull();
    expect(conflictingChange({ ...writeTo('z'), op: 'move', from: 'FILE.txt' }, earlier)?.id).toBe('k7q2');
  });

  it('T15, S18: tells whether a text stands in a file only after a change', () => {
    const bytes = Buffer.from(text);
    const region = earlier[0]?.change.region ?? null;
    expect(standsAfter({ bytes, sought: 'new text', region })).toBe(true);
    expect(standsAfter({ bytes, sought: 'new text', region: null })).toBe(false);
    expect(standsAfter({ bytes, sought: 'other text', region })).toBe(false);
  });

  it('T15: a text that stands there with other line endings depends on nothing, and no bytes hold any', () => {
    expect(standsAfter({ bytes: Buffer.from('a\r\nb\r\n'), sought: 'a\nb', region: null })).toBe(true);
    expect(standsAfter({ bytes: Buffer.from('a\0b'), sought: 'a', region: null })).toBe(false);
    expect(standsAfter({ bytes: Buffer.from(text), sought: '', region: null })).toBe(false);
  });

  it('H6: a text that all but stands everywhere is looked for as quickly as any other', () => {
    // The engine's own search takes minutes for it.
    const half = 'a'.repeat(50_000);
    expect(standsAfter({ bytes: Buffer.alloc(1_990_000, 'a'), sought: `${half}b${half}`, region: null })).toBe(false);
  });
});
