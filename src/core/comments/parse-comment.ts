import type { ParsedComment, Quote, QuotedId } from '../state/intent.ts';
import type { CommandGrammar } from './command-grammar.ts';
import { createMalformedCommand, type MalformedCommand, parseCommandLine } from './command-parser.ts';
import { type CommentParts, splitComment, stripSignature } from './comment-body.ts';
import { findQuotedIds, readQuote } from './ids.ts';
import { findCommandBelow, isAffirmation } from './near-misses.ts';

/** The meaning of a comment, and the proposals that it quotes. */
type CommentParseResult = {
  readonly parsed: ParsedComment;
  readonly quotedIds: readonly QuotedId[];
  readonly quote: Quote | null;
};

/** Parses any comment in time linear in its length and never throws. `slug` is the App's own name. */
export function parseComment(grammar: CommandGrammar, body: string, slug: string): CommentParseResult {
  const parts = splitComment(body);
  const quotedIds = findQuotedIds(parts.quotedLines);
  return { parsed: classifyComment(grammar, parts, slug), quotedIds, quote: readQuote(parts.quotedLines, quotedIds) };
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
  const { text, suggestions, hasUnclosedSuggestion } = parts;
  return {
    kind: 'text',
    text: stripSignature(text) === '' ? '' : text,
    addressedToSomeoneElse: isAddressedToSomeoneElse(text, slug),
    affirmation: !hasSuggestionBlock(parts) && isAffirmation(text),
    suggestions,
    hasUnclosedSuggestion,
  };
}

function isAddressedToSomeoneElse(text: string, slug: string): boolean {
  const name = /^@([a-z0-9](?:[a-z0-9/_-]{0,150}))/i.exec(text)?.[1];
  return name !== undefined && name.toLowerCase() !== slug.toLowerCase();
}
