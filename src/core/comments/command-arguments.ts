import type { AlwaysRequest, Targets } from '../state/intent.ts';
import type { ArgumentForm, CommandArguments, HintName } from './command-grammar.ts';
import { trimSpacesAndTabs, UNICODE_SPACES } from './comment-body.ts';
import { parseProposalId, parsePunctuatedId } from './ids.ts';

/** The text below a command's line: all of it, and the lines right below up to a blank or quoted one. */
export type BelowText = { readonly textBelow: string; readonly linesBelow: string };

/** The rest of a command's line, trimmed, and the lines below. */
export type CommandText = { readonly rest: string; readonly below: BelowText };

/** The text around a command word: the rest of its line, trimmed, and the lines below. */
type ArgumentText = { readonly rest: string; readonly below: string };

/** `word` is the first word that does not fit, empty where one is missing. */
type InvalidArguments = { readonly isValid: false; readonly word: string; readonly hint: HintName };

type FormResult =
  | {
      readonly isValid: true;
      readonly targets: Targets;
      readonly text: string;
      readonly always: AlwaysRequest | null;
    }
  | InvalidArguments;

type ArgumentsResult = ({ readonly isValid: true } & CommandArguments) | InvalidArguments;

/** Parses the text after a command word by the command's form. */
export function parseArguments(form: ArgumentForm, rest: string, below: BelowText): ArgumentsResult {
  const words = { rest, below: OWN_LINES_ONLY.has(form) ? below.linesBelow : below.textBelow };
  const result = FORM_PARSERS[form](words);
  return result.isValid
    ? { ...result, fullText: joinArgumentText(words.rest, words.below), below: words.below }
    : result;
}

/** A decision's words stand right below it: what follows a blank line is for other readers. */
const OWN_LINES_ONLY: ReadonlySet<ArgumentForm> = new Set(['ids-or-always', 'ids-and-reason']);

const FORM_PARSERS: { readonly [Form in ArgumentForm]: (words: ArgumentText) => FormResult } = {
  task: parseTask,
  'ids-or-always': parseIdsOrAlways,
  'ids-and-reason': parseReason,
  'ids-and-instruction': parseInstruction,
  'one-id': parseOneId,
  question: parseQuestion,
  'id-and-text': parseIdAndText,
  number: parseNumber,
  note: parseNote,
  nothing: parseNoArguments,
};

function parseTask({ rest, below }: ArgumentText): FormResult {
  return rest === '' ? rejectArguments('', 'no-task') : acceptArguments({ by: 'location' }, rest, below);
}

function parseIdsOrAlways({ rest, below }: ArgumentText): FormResult {
  if (rest === '') return acceptArguments({ by: 'location' }, '', below);
  const words = rest.split(/[ \t,]+/).map((word) => /^`([^`]*)`$/.exec(word)?.[1] ?? word);
  const at = words.findIndex((word) => word.toLowerCase() === 'always');
  return at === -1
    ? parseIdsOnly(
        words.filter((word) => word !== ''),
        below,
      )
    : parseAlways(words.slice(0, at), words.slice(at + 1), below);
}

/** At most one id before the word, and one glob behind it: nobody approves in advance by a slip. */
function parseAlways(ids: readonly string[], globs: readonly string[], below: string): FormResult {
  const [id, second] = ids;
  if (id !== undefined && parseProposalId(id) === null) return rejectArguments(id, 'always-one-id');
  if (second !== undefined) return rejectArguments(second, 'always-one-id');
  const [glob = null, ...more] = globs;
  const invalidWord = glob !== null && !/[/.*]/.test(glob) ? glob : more[0];
  if (invalidWord !== undefined) return rejectArguments(invalidWord, 'always-one-glob');
  return acceptArguments(id === undefined ? { by: 'location' } : targetIds([id]), '', below, { glob });
}

function parseIdsOnly(words: readonly string[], below: string): FormResult {
  const [first = '', ...others] = words;
  if (isAllKeyword(first) && others.length === 0) return acceptArguments({ by: 'all' }, '', below);
  const invalidWord = isAllKeyword(first) ? others[0] : words.find((word) => parseProposalId(word) === null);
  if (invalidWord !== undefined) return rejectArguments(invalidWord, 'ids-only');
  return acceptArguments(targetIds(words), '', below);
}

function parseReason(words: ArgumentText): FormResult {
  return parseAllAndText(words) ?? parseIdsAndText(words);
}

function parseInstruction(words: ArgumentText): FormResult {
  const result = parseAllAndText(words) ?? parseIdsAndText(words);
  return result.isValid && result.text === '' ? rejectArguments('', 'no-instruction') : result;
}

/** `all`, also with punctuation behind it, and the text after it; null if the first word is another one. */
function parseAllAndText({ rest, below }: ArgumentText): FormResult | null {
  const { word, rest: text } = splitFirstWord(rest);
  return isAllKeyword(word.replace(/[.,:;!]{1,3}$/, '')) ? acceptArguments({ by: 'all' }, text, below) : null;
}

function parseOneId({ rest }: ArgumentText): FormResult {
  if (rest === '') return acceptArguments({ by: 'location' }, '', '');
  const { word, rest: remainder } = splitFirstWord(rest);
  const invalidWord = parseProposalId(word) === null ? word : splitFirstWord(remainder).word;
  return invalidWord === '' ? acceptArguments(targetIds([word]), '', '') : rejectArguments(invalidWord, 'one-id');
}

function parseQuestion({ rest, below }: ArgumentText): FormResult {
  return joinArgumentText(rest, below) === ''
    ? rejectArguments('', 'no-question')
    : acceptArguments({ by: 'location' }, rest, below);
}

/** One leading id, also with punctuation around it; the rest is kept as it is. */
function parseIdAndText({ rest, below }: ArgumentText): FormResult {
  const { word, rest: text } = splitFirstWord(rest);
  const id = parsePunctuatedId(word);
  if (joinArgumentText(rest, below) === '') return rejectArguments('', 'no-answer');
  return id === null
    ? acceptArguments({ by: 'location' }, rest, below)
    : acceptArguments({ by: 'ids', ids: [id] }, text, below);
}

/** `text` is the number. */
function parseNumber({ rest }: ArgumentText): FormResult {
  return /^\d{1,6}$/.test(rest)
    ? acceptArguments({ by: 'location' }, rest, '')
    : rejectArguments(splitFirstWord(rest).word, 'one-standing-approval');
}

/** The command stands alone on its line; words for the agent can follow below. */
function parseNote({ rest, below }: ArgumentText): FormResult {
  return rest === ''
    ? acceptArguments({ by: 'location' }, '', below)
    : rejectArguments(splitFirstWord(rest).word, 'note-below');
}

function parseNoArguments({ rest }: ArgumentText): FormResult {
  return rest === ''
    ? acceptArguments({ by: 'location' }, '', '')
    : rejectArguments(splitFirstWord(rest).word, 'no-arguments');
}

/**
 * Leading words in the form of an id are ids, also with punctuation around them; the rest is text.
 * If `k7q2:` counted as text, the command would apply to every other change.
 */
function parseIdsAndText({ rest, below }: ArgumentText): FormResult {
  const { ids, end } = splitLeadingIds(rest);
  if (ids.length === 0) return acceptArguments({ by: 'location' }, rest, below);
  return acceptArguments({ by: 'ids', ids }, trimSpacesAndTabs(rest.slice(end)), below);
}

const ARGUMENT_WORD = new RegExp(`[^ \\t,;${UNICODE_SPACES}]+[,;]?`, 'gu');

/** The words and signs that can separate ids in a sentence. */
const ID_SEPARATOR = /^(?:and|[&+]),?$/i;

function splitLeadingIds(rest: string): { readonly ids: readonly string[]; readonly end: number } {
  const ids = new Set<string>();
  let end = 0;
  for (const { 0: word, index } of rest.matchAll(ARGUMENT_WORD)) {
    const id = parsePunctuatedId(word);
    if (id === null && (ids.size === 0 || !ID_SEPARATOR.test(word))) break;
    if (id === null) continue;
    ids.add(id);
    end = index + word.length;
  }
  return { ids: [...ids], end };
}

function acceptArguments(
  targets: Targets,
  text: string,
  below: string,
  always: AlwaysRequest | null = null,
): FormResult {
  return { isValid: true, targets, text: joinArgumentText(text, below), always };
}

function rejectArguments(word: string, hint: HintName): FormResult {
  return { isValid: false, word, hint };
}

function targetIds(words: readonly string[]): Targets {
  return { by: 'ids', ids: [...new Set(words.flatMap((word) => parseProposalId(word) ?? []))] };
}

function isAllKeyword(word: string): boolean {
  return word.toLowerCase() === 'all';
}

/** The rest of the line and the lines below, as one trimmed text. */
export function joinArgumentText(rest: string, below: string): string {
  return `${rest}\n${below}`.trim();
}

/** The first word of a line and the text after it, trimmed. Only spaces and tabs separate words. */
export function splitFirstWord(line: string): { readonly word: string; readonly rest: string } {
  const end = line.search(/[ \t]/);
  if (end === -1) return { word: line, rest: '' };
  return { word: line.slice(0, end), rest: trimSpacesAndTabs(line.slice(end)) };
}
