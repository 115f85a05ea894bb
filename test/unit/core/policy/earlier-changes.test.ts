import { describe, expect, it } from 'vitest';
import { buildWrite } from '../../../../src/core/edits/build/build-text.ts';
import { type FileChange, singleChange } from '../../../../src/core/edits/change.ts';
import { findConflictingChange } from '../../../../src/core/policy/earlier-changes.ts';
import { changeOf, editOf } from '../edits/samples.ts';

const text = 'a\nb\nc\nd\ne\n';

const earlier = [{ id: 'k7q2', change: singleChange(editOf(text, 'b', 'new text')) }];

/** The conflicting change, given the only member of another. */
function conflictOf(member: FileChange) {
  return findConflictingChange(singleChange(member), earlier);
}

function writeTo(path: string): FileChange {
  return changeOf(buildWrite({ path, repositoryName: 'shop', file: null, content: 'x', lastReadBlob: null }));
}

describe('changes of one batch', () => {
  it('edits that overlap or touch conflict, others do not (S18)', () => {
    expect(conflictOf(editOf(text, 'b', 'x'))?.id).toBe('k7q2');
    expect(conflictOf(editOf(text, 'c', 'x'))?.id).toBe('k7q2');
    expect(conflictOf(editOf(text, 'd', 'x'))).toBeNull();
    expect(conflictOf({ ...editOf(text, 'b', 'x'), path: 'other.txt' })).toBeNull();
  });

  it('any other two changes with a common path conflict, including parent directories and case variants (S18)', () => {
    expect(conflictOf(writeTo('file.txt'))?.id).toBe('k7q2');
    expect(conflictOf(writeTo('File.txt'))?.id).toBe('k7q2');
    expect(conflictOf(writeTo('file.txt/x'))?.id).toBe('k7q2');
    expect(conflictOf(writeTo('file.txt2'))).toBeNull();
    expect(conflictOf({ ...writeTo('z'), op: 'move', from: 'FILE.txt' })?.id).toBe('k7q2');
  });
});
