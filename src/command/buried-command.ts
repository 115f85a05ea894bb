import { trimBlanks } from './blanks.ts';
import { openFence } from './fence.ts';
import { readLine } from './grammar.ts';
import type { CommandName } from './intent.ts';
import { type PageLine, readPage } from './page.ts';
import { commandRow } from './table.ts';

/** What people put around a command so that it is shown as code, in bold, as an item, or with its slash escaped. */
const BEFORE = /^(?:[*_~`\\#+>-]|\d{1,9}[.)](?=[ \t])|[ \t])+/;
const BEHIND = /[*_~` \t]+$/;
const WRITTEN_SLASH = /^&(?:#47|#x2f|sol);/i;
const NAME = /^ {0,3}\/([a-z]{3,20})(?![a-z])/i;
const LONGEST = 200;

/**
 * The command that stands in words which are no command: on a line of its own below others, or alone but in code or
 * another dress. There it decides nothing, and neither can it be what the agent is to do instead.
 */
export function buriedCommand(text: string): CommandName | null {
  const lines = readPage(text).lines.filter(({ mark }) => mark !== 'blank');
  const [only, ...more] = lines.filter((line) => openFence(line.text) === null);
  if (only !== undefined && more.length === 0) return commandOf(undressed(only.text.slice(0, LONGEST)));
  return amongLines(lines);
}

/** The command on a line of its own in what stands below another one: it was not heard, though somebody may think so. */
export function commandBelow(below: string): CommandName | null {
  return amongLines(readPage(below).lines);
}

/** Code among other words may well be what somebody wants in the file. */
function amongLines(lines: readonly PageLine[]): CommandName | null {
  const own = lines.filter(({ text, mark }) => mark !== 'code' && mark !== 'hidden' && beginsLikeOne(text));
  return own.map(({ text }) => commandOf(trimBlanks(text))).find((name) => name !== null) ?? null;
}

/** Cheap, so that many lines that begin with a slash cost next to nothing. */
function beginsLikeOne(line: string): boolean {
  return commandRow(NAME.exec(line)?.[1] ?? '') !== null;
}

function undressed(line: string): string {
  return line.replace(BEFORE, '').replace(BEHIND, '').replace(WRITTEN_SLASH, '/');
}

function commandOf(line: string): CommandName | null {
  const read = line.startsWith('/') ? readLine(line, '', '') : null;
  if (read?.kind === 'command') return read.command.name;
  return read?.kind === 'misfit' ? read.command : null;
}
