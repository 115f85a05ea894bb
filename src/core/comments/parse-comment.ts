import { isWithinOneEdit } from '../../lib/closest-name.ts';
import type { CommandName, ParsedComment, QuotedId } from '../state/intent.ts';
import { type CommandGrammar, findCommand } from './command-grammar.ts';
import { createMalformedCommand, type MalformedCommand, parseCommandLine } from './command-parser.ts';
import { type CommentParts, splitComment, stripSignature, trimSpacesAndTabs } from './comment-body.ts';
import { findQuotedIds, parseProposalId, readQuote } from './ids.ts';
import { parseOpeningFence } from './markdown-blocks.ts';
import { type MarkedLine, markLines } from './markdown-lines.ts';

/** The meaning of a comment, and the proposals that it quotes. */
type CommentParseResult = {
  readonly parsed: ParsedComment;
  readonly quotedIds: readonly QuotedId[];
  readonly quote: string | null;
};

/** Parses any comment in time linear in its length and never throws. `slug` is the App's own name. */
export function parseComment(grammar: CommandGrammar, body: string, slug: string): CommentParseResult {
  const parts = splitComment(body);
  const parsed = classifyComment(grammar, parts, slug);
  return { parsed, quotedIds: findQuotedIds(parts.quotedLines), quote: readQuote(parts.quotedLines) };
}

function classifyComment(grammar: CommandGrammar, parts: CommentParts, slug: string): ParsedComment {
  const parsed = parts.firstLine === null ? null : parseCommandLine(grammar, parts.firstLine, parts.textBelow, slug);
  if (parsed !== null)
    return rejectAmbiguousApproval(grammar, parts.isTruncated ? rejectTruncatedApproval(parsed) : parsed, parts);
  return detectLazyCommand(grammar, parts, slug) ?? toText(parts, slug);
}

/** The quotes of a truncated comment are incomplete, so an approval in it must name its ids. */
function rejectTruncatedApproval(parsed: ParsedComment): ParsedComment {
  if (parsed.kind !== 'command' || parsed.command.name !== 'approve' || parsed.command.targets.by === 'ids')
    return parsed;
  return createMalformedCommand('approve', '', 'too-long', parsed.addressedToApp);
}

/** An approval above a suggestion block or another command is ambiguous, so it decides nothing. */
function rejectAmbiguousApproval(grammar: CommandGrammar, parsed: ParsedComment, parts: CommentParts): ParsedComment {
  if (parsed.kind !== 'command' || parsed.command.name !== 'approve') return parsed;
  if (hasSuggestionBlock(parts))
    return createMalformedCommand('approve', 'suggestion', 'suggestion-below', parsed.addressedToApp);
  const other = findCommandBelow(grammar, parts.textBelow);
  return other === null
    ? parsed
    : createMalformedCommand('approve', `/${other}`, 'command-below', parsed.addressedToApp);
}

function hasSuggestionBlock({ suggestions, hasUnclosedSuggestion }: CommentParts): boolean {
  return suggestions.length > 0 || hasUnclosedSuggestion;
}

/** A command right below a quote is rendered as part of the quote, so its author gets a hint. */
function detectLazyCommand(
  grammar: CommandGrammar,
  { lazyContinuation }: CommentParts,
  slug: string,
): ParsedComment | null {
  const lazyCommand = lazyContinuation === null ? null : parseCommandLine(grammar, lazyContinuation, '', slug);
  const intended = lazyCommand === null ? null : intendedCommand(lazyCommand);
  return intended === null
    ? null
    : createMalformedCommand(intended.command, '>', 'lazy-continuation', intended.addressedToApp);
}

function intendedCommand(parsed: ParsedComment): Pick<MalformedCommand, 'command' | 'addressedToApp'> | null {
  switch (parsed.kind) {
    case 'command':
      return { command: parsed.command.name, addressedToApp: parsed.addressedToApp };
    case 'malformed-command':
      return parsed;
    case 'mention':
      return { command: 'task', addressedToApp: true };
    case 'unknown-command':
    case 'text':
      return null;
  }
}

function toText(parts: CommentParts, slug: string): ParsedComment {
  const { text, suggestions, isSuggestionAlone, hasUnclosedSuggestion } = parts;
  return {
    kind: 'text',
    text: stripSignature(text) === '' ? '' : text,
    addressedToSomeoneElse: isAddressedToSomeoneElse(text, slug),
    affirmation: !hasSuggestionBlock(parts) && isAffirmation(text),
    suggestions,
    isSuggestionAlone,
    hasUnclosedSuggestion,
  };
}

function isAddressedToSomeoneElse(text: string, slug: string): boolean {
  const name = /^@([a-z0-9](?:[a-z0-9/_-]{0,150}))/i.exec(text)?.[1];
  return name !== undefined && name.toLowerCase() !== slug.toLowerCase();
}

const MAX_AFFIRMATION_CHARACTERS = 80;

/** Whether a text only says yes, in words or emoji, or is only a number. An e-mail signature below it is ignored. */
function isAffirmation(text: string): boolean {
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

/** Words that decide in a command. Alone and without the slash they decide nothing, and neither do their typos. */
const DECIDING_WORDS: readonly string[] =
  'approve approves approved accept accepted deny denied denies reject rejected'.split(' ');

const REFUSALS: ReadonlySet<string> = new Set(['no', 'nope', 'nah', 'no thanks', 'no thank you']);

/** Whether a reply is only a word like a decision, or a bare refusal. It names no wish that the agent could follow. */
export function isUnclearDecision(text: string): boolean {
  const words = stripSignature(text);
  if (words.length > MAX_AFFIRMATION_CHARACTERS) return false;
  const plain = words
    .toLowerCase()
    .replace(DECORATION, '')
    .replace(/[\s.,;!]+/g, ' ')
    .trim();
  return REFUSALS.has(plain) || DECIDING_WORDS.some((word) => word === plain || isWithinOneEdit(word, plain));
}

const BARE_NUMBER = /^\d{1,3}$/;

/** The command that a text means which is only its word without the slash, or only the number of a choice. */
export function bareCommand(grammar: CommandGrammar, text: string): CommandName | null {
  const word = stripSignature(text);
  return BARE_NUMBER.test(word) ? 'answer' : (findCommand(grammar, word)?.name ?? null);
}

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
function findCommandBelow(grammar: CommandGrammar, below: string): CommandName | null {
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
