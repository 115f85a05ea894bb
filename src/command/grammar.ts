import { type Arguments, firstWord, joined, readArguments, type Words } from './arguments.ts';
import { trimBlanks } from './blanks.ts';
import { disguisedWord } from './disguise.ts';
import { type HintName, hintFor } from './hint.ts';
import type { Command, CommandName, Utterance } from './intent.ts';
import { isOneSlip } from './one-slip.ts';
import { readId } from './proposal-name.ts';
import { type CommandRow, commandRow, commandTable, isPlanned } from './table.ts';

const COMMENT = '<!--';
const LONGEST_WORD = 60;

/**
 * Reads the first line of a comment, with what stands below it, as a command or a mention of `@slug`.
 * Null where it is neither: then the comment is a remark. The line is trimmed.
 */
export function readLine(line: string, below: string, slug: string): Utterance | null {
  const disguised = disguisedWord(line);
  if (disguised !== null) return misfit(commandRow(disguised)?.name ?? 'help', disguised, 'disguised');
  if (line.startsWith('/')) return readSlash(line.slice(1), below, false);
  const behind = behindMention(line, slug);
  return behind === null ? null : readMention(behind, below);
}

/** A misfit: a line that nearly is a command and decides nothing. `word` is cut where it is endless. */
export function misfit(command: CommandName, word: string, hint: HintName): Extract<Utterance, { kind: 'misfit' }> {
  const shown = [...word.slice(0, 2 * LONGEST_WORD)].slice(0, LONGEST_WORD).join('');
  return { kind: 'misfit', command, word: shown, hint: hintFor(command, hint) };
}

function readSlash(line: string, below: string, addressed: boolean): Utterance | null {
  const { word, rest } = firstWord(line);
  const name = word.split(COMMENT)[0] ?? '';
  const row = commandRow(name);
  if (row === null)
    return isPlanned(name) ? misfit(addressed ? 'task' : 'help', name, 'not-yet') : unknown(word, addressed);
  if (line.includes(COMMENT)) return misfit(row.name, COMMENT, 'html-comment');
  if (row.name !== 'task') return readCommand(row, { rest, below });
  return addressed ? misfit('task', word, 'no-task') : readAddressed(row, { rest, below });
}

/** What stands behind `/countersign`: another command, a command's word without its slash, or a task. */
function readAddressed(row: CommandRow, words: Words): Utterance | null {
  const { rest, below } = words;
  if (rest.startsWith('/')) return readSlash(rest.slice(1), below, true);
  const bare = bareCommand(rest);
  return bare === null ? readCommand(row, words) : misfit('task', bare, 'no-slash');
}

function readMention(rest: string, below: string): Utterance {
  if (rest.includes(COMMENT)) return misfit('task', COMMENT, 'html-comment');
  const { word } = firstWord(rest);
  if (word.startsWith('/') && (commandRow(word.slice(1)) !== null || isPlanned(word.slice(1)))) {
    return misfit('task', word.slice(1), 'slash-behind-mention');
  }
  const bare = bareCommand(rest);
  if (bare !== null) return misfit('task', bare, 'no-slash');
  const text = joined(rest, below);
  return text === '' ? misfit('task', '', 'no-task') : { kind: 'mention', text };
}

/** What stands behind our name on a line that begins with it, or null. GitHub shows an App's name with and without `[bot]`. */
function behindMention(line: string, slug: string): string | null {
  const name = `@${slug}`.toLowerCase();
  if (slug === '' || line.slice(0, name.length).toLowerCase() !== name) return null;
  const behind = /^(?:\[bot\])?(?:[ \t,:]|$)/i.exec(line.slice(name.length));
  return behind === null ? null : trimBlanks(line.slice(name.length + behind[0].length));
}

/** A command's word without its slash, alone or right before an id, `all`, `always` or a number: surely no task. */
function bareCommand(rest: string): string | null {
  const { word, rest: behind } = firstWord(rest);
  const name = word.replace(/[.,:;!?]{1,3}$/, '');
  if (commandRow(name) === null && !isPlanned(name)) return null;
  const next = firstWord(behind).word;
  return next === '' || readId(next) !== null || /^(?:all|always|\d+)$/i.test(next) ? name : null;
}

function readCommand(row: CommandRow, words: Words): Utterance {
  const found = readArguments(row.argument, words);
  if (!found.fits) return misfit(row.name, found.word, found.hint);
  return { kind: 'command', command: built(row.name, found) };
}

function built(name: CommandName, { targets, text, line }: Arguments): Command {
  switch (name) {
    case 'task':
      return { name, text };
    case 'approve':
      return { name, targets, note: text };
    case 'deny':
      return { name, targets, reason: text, line };
    case 'edit':
      return { name, targets, instruction: text, line };
    case 'ask':
      return { name, text };
    case 'show':
      return { name, targets };
    case 'continue':
    case 'stop':
    case 'resume':
    case 'status':
    case 'help':
      return { name };
  }
}

/** A path such as `/src/main.ts` that nobody addressed to us is plain words. */
function unknown(word: string, addressed: boolean): Utterance | null {
  const nearest = commandTable.find((row) => row.words.some((own) => isOneSlip(own, word.toLowerCase())))?.name ?? null;
  if (!addressed && nearest === null && word.includes('/')) return null;
  return { kind: 'unknown-command', word: word.slice(0, LONGEST_WORD), nearest, addressed };
}
