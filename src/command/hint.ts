import type { CommandName } from './intent.ts';
import { commandTable } from './table.ts';

/** Why a line is no command, in a sentence or two that say what to write instead. Never holds a person's words. */
const HINTS = {
  'ids-only':
    'Only ids of changes, or `all`, may stand on its line; nothing was approved. Write a note for the agent below the line.',
  'no-instruction': 'It needs words that say what to do differently.',
  'one-id': 'Exactly one id of a change may stand on its line; in that change’s thread it may be left out.',
  'no-question': 'It needs a question.',
  'nothing-behind': 'Nothing else may stand on its line.',
  'no-task': 'It needs a task on the same line, as in `/countersign rename the parameter`.',
  'no-slash':
    'A command begins with a slash: write `/approve`, `/deny` and so on. Nothing was started; for a task that begins with this word, say more.',
  'slash-behind-mention': 'Write the command alone, without the mention before it.',
  'not-yet': 'This command is not available in this version. `/help` lists what is.',
  'no-always': '`always` is not available in this version: every change is approved by itself. Nothing was approved.',
  'html-comment': 'A line with a hidden HTML comment is not read as a command. Write it again without the comment.',
  prefixed:
    'In this repository a command stands behind `/countersign`, as in `/countersign /approve`. Nothing else is read as a command.',
  disguised:
    'The line begins with a character that cannot be seen or only looks like another. Type the command again by hand.',
  swallowed:
    'The line belongs to the quote right above it, so it was not read as a command. Leave a blank line below the quote.',
  'not-first':
    'A command counts only as plain text on the first line of a comment. Write it alone; or, where these words are for the agent, begin them with `/edit`.',
  'block-below':
    'A suggestion block stands below it, so either your lines or the proposed ones could be meant; nothing was approved. For your lines, reply to the change with the block alone; for the proposed ones, write the command without a block.',
  'command-below':
    'Another command stands below it, and a comment holds only one; nothing was approved. Write each in a comment of its own.',
  'too-long':
    'The comment is too long to be read whole, so nothing was approved. Approve in a comment of its own, or name the ids.',
} as const;

export type HintName = keyof typeof HINTS;

/** Hints that are clearer with the command's form behind them. */
const WITH_FORM: ReadonlySet<HintName> = new Set<HintName>([
  'ids-only',
  'no-instruction',
  'one-id',
  'no-question',
  'nothing-behind',
]);

/** The sentences for a person who wrote something close to `name`. */
export function hintFor(name: CommandName | null, hint: HintName): string {
  const form = commandTable.find((row) => row.name === name)?.form;
  return form !== undefined && WITH_FORM.has(hint) ? `${HINTS[hint]} Its form: \`${form}\`.` : HINTS[hint];
}
