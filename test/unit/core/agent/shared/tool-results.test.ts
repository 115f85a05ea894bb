import { describe, expect, it } from 'vitest';
import { MAX_RESULTS_BYTES } from '../../../../../src/core/agent/shared/response-size.ts';
import {
  alreadyRejectedOutput,
  appliedOutput,
  deniedOutput,
  failedOutput,
  instructionOutput,
  staleOutput,
  tooManyPendingOutput,
  userModifiedOutput,
  withdrawnOutput,
} from '../../../../../src/core/agent/shared/tool-results.ts';
import { touchesOtherCallOutput } from '../../../../../src/core/agent/turn-texts.ts';
import { singleChange } from '../../../../../src/core/edits/change.ts';
import { ben, bigint, edit, total, write } from '../../messages/sample.ts';

const base = '1111111aaaaaaa';

const now = '2222222bbbbbbb';

const UNKNOWN = { commitSha: null, votes: [], userNote: null };

describe('outputs for the model', () => {
  it.each([
    [
      'an instruction (T1, S99)',
      instructionOutput('use $& instead'),
      '[USER FEEDBACK - Tool was not executed]: use $& instead',
    ],
    [
      'a denial names the person and the role (T4, S101, S140)',
      deniedOutput({ by: ben, permission: 'write', text: null }),
      'Edit rejected by ben-k (write access). This is a decision, not a tool failure; the file is unchanged. Do not propose the same change again.',
    ],
    [
      'a denial with a reason (T4)',
      deniedOutput({ by: ben, permission: 'maintain', text: 'too slow' }),
      'Edit rejected by ben-k (write access): too slow. This is a decision, not a tool failure; the file is unchanged. Do not propose the same change again.',
    ],
    [
      'a denial by the author, who may not write (T4, S140)',
      deniedOutput({ by: ben, permission: 'read', text: null }),
      'Edit rejected by ben-k (the pull request’s author). This is a decision, not a tool failure; the file is unchanged. Do not propose the same change again.',
    ],
    [
      'a stale change (T7)',
      staleOutput('a.ts', base, now),
      'Not applied: a.ts changed after this change was proposed (base 1111111, now 2222222). Tool was not executed. Read the file again before proposing.',
    ],
    [
      'a repeated change (T8)',
      alreadyRejectedOutput('ana'),
      'This exact change was already rejected by ana. It was not shown again. Propose something different or stop.',
    ],
    [
      'a change that touches that of another call (T15)',
      touchesOtherCallOutput('a.ts'),
      "Not proposed: this change of a.ts touches that of another call. Put them into one call: edit_file with 'edits', or change_files. 'edits' take all lines from the first place to the last; change_files takes each place alone.",
    ],
    [
      'a failed change (T17)',
      failedOutput('the branch is protected'),
      'Not applied: the branch is protected. Tool was not executed; the file is unchanged.',
    ],
    [
      'too many pending changes (T19)',
      tooManyPendingOutput(20),
      'Not proposed: at most 20 changes can wait at once. Propose it again after these are decided.',
    ],
    [
      'a withdrawn change, with the cause (S103)',
      withdrawnOutput('Ana went on without one.'),
      'Withdrawn: no decision was made. Ana went on without one.',
    ],
  ])('%s', (_, output, expected) => expect(output).toBe(expected));

  it('a denial whose reason is a sentence has one full stop (T4)', () => {
    const denied = (text: string) => deniedOutput({ by: ben, permission: 'write', text });
    expect(denied('Only the import path.')).toBe(denied('Only the import path'));
    expect(denied('not so…')).toContain(': not so…. This is');
    expect(denied('wait...')).toContain(': wait.... This is');
  });

  it('an applied edit says who approved it and in which commit it is, and not again what it was (R43, T2, S2)', () => {
    const votes = [{ action: 'approve', by: ben, permission: 'write' }] as const;
    expect(JSON.parse(appliedOutput(singleChange(bigint), { commitSha: now, votes, userNote: 'thanks' }))).toEqual({
      path: 'src/total.ts',
      replacements_made: 1,
      lines_changed: 1,
      message: 'Successfully replaced text in src/total.ts. Replaced 1 line at line 2.',
      commit: '2222222',
      approved_by: ['ben-k (write access)'],
      user_note: 'thanks',
      details: { userModified: false },
    });
  });

  it('a change that a person pushed names the pusher, who is no approver (R43)', () => {
    const votes = [{ action: 'commit', by: ben, permission: 'write' }] as const;
    const result = JSON.parse(appliedOutput(singleChange(bigint), { commitSha: now, votes, userNote: null }));
    expect(result).toMatchObject({ commit: '2222222', committed_by: ['ben-k (write access)'] });
    expect(result).not.toHaveProperty('approved_by');
  });

  it('an edit that adds a line (T2)', () => {
    const change = singleChange(edit('a.ts', 'one\ntwo\n', 'two', 'two\nthree'));
    const { message } = JSON.parse(appliedOutput(change, UNKNOWN));
    expect(message).toBe('Successfully replaced text in a.ts. Added 1 line at line 3.');
  });

  it('an applied write has neither replacements nor an empty note (T2)', () => {
    const result = JSON.parse(appliedOutput(singleChange(write('a.ts', null, total)), { ...UNKNOWN, userNote: '' }));
    expect(result.message).toBe('Wrote 5 lines to a.ts.');
    expect(Object.keys(result)).toEqual(['path', 'lines_changed', 'message', 'details']);
  });

  it('a secret in a person’s own text is replaced before the model gets it (X10)', () => {
    const token = `sk_live_${'aB3d'.repeat(6)}`;
    const diff = `@@ -1,1 +1,1 @@\n-const key = '';\n+const key = '${token}';\n`;
    const output = JSON.parse(
      userModifiedOutput(edit('a.ts', 'one\n', 'one', 'two'), diff, UNKNOWN, MAX_RESULTS_BYTES),
    );
    expect(output.user_edits).toBe("@@ -1,1 +1,1 @@\n-const key = '';\n+const key = '[redacted]';\n");
    expect(output.details.note).toBeUndefined();
  });
});
