import { MOST_DIFF_BYTES, MOST_FILE_BYTES, MOST_PART_BYTES } from '../change/limits.ts';
import type { OwnTextProblem } from '../run/answer.ts';
import { codeSpan, link } from './markdown.ts';
import { thousands } from './words.ts';

const COMMANDS = `or write ${codeSpan('/approve')} or ${codeSpan('/deny [reason]')}`;

/** What somebody can do whose suggestion block was not taken. */
export function ownTextWays({ why }: OwnTextProblem): string {
  if (why === 'no-place' || why === 'denied-path') return `Say in words what should be different, ${COMMANDS}.`;
  if (why === 'unclosed-block') {
    return `Reply again with the block at the left edge, outside any list or tag, and a line of ${codeSpan('```')} below its last line, ${COMMANDS}.`;
  }
  return `Reply with one ${codeSpan('suggestion')} block, say in words what should be different, ${COMMANDS}.`;
}

/** Why a person's own lines were not taken, as a clause. */
export function ownTextProblem(problem: OwnTextProblem): string {
  switch (problem.why) {
    case 'several-blocks':
      return 'the reply holds several blocks, and only one can stand for the proposed lines';
    case 'unclosed-block':
      return 'it is not closed, or stands in a list or below a tag, so it cannot be told for certain what belongs to it';
    case 'no-place':
      return 'that change has not one place in the file that a block of lines could stand for';
    case 'unchanged':
      return 'the file already reads so';
    case 'not-text':
      return 'it holds a NUL character or half a character, which no text file can hold';
    case 'too-large':
      return `the file would have ${thousands(problem.bytes)} bytes, and at most ${thousands(MOST_FILE_BYTES)} can be written`;
    case 'diff-too-long':
      return `its diff would have more than ${thousands(MOST_DIFF_BYTES)} bytes, or a line of more than ${thousands(MOST_PART_BYTES)}, and no more can be shown to people`;
    case 'given-up':
      return 'the change that it makes could not be worked out';
    case 'denied-path':
      return `Countersign may not write this file (${codeSpan(problem.rule.slice(0, 200))})`;
    case 'touches': {
      const { id, url } = problem.other;
      const other = url === null ? codeSpan(id) : link(codeSpan(id), url);
      return `it touches the lines of ${other}, which has to be decided first`;
    }
  }
}
