import { describe, expect, it } from 'vitest';
import { diffOf } from '../../src/change/payload.ts';
import {
  appliedOutput,
  deniedOutput,
  dependsOutput,
  failedOutput,
  instructionOutput,
  repeatOutput,
  staleOutput,
  tooManyOutput,
  WITHDRAWN,
} from '../../src/prompt/outputs.ts';
import { bigint, edit, total, write } from '../render/sample.ts';

const base = '1111111aaaaaaa';
const now = '2222222bbbbbbb';

describe('what the model is told', () => {
  it.each([
    ['T1 S99', instructionOutput('use $& instead'), '[USER FEEDBACK - Tool was not executed]: use $& instead'],
    [
      'T4 S101',
      deniedOutput(null),
      'Edit rejected by user. This is a decision, not a tool failure; the file is unchanged. Do not propose the same change again.',
    ],
    [
      'T4 with a reason',
      deniedOutput('too slow'),
      'Edit rejected by user: too slow. This is a decision, not a tool failure; the file is unchanged. Do not propose the same change again.',
    ],
    [
      'T7',
      staleOutput('a.ts', base, now),
      'Not applied: a.ts changed after this change was proposed (base 1111111, now 2222222). Tool was not executed. Read the file again before proposing.',
    ],
    [
      'T8',
      repeatOutput('ana'),
      'This exact change was already rejected by ana. It was not shown again. Propose something different or stop.',
    ],
    [
      'T15',
      dependsOutput('a.ts', 'k7q2'),
      'Not proposed: a.ts contains this text only after change k7q2, which is not decided yet. Propose it again after that.',
    ],
    [
      'T17',
      failedOutput('the branch is protected'),
      'Not applied: the branch is protected. Tool was not executed; the file is unchanged.',
    ],
    [
      'T19',
      tooManyOutput(20),
      'Not proposed: at most 20 changes can wait at once. Propose it again after these are decided.',
    ],
    ['S103', WITHDRAWN, 'Withdrawn: no decision was made.'],
  ])('%s to the letter', (_, said, expected) => expect(said).toBe(expected));

  it('T2 S2: an applied edit', () => {
    expect(JSON.parse(appliedOutput(bigint, null, 'thanks'))).toEqual({
      path: 'src/total.ts',
      replacements_made: 1,
      lines_changed: 1,
      message: 'Successfully replaced text in src/total.ts. Replaced 1 line at line 2.',
      user_note: 'thanks',
      details: { diff: diffOf(bigint.payload), userModified: false },
    });
  });

  it('T2: an edit that adds a line', () => {
    const change = edit('a.ts', 'one\ntwo\n', 'two', 'two\nthree');
    expect(JSON.parse(appliedOutput(change, null, null)).message).toBe(
      'Successfully replaced text in a.ts. Added 1 line at line 3.',
    );
  });

  it('T2: an applied write has neither replacements nor an empty note', () => {
    const told = JSON.parse(appliedOutput(write('a.ts', null, total), null, ''));
    expect(told.message).toBe('Wrote 5 lines to a.ts.');
    expect(Object.keys(told)).toEqual(['path', 'lines_changed', 'message', 'details']);
  });
});
