import { isWithinOneEdit } from '../../lib/closest-name.ts';
import type { CommandName, MissingSlash, ParsedComment } from '../state/intent.ts';
import {
  type BelowText,
  type CommandText,
  joinArgumentText,
  parseArguments,
  splitFirstWord,
} from './command-arguments.ts';
import { type CommandGrammar, type CommandSyntax, findCommand, type HintName, hintText } from './command-grammar.ts';
import { trimSpacesAndTabs, UNICODE_SPACES } from './comment-body.ts';
import { parsePunctuatedId } from './ids.ts';

export type MalformedCommand = Extract<ParsedComment, { kind: 'malformed-command' }>;

const HTML_COMMENT_START = '<!--';

const MAX_WORD_CHARACTERS = 60;

/**
 * Parses the first line of a comment, which is trimmed, and the text below it as a command or a mention of `@slug`.
 * Null for any other text.
 */
export function parseCommandLine(
  grammar: CommandGrammar,
  text: string,
  below: BelowText,
  slug: string,
): ParsedComment | null {
  const lookalike = detectLookalike(grammar, text, false);
  if (lookalike !== null) return lookalike;
  if (text.startsWith('/')) return parseSlashCommand(grammar, text.slice(1), below, false);
  const remainder = textAfterMention(text, slug);
  return remainder === null ? null : parseMention(grammar, remainder, below);
}

/** A line that is close to a command but has no effect. `word` is truncated. */
export function createMalformedCommand(
  command: CommandName | null,
  word: string,
  hint: HintName,
  addressedToApp: boolean,
): MalformedCommand {
  return { kind: 'malformed-command', command, word: truncateWord(word), hint: hintText(hint), addressedToApp };
}

function truncateWord(word: string): string {
  return [...word.slice(0, 2 * MAX_WORD_CHARACTERS)].slice(0, MAX_WORD_CHARACTERS).join('');
}

function parseSlashCommand(
  grammar: CommandGrammar,
  text: string,
  below: BelowText,
  addressed: boolean,
): ParsedComment | null {
  const { word, rest } = splitFirstWord(text);
  const name = word.split(HTML_COMMENT_START)[0] ?? '';
  const command = findCommand(grammar, name);
  if (command === null) return parseUnknownCommand(grammar, word, addressed);
  const isAddress = command.name === 'task';
  if (text.includes(HTML_COMMENT_START))
    return createMalformedCommand(command.name, HTML_COMMENT_START, 'html-comment', addressed || isAddress);
  if (!isAddress) return parseCommand(command, { rest, below }, addressed);
  return addressed
    ? createMalformedCommand('task', word, 'no-task', true)
    : parseAfterCountersign(grammar, command, { rest, below });
}

/** The text after `/countersign`: another command, a command word without its slash, or a task. */
function parseAfterCountersign(grammar: CommandGrammar, task: CommandSyntax, words: CommandText): ParsedComment | null {
  const { rest, below } = words;
  const lookalike = detectLookalike(grammar, rest, true);
  if (lookalike !== null) return lookalike;
  if (rest.startsWith('/')) return parseSlashCommand(grammar, rest.slice(1), below, true);
  const withoutSlash = parseWithoutSlash(grammar, words);
  if (withoutSlash !== null) return withoutSlash;
  const missingSlash = detectMissingSlash(grammar, rest);
  if (missingSlash === null) return parseCommand(task, words, true);
  const { word, id } = missingSlash;
  if (id === null) return createMalformedCommand('task', word, 'missing-slash', true);
  const text = joinArgumentText(rest, below.textBelow);
  return { kind: 'command', command: { name: 'task', text, missingSlash: { word, id } }, addressedToApp: true };
}

/** The task is to ask somebody: `ask me whether …`. */
const ASKS_PEOPLE = /^(?:me|us|@\S+)(?!\S)/i;

/** `/countersign ask why?` is a question; the word alone gets the hint for a missing slash. */
function parseWithoutSlash(grammar: CommandGrammar, { rest, below }: CommandText): ParsedComment | null {
  const { word, rest: remainder } = splitFirstWord(rest);
  const command = findCommand(grammar, stripPunctuation(word));
  if (command?.needsNoSlash !== true || ASKS_PEOPLE.test(remainder)) return null;
  if (joinArgumentText(remainder, below.textBelow) === '') return null;
  return parseCommand(command, { rest: remainder, below }, true);
}

function parseMention(grammar: CommandGrammar, rest: string, below: BelowText): ParsedComment {
  const lookalike = detectLookalike(grammar, rest, true);
  if (lookalike !== null) return lookalike;
  if (rest.includes(HTML_COMMENT_START))
    return createMalformedCommand('task', HTML_COMMENT_START, 'html-comment', true);
  const { word: firstWord } = splitFirstWord(rest);
  if (firstWord.startsWith('/') && isCommandWord(grammar, firstWord.slice(1)))
    return createMalformedCommand('task', firstWord.slice(1), 'command-after-mention', true);
  const text = joinArgumentText(rest, below.textBelow);
  if (text === '') return createMalformedCommand('task', '', 'no-task', true);
  const withoutSlash = parseWithoutSlash(grammar, { rest, below });
  if (withoutSlash !== null) return withoutSlash;
  const missingSlash = detectMissingSlash(grammar, rest);
  if (missingSlash === null) return { kind: 'mention', text };
  const { word, id } = missingSlash;
  if (id === null) return createMalformedCommand('task', word, 'missing-slash', true);
  return { kind: 'mention', text, missingSlash: { word, id } };
}

const AFTER_APP_NAME = new RegExp(`^(?:\\[bot\\])?(?:[ \\t,:${UNICODE_SPACES}]|$)`, 'iu');

/**
 * The text after the App's name, or null if the line does not begin with it. GitHub shows the name with and without
 * `[bot]`.
 */
function textAfterMention(text: string, slug: string): string | null {
  const name = `@${slug}`.toLowerCase();
  if (slug === '' || text.slice(0, name.length).toLowerCase() !== name) return null;
  const remainder = AFTER_APP_NAME.exec(text.slice(name.length));
  return remainder === null ? null : trimSpacesAndTabs(text.slice(name.length + remainder[0].length));
}

function parseCommand(command: CommandSyntax, words: CommandText, addressedToApp: boolean): ParsedComment {
  const args = parseArguments(command.argument, words.rest, words.below);
  if (args.isValid) return { kind: 'command', command: command.read(args), addressedToApp };
  return {
    kind: 'malformed-command',
    command: command.name,
    word: truncateWord(args.word),
    hint: hintText(args.hint, command.syntax),
    addressedToApp,
  };
}

/** A path such as `/src/main.ts` is text unless it is addressed to the App. */
function parseUnknownCommand(grammar: CommandGrammar, word: string, addressedToApp: boolean): ParsedComment | null {
  const shown = word.slice(0, MAX_WORD_CHARACTERS);
  if (isAddressWithPunctuation(grammar, word))
    return { kind: 'unknown-command', word: shown, nearest: 'task', addressedToApp: true };
  const typed = word.toLowerCase();
  const nearest = grammar.commands.find(({ words }) => words.some((one) => isWithinOneEdit(one, typed)))?.name ?? null;
  if (!addressedToApp && nearest === null && word.includes('/')) return null;
  return { kind: 'unknown-command', word: shown, nearest, addressedToApp };
}

/** `/countersign: do it` is addressed to the App, but is no task. `/countersign.yml` is a file. */
function isAddressWithPunctuation(grammar: CommandGrammar, word: string): boolean {
  const name = /^([^.,:;!?]{1,60})(?:[.,:;!?]{1,3}$|[,:;])/.exec(word)?.[1] ?? '';
  return findCommand(grammar, name)?.name === 'task';
}

/**
 * Detects a command word without its slash, alone or right before `all`, `always` or a number: that is no task.
 * Before a word in the form of an id it depends on the proposals: `edit utf8 strings` is a task.
 */
function detectMissingSlash(
  grammar: CommandGrammar,
  rest: string,
): { readonly word: string; readonly id: MissingSlash['id'] | null } | null {
  const { word: firstWord, rest: remainder } = splitFirstWord(rest);
  const word = stripPunctuation(firstWord);
  if (!isCommandWord(grammar, word)) return null;
  const next = splitFirstWord(remainder).word;
  if (next === '' || /^(?:all|always|\d+)$/i.test(stripPunctuation(next))) return { word, id: null };
  const id = parsePunctuatedId(next);
  return id === null ? null : { word, id };
}

function stripPunctuation(word: string): string {
  return word.replace(/[.,:;!?]{1,3}$/, '');
}

function isCommandWord(grammar: CommandGrammar, word: string): boolean {
  return findCommand(grammar, word) !== null;
}

const UNICODE_SPACE = new RegExp(`[${UNICODE_SPACES}]`, 'u');

const INVISIBLE_CHARACTERS = new RegExp(
  `[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\uFFFD${UNICODE_SPACES}]`,
  'gu',
);

const SLASH_LOOKALIKE = /^[\u2044\u2215\u2571\u27CB\u29F8\uFF0F]/u;

const MAX_LOOKALIKE_CHARACTERS = 60;

/** A line that looks like a command on GitHub must not become an instruction for the agent. */
function detectLookalike(grammar: CommandGrammar, text: string, addressed: boolean): MalformedCommand | null {
  const word = findLookalikeWord(grammar, text);
  if (word === null) return null;
  const name = findCommand(grammar, word)?.name ?? null;
  return createMalformedCommand(name, word, 'lookalike', addressed || name === 'task');
}

/**
 * The command word of a line with hidden characters in it, with a Unicode space after it, or with a slash lookalike.
 */
function findLookalikeWord(grammar: CommandGrammar, line: string): string | null {
  const { word } = splitFirstWord(line.slice(0, MAX_LOOKALIKE_CHARACTERS));
  const parts = word.split(UNICODE_SPACE).map((part) => part.replace(INVISIBLE_CHARACTERS, ''));
  const readings = [
    word.replace(INVISIBLE_CHARACTERS, ''),
    parts.find((part) => part !== '') ?? '',
    ...word.split(INVISIBLE_CHARACTERS).slice(0, 1),
  ];
  for (const reading of readings) {
    const withSlash = reading.replace(SLASH_LOOKALIKE, '/');
    const name = withSlash.slice(1);
    if (withSlash !== word && withSlash.startsWith('/') && isCommandWord(grammar, name)) return name;
  }
  return null;
}
