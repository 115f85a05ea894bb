import { OTHER_BLANK, trimBlanks } from './blanks.ts';
import type { HintName } from './hint.ts';
import type { Targets } from './intent.ts';
import { readId, readIdAmongWords } from './proposal-name.ts';
import type { ArgumentForm } from './table.ts';

/** What stands behind a command's word: the rest of its line, trimmed, and the lines below. */
export type Words = { readonly rest: string; readonly below: string };

/** What a form found in the words. `text` is the task, note, reason or instruction; `line` all that was said. */
export type Arguments = { readonly targets: Targets; readonly text: string; readonly line: string };

/** Words that do not fit a form: the first that is wrong (empty: one is missing), and why. */
export type Wrong = { readonly word: string; readonly hint: HintName };

export type ReadArguments = ({ readonly fits: true } & Arguments) | Misfitting;

type Found = { readonly fits: true; readonly targets: Targets; readonly text: string } | Misfitting;
type Misfitting = { readonly fits: false } & Wrong;

const FORMS: { readonly [Form in ArgumentForm]: (words: Words) => Found } = {
  task: readTask,
  'ids-only': readIdsOnly,
  'ids-and-reason': readReason,
  'ids-and-instruction': readInstruction,
  'one-id': readOneId,
  question: readQuestion,
  nothing: readNothing,
};

const WORD = new RegExp(`[^ \\t,;${OTHER_BLANK}]+[,;]?`, 'gu');
/** What may part ids in a sentence. */
const BETWEEN = /^(?:and|[&+]),?$/i;

/** Reads the words behind a command's word by the command's form. */
export function readArguments(form: ArgumentForm, words: Words): ReadArguments {
  const found = FORMS[form](words);
  return found.fits ? { ...found, line: joined(words.rest, words.below) } : found;
}

/** The first word of a line and what stands behind it, trimmed. Only spaces and tabs part words. */
export function firstWord(line: string): { readonly word: string; readonly rest: string } {
  const end = line.search(/[ \t]/);
  if (end === -1) return { word: line, rest: '' };
  return { word: line.slice(0, end), rest: trimBlanks(line.slice(end)) };
}

function readTask({ rest, below }: Words): Found {
  return rest === '' ? wrong('', 'no-task') : fits({ by: 'place' }, rest, below);
}

function readIdsOnly({ rest, below }: Words): Found {
  if (rest === '') return fits({ by: 'place' }, '', below);
  const words = rest.split(/[ \t]+/);
  if (words.length === 1 && isAll(rest)) return fits({ by: 'all' }, '', below);
  const bad = words.find((word) => readId(word) === null);
  if (bad !== undefined) return wrong(bad, bad.toLowerCase() === 'always' ? 'no-always' : 'ids-only');
  return fits(named(words), '', below);
}

function readReason(words: Words): Found {
  if (isAll(words.rest)) return fits({ by: 'all' }, '', words.below);
  return readNamed(words);
}

function readInstruction(words: Words): Found {
  const { word, rest } = firstWord(words.rest);
  const found = isAll(word) ? fits({ by: 'all' }, rest, words.below) : readNamed(words);
  return found.fits && found.text === '' ? wrong('', 'no-instruction') : found;
}

function readOneId({ rest }: Words): Found {
  if (rest === '') return fits({ by: 'place' }, '', '');
  const { word, rest: behind } = firstWord(rest);
  const bad = readId(word) === null ? word : firstWord(behind).word;
  return bad === '' ? fits(named([word]), '', '') : wrong(bad, 'one-id');
}

function readQuestion({ rest, below }: Words): Found {
  return joined(rest, below) === '' ? wrong('', 'no-question') : fits({ by: 'place' }, rest, below);
}

function readNothing({ rest }: Words): Found {
  return rest === '' ? fits({ by: 'place' }, '', '') : wrong(firstWord(rest).word, 'nothing-behind');
}

/**
 * Leading words formed like ids are ids, also with the marks of a sentence around them; what follows is text. Taken for
 * text, `k7q2:` would let the words be about every other change.
 */
function readNamed({ rest, below }: Words): Found {
  const { ids, end } = leadingIds(rest);
  if (ids.length === 0) return fits({ by: 'place' }, rest, below);
  return fits({ by: 'ids', ids }, trimBlanks(rest.slice(end)), below);
}

function leadingIds(rest: string): { readonly ids: readonly string[]; readonly end: number } {
  const ids = new Set<string>();
  let end = 0;
  for (const { 0: word, index } of rest.matchAll(WORD)) {
    const id = readIdAmongWords(word);
    if (id === null && (ids.size === 0 || !BETWEEN.test(word))) break;
    if (id === null) continue;
    ids.add(id);
    end = index + word.length;
  }
  return { ids: [...ids], end };
}

function fits(targets: Targets, text: string, below: string): Found {
  return { fits: true, targets, text: joined(text, below) };
}

function wrong(word: string, hint: HintName): Found {
  return { fits: false, word, hint };
}

/** What stands on the line and below it, as one text. */
export function joined(rest: string, below: string): string {
  return `${rest}\n${below}`.trim();
}

function named(words: readonly string[]): Targets {
  return { by: 'ids', ids: [...new Set(words.flatMap((word) => readId(word) ?? []))] };
}

function isAll(word: string): boolean {
  return word.toLowerCase() === 'all';
}
