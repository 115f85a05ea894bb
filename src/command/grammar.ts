import { type Arguments, firstWord, joined, readArguments, type Words } from './arguments.ts';
import { OTHER_BLANK, trimBlanks } from './blanks.ts';
import { disguisedWord } from './disguise.ts';
import { type HintName, hintFor } from './hint.ts';
import type { Command, CommandName, Slashless, Utterance } from './intent.ts';
import { isOneSlip } from './one-slip.ts';
import { readIdAmongWords } from './proposal-name.ts';
import { type CommandRow, commandRow, commandTable, isPlanned } from './table.ts';

export type Misfit = Extract<Utterance, { kind: 'misfit' }>;

const COMMENT = '<!--';
const LONGEST_WORD = 60;
const BEHIND_NAME = new RegExp(`^(?:\\[bot\\])?(?:[ \\t,:${OTHER_BLANK}]|$)`, 'iu');

/**
 * Reads the first line of a comment, with what stands below it, as a command or a mention of `@slug`.
 * Null where it is neither: then the comment is a remark. The line is trimmed.
 */
export function readLine(line: string, below: string, slug: string): Utterance | null {
  const disguised = readDisguised(line, false);
  if (disguised !== null) return disguised;
  if (line.startsWith('/')) return readSlash(line.slice(1), below, false);
  const behind = behindMention(line, slug);
  return behind === null ? null : readMention(behind, below);
}

/** A misfit: a line that nearly is a command and decides nothing. `word` is cut where it is endless. */
export function misfit(command: CommandName | null, word: string, hint: HintName, addressed: boolean): Misfit {
  const shown = [...word.slice(0, 2 * LONGEST_WORD)].slice(0, LONGEST_WORD).join('');
  return { kind: 'misfit', command, word: shown, hint: hintFor(command, hint), addressed };
}

function readDisguised(line: string, addressed: boolean): Misfit | null {
  const word = disguisedWord(line);
  if (word === null) return null;
  const name = commandRow(word)?.name ?? null;
  return misfit(name, word, 'disguised', addressed || name === 'task');
}

function readSlash(line: string, below: string, addressed: boolean): Utterance | null {
  const { word, rest } = firstWord(line);
  const name = word.split(COMMENT)[0] ?? '';
  if (isPlanned(name)) return misfit(null, name, 'not-yet', addressed);
  const row = commandRow(name);
  if (row === null) return unknown(word, addressed);
  const isAddress = row.name === 'task';
  if (line.includes(COMMENT)) return misfit(row.name, COMMENT, 'html-comment', addressed || isAddress);
  if (!isAddress) return readCommand(row, { rest, below }, addressed);
  return addressed ? misfit('task', word, 'no-task', true) : readAddressed(row, { rest, below });
}

/** What stands behind `/countersign`: another command, a command's word without its slash, or a task. */
function readAddressed(row: CommandRow, words: Words): Utterance | null {
  const { rest, below } = words;
  const disguised = readDisguised(rest, true);
  if (disguised !== null) return disguised;
  if (rest.startsWith('/')) return readSlash(rest.slice(1), below, true);
  const bare = bareCommand(rest);
  if (bare === null) return readCommand(row, words, true);
  if (bare.id === null) return misfit('task', bare.word, 'no-slash', true);
  const command: Command = { name: 'task', text: joined(rest, below), slashless: { word: bare.word, id: bare.id } };
  return { kind: 'command', command, addressed: true };
}

function readMention(rest: string, below: string): Utterance {
  const disguised = readDisguised(rest, true);
  if (disguised !== null) return disguised;
  if (rest.includes(COMMENT)) return misfit('task', COMMENT, 'html-comment', true);
  const { word } = firstWord(rest);
  if (word.startsWith('/') && (commandRow(word.slice(1)) !== null || isPlanned(word.slice(1)))) {
    return misfit('task', word.slice(1), 'slash-behind-mention', true);
  }
  const text = joined(rest, below);
  if (text === '') return misfit('task', '', 'no-task', true);
  const bare = bareCommand(rest);
  if (bare === null) return { kind: 'mention', text };
  if (bare.id === null) return misfit('task', bare.word, 'no-slash', true);
  return { kind: 'mention', text, slashless: { word: bare.word, id: bare.id } };
}

/** What stands behind our name on a line that begins with it, or null. GitHub shows an App's name with and without `[bot]`. */
function behindMention(line: string, slug: string): string | null {
  const name = `@${slug}`.toLowerCase();
  if (slug === '' || line.slice(0, name.length).toLowerCase() !== name) return null;
  const behind = BEHIND_NAME.exec(line.slice(name.length));
  return behind === null ? null : trimBlanks(line.slice(name.length + behind[0].length));
}

/**
 * A command's word without its slash, alone or right before `all`, `always` or a number: surely no task. Before a word
 * formed like an id it depends on whether there is such a proposal: `edit utf8 strings` is a task.
 */
function bareCommand(rest: string): { readonly word: string; readonly id: Slashless['id'] | null } | null {
  const { word, rest: behind } = firstWord(rest);
  const name = withoutStop(word);
  if (commandRow(name) === null && !isPlanned(name)) return null;
  const next = firstWord(behind).word;
  if (next === '' || /^(?:all|always|\d+)$/i.test(withoutStop(next))) return { word: name, id: null };
  const id = readIdAmongWords(next);
  return id === null ? null : { word: name, id };
}

function withoutStop(word: string): string {
  return word.replace(/[.,:;!?]{1,3}$/, '');
}

function readCommand(row: CommandRow, words: Words, addressed: boolean): Utterance {
  const found = readArguments(row.argument, words);
  if (!found.fits) return misfit(row.name, found.word, found.hint, addressed);
  return { kind: 'command', command: built(row.name, found), addressed };
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
    case 'undo':
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
  if (isNameWithMark(word)) {
    return { kind: 'unknown-command', word: word.slice(0, LONGEST_WORD), nearest: 'task', addressed: true };
  }
  const nearest = commandTable.find((row) => row.words.some((own) => isOneSlip(own, word.toLowerCase())))?.name ?? null;
  if (!addressed && nearest === null && word.includes('/')) return null;
  return { kind: 'unknown-command', word: word.slice(0, LONGEST_WORD), nearest, addressed };
}

/** `/countersign: do it`: surely meant for us, and no task as it stands. `/countersign.yml` is a file. */
function isNameWithMark(word: string): boolean {
  const name = /^([^.,:;!?]{1,60})(?:[.,:;!?]{1,3}$|[,:;])/.exec(word)?.[1] ?? '';
  return commandRow(name)?.name === 'task';
}
