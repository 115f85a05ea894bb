import { describe, expect, it } from 'vitest';
import { buildWrite } from '../../../../src/core/edits/build/build-text.ts';
import type { FileChange } from '../../../../src/core/edits/change.ts';
import { findConflictingChange } from '../../../../src/core/policy/earlier-changes.ts';
import { changeOf, editOf } from '../edits/samples.ts';

const text = 'a\nb\nc\nd\ne\n';

const earlier = [{ id: 'k7q2', change: editOf(text, 'b', 'new text') }];

function writeTo(path: string): FileChange {
  return changeOf(buildWrite({ path, repositoryName: 'shop', file: null, content: 'x', lastReadBlob: null }));
}

describe('changes of one batch', () => {
  it('edits that overlap or touch conflict, others do not (S18)', () => {
    expect(findConflictingChange(editOf(text, 'b', 'x'), earlier)?.id).toBe('k7q2');
    expect(findConflictingChange(editOf(text, 'c', 'x'), earlier)?.id).toBe('k7q2');
    expect(findConflictingChange(editOf(text, 'd', 'x'), earlier)).toBeNull();
    expect(findConflictingChange({ ...editOf(text, 'b', 'x'), path: 'other.txt' }, earlier)).toBeNull();
  });

  it('any other two changes with a common path conflict, including parent directories and case variants (S18)', () => {
    expect(findConflictingChange(writeTo('file.txt'), earlier)?.id).toBe('k7q2');
    expect(findConflictingChange(writeTo('File.txt'), earlier)?.id).toBe('k7q2');
    expect(findConflictingChange(writeTo('file.txt/x'), earlier)?.id).toBe('k7q2');
    expect(findConflictingChange(writeTo('file.txt2'), earlier)).toBeNull();
    expect(findConflictingChange({ ...writeTo('z'), op: 'move', from: 'FILE.txt' }, earlier)?.id).toBe('k7q2');
  });
});
