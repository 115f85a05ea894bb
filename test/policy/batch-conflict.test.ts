import { describe, expect, it } from 'vitest';
import { buildWrite } from '../../src/change/build-write.ts';
import type { Change } from '../../src/change/change.ts';
import { changeThatBrings, conflictingChange } from '../../src/policy/batch-conflict.ts';
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

  it('T15, S18: names the change that a text depends on', () => {
    expect(changeThatBrings('file.txt', text, 'new text', earlier)?.id).toBe('k7q2');
    expect(changeThatBrings('file.txt', text, 'other text', earlier)).toBeNull();
    expect(changeThatBrings('other.txt', text, 'new text', earlier)).toBeNull();
  });
});
