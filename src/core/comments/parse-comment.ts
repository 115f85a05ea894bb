import type { CommandName, ParsedComment, QuotedId } from '../state/intent.ts';
import { type CommandGrammar, findCommand } from './command-grammar.ts';
import { createMalformedCommand, type MalformedCommand, parseCommandLine } from './command-parser.ts';
import { type CommentParts, splitComment, trimSpacesAndTabs } from './comment-body.ts';
import { findQuotedIds, readQuote } from './ids.ts';
import { parseOpeningFence } from './markdown-blocks.ts';
import { type MarkedLine, markLines } from './markdown-lines.ts';

/** The meaning of a comment, and the proposals that it quotes. */
type CommentParseResult = {
  readonly parsed: ParsedComment;
  readonly quotedIds: readonly QuotedId[];
  readonly quote: string | null;
};

const NOTHING_BELOW = { textBelow: '', linesBelow: '' };

/** Parses any comment in time linear in its length and never throws. `slug` is the App's own name. */
export function parseComment(grammar: CommandGrammar, body: string, slug: string): CommentParseResult {
  const parts = splitComment(body);
  const parsed = classifyComment(grammar, parts, slug);
  return { parsed, quotedIds: findQuotedIds(parts.quotedLines), quote: readQuote(parts.quotedLines) };
}

function classifyComment(grammar: CommandGrammar, parts: CommentParts, slug: string): ParsedComment {
  const parsed = parts.firstLine === null ? null : parseCommandLine(grammar, parts.firstLine, parts, slug);
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
  const lazyCommand =
    lazyContinuation === null ? null : parseCommandLine(grammar, lazyContinuation, NOTHING_BELOW, slug);
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
    text,
    addressedToSomeoneElse: isAddressedToSomeoneElse(text, slug),
    affirmation: !hasSuggestionBlock(parts) && isConsent(text),
    suggestions,
    isSuggestionAlone,
    hasUnclosedSuggestion,
  };
}

function isAddressedToSomeoneElse(text: string, slug: string): boolean {
  const name = /^@([a-z0-9](?:[a-z0-9/_-]{0,150}))/i.exec(text)?.[1];
  return name !== undefined && name.toLowerCase() !== slug.toLowerCase();
}

/** Short affirmations in ten languages. Each of them, or several in a row, decides nothing and is no instruction. */
const AFFIRMATIONS: ReadonlySet<string> = new Set(
  [
    'yes/y/yep/yeah/yup/ok/okay/k/sure/fine/agreed/great/perfect/nice/please/lgtm/sgtm/thanks/thank you',
    'approve/approved/accept/accepted/looks good/looks good to me/sounds good/ship it/go ahead/do it',
    'ja/jawohl/passt/einverstanden/genehmigt/danke/sieht gut aus/oui/d accord/approuvé/parfait/merci',
    'sí/si/vale/de acuerdo/aprobado/gracias/sim/aprovado/de acordo/obrigado/obrigada',
    'да/ок/хорошо/согласен/согласна/одобряю/одобрено/是/好/好的/可以/同意/批准/没问题',
    'はい/了解/承認/いいね/हाँ/ठीक है/स्वीकृत/نعم/موافق/تمام/네/예/좋아요/승인',
  ].flatMap((line) => line.split('/')),
);

const MAX_AFFIRMATION_CHARACTERS = 80;

const INLINE_DECISION = /(?:^|\s)\/(?:approve|deny|reject|dismiss)(?![\w/-])/i;

/**
 * Whether a reply consents without deciding: it is empty, its first line only says yes, in words or emoji, or is a
 * number, or it names a decision command outside of code.
 */
function isConsent(text: string): boolean {
  const { lines } = markLines(text);
  if (lines.some((line) => line.mark === 'plain' && INLINE_DECISION.test(line.text.replace(/`[^`]*`/g, ''))))
    return true;
  const first = lines[0]?.text ?? '';
  if (first.length > MAX_AFFIRMATION_CHARACTERS) return false;
  const words = first
    .toLowerCase()
    .replace(/:[a-z0-9_+-]{1,40}:|[\uFE0F\u20E3]/g, ' ')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
  if (words === '') return !/[\p{L}\p{N}]/u.test(text.slice(first.length));
  return /^\d+$/.test(words) || AFFIRMATIONS.has(words) || words.split(' ').every((word) => AFFIRMATIONS.has(word));
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
  const parsed = line.startsWith('/') ? parseCommandLine(grammar, line, NOTHING_BELOW, '') : null;
  if (parsed?.kind === 'command') return parsed.command.name;
  return parsed?.kind === 'malformed-command' ? parsed.command : null;
}
