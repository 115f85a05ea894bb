import type { CommandName } from '../state/intent.ts';
import { type CommandGrammar, findCommand } from './command-grammar.ts';
import { parseCommandLine } from './command-parser.ts';
import { stripSignature, trimSpacesAndTabs } from './comment-body.ts';
import { parseProposalId } from './ids.ts';
import { parseOpeningFence } from './markdown-blocks.ts';
import { type MarkedLine, markLines } from './markdown-lines.ts';

const MAX_AFFIRMATION_CHARACTERS = 80;

/** Whether a text only says yes, in words or emoji, or is only a number. An e-mail signature below it is ignored. */
export function isAffirmation(text: string): boolean {
  const unsignedText = stripSignature(text);
  if (unsignedText.length > MAX_AFFIRMATION_CHARACTERS) return false;
  const words = unsignedText
    .toLowerCase()
    .replace(EMOJI, ' yes ')
    .replace(DECORATION, '')
    .replace(AFFIRMATIVE_PHRASES, 'yes')
    .split(/[\s.,;!~"'()]+/)
    .filter((word) => word !== '');
  if (words.length === 1 && /^\d+$/.test(words[0] ?? '')) return true;
  return words.some((word) => AFFIRMATIVE_WORDS.has(word)) && words.every(isAffirmativeOrFiller);
}

/** An affirmation is neither an approval nor an instruction: it gets a hint. */
const AFFIRMATIVE_WORDS: ReadonlySet<string> = new Set(
  [
    'yes yep yeah yup y ok okay k sure fine agreed great perfect nice please',
    'lgtm sgtm approve approved accept accepted thanks +1',
  ].flatMap((words) => words.split(' ')),
);

/** Words that add nothing to an affirmation. */
const FILLER_WORDS: ReadonlySet<string> = new Set(
  'i we it this that these all both the change changes now too'.split(' '),
);

const AFFIRMATIVE_PHRASES = /\b(?:looks|sounds) good(?: to me)?\b|\bship it\b|\bgo ahead\b|\bthank you\b/g;

const DECORATION = /[*_~`]|[\u{1F3FB}-\u{1F3FF}]|\uFE0F|\u200D|\u20E3/gu;

/** Also by name between colons. Every emoji counts as a yes, because none says what to change. */
const EMOJI = /:[a-z0-9_+-]{1,40}:|[\p{Extended_Pictographic}\p{Regional_Indicator}]/gu;

function isAffirmativeOrFiller(word: string): boolean {
  return AFFIRMATIVE_WORDS.has(word) || FILLER_WORDS.has(word) || parseProposalId(word) !== null;
}

/** Limits the work on one formatted line. */
const MAX_FORMATTED_COMMAND_CHARACTERS = 200;

/**
 * The command in a text that is not a command: on a line below other text, or alone but formatted (as code, bold, a
 * list item). It decides nothing there, and it is no instruction for the agent either.
 */
export function findMisplacedCommand(grammar: CommandGrammar, text: string): CommandName | null {
  const lines = markLines(text).lines.filter(({ mark }) => mark !== 'blank');
  const [only, ...more] = lines.filter((line) => parseOpeningFence(line.text) === null);
  if (only !== undefined && more.length === 0)
    return parseCommandName(grammar, stripFormatting(only.text.slice(0, MAX_FORMATTED_COMMAND_CHARACTERS)));
  return findCommandLine(grammar, lines);
}

/**
 * The first command on a line of its own in the text below another command. It has no effect, so it deserves a hint.
 */
export function findCommandBelow(grammar: CommandGrammar, below: string): CommandName | null {
  return findCommandLine(grammar, markLines(below).lines);
}

/** Skips code, which a person might want in the file. */
function findCommandLine(grammar: CommandGrammar, lines: readonly MarkedLine[]): CommandName | null {
  for (const { text, mark } of lines) {
    if (mark === 'code' || mark === 'hidden' || !startsWithCommand(grammar, text)) continue;
    const name = parseCommandName(grammar, trimSpacesAndTabs(text));
    if (name !== null) return name;
  }
  return null;
}

const COMMAND_START = /^ {0,3}\/([a-z]{3,20})(?![a-z])/i;

/** A cheap check before the parser, for comments with many lines that begin with a slash. */
function startsWithCommand(grammar: CommandGrammar, line: string): boolean {
  return findCommand(grammar, COMMAND_START.exec(line)?.[1] ?? '') !== null;
}

const FORMATTING_PREFIX = /^(?:[*_~`\\#+>-]|\d{1,9}[.)](?=[ \t])|[ \t])+/;

const FORMATTING_SUFFIX = /[*_~` \t]+$/;

const ESCAPED_SLASH = /^&(?:#47|#x2f|sol);/i;

function stripFormatting(line: string): string {
  return line.replace(FORMATTING_PREFIX, '').replace(FORMATTING_SUFFIX, '').replace(ESCAPED_SLASH, '/');
}

function parseCommandName(grammar: CommandGrammar, line: string): CommandName | null {
  const parsed = line.startsWith('/') ? parseCommandLine(grammar, line, '', '') : null;
  if (parsed?.kind === 'command') return parsed.command.name;
  return parsed?.kind === 'malformed-command' ? parsed.command : null;
}
