import { redact } from '../../../lib/credentials.ts';
import type { RepoLinks } from '../../../lib/format.ts';
import { markReply, type Reply } from '../../../lib/trust.ts';
import { byteLength, escapeHiddenAndCr, fenceFor } from '../../edits/text/characters.ts';

/** The longest body the App posts, in bytes of UTF-8. */
export const MAX_POSTED_BODY_BYTES = 60_000;

/**
 * The first rendering that fits a comment, else the last one. `limits` are tried in order, from generous to strict,
 * because text grows when it is escaped (a hidden character becomes nine).
 */
export function renderWithin<Text extends string>(
  [first, ...stricter]: readonly [number, ...number[]],
  render: (limit: number) => Text,
): Text {
  let text = render(first);
  for (const limit of stricter) {
    if (byteLength(text) <= MAX_POSTED_BODY_BYTES) break;
    text = render(limit);
  }
  return text;
}

/** Blocks with a blank line between them; empty ones are left out. */
export function joinBlocks(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join('\n\n');
}

/** The whole body of a reply from blocks of Markdown. They may hold the text of others only in inert form. */
export function composeReply(...blocks: readonly string[]): Reply {
  return markReply(joinBlocks(REPLY_MARKER, ...blocks));
}

/** At most this many characters, from the start. */
export function truncate(text: string, maxCharacters: number): string {
  return [...text].slice(0, maxCharacters).join('');
}

/**
 * Plain words: letters and digits with simple punctuation around them. All other words are put into code spans. GitHub
 * links mentions, references, commits and emoji names after it renders Markdown, so no escape stops it outside code.
 */
const PLAIN_WORD = /^[("'“‘]*(?:[\p{L}\p{N}\p{M}]+(?:['’-][\p{L}\p{N}\p{M}]+)*|\d+(?:[.,]\d+)+)[)"'”’.,;:?!…%]*$/u;

const PLAIN_MARKS = /^(?:[\)\("'“”‘’.,;:?!…–—•]|(?![#*\d])\p{RGI_Emoji})+$/v;

/**
 * Plain words that GitHub links nevertheless: commits, `GH-1`, advisories, `TICKET-1`, and `www.` with all that follows
 * up to a space, also where code begins there.
 */
const LINKED_WORD = /\b[0-9a-f]{7,40}\b|ghsa-|[\p{L}\p{N}]-\d|\bwww\b/iu;

/** The start of a list item: a number with its mark, or a dash. */
const LIST_START = /^(\d*)([.)-])/;

/** `backticked`: the author wrote it as code; `text` has the backticks. */
type Piece = { readonly kind: 'plain' | 'code' | 'backticked'; readonly text: string; readonly spaceBefore: boolean };

/** Inline code of exactly this text on one line. Hidden characters and line ends are escaped; no text is `(empty)`. */
export function codeSpan(text: string): string {
  const shown = escapeHiddenAndCr(text).replaceAll('\t', '\\u{9}').replaceAll('\n', '\\u{A}');
  if (shown === '') return '`(empty)`';
  const runs = new Set([...shown.matchAll(/`+/g)].map(([run]) => run.length));
  let length = 1;
  while (runs.has(length)) length += 1;
  const ticks = '`'.repeat(length);
  const padded = /^`|`$|^ .* $/.test(shown) && shown.trim() !== '' ? ` ${shown} ` : shown;
  return `${ticks}${padded}${ticks}`;
}

/** Inline code for a table cell. A pipe is escaped as `\u{7C}`, because parsers disagree about `\|` in cells. */
export function tableCodeSpan(text: string): string {
  return codeSpan(text).replaceAll('|', '\\u{7C}');
}

/** A fenced block with a fence that none of its lines can close. Lines have no terminators. */
export function codeBlock(info: string, lines: readonly string[]): string {
  const ticks = fenceFor(lines.join('\n'));
  return [`${ticks}${info}`, ...lines, ticks].join('\n');
}

/** A word as up to three pieces: brackets, quotes and punctuation around it stay outside the code. */
function splitWord(token: string, spaceBefore: boolean): readonly Piece[] {
  if (isPlain(token)) return [{ kind: 'plain', text: token, spaceBefore }];
  const start = OPENS_WORD.exec(token)?.[0].length ?? 0;
  const end = start + lengthWithoutPunctuation(token.slice(start));
  if (start === end) return [{ kind: 'code', text: token, spaceBefore }];
  const word = token.slice(start, end);
  const kind = BACKTICKED.test(word) ? 'backticked' : 'code';
  const pieces: readonly Piece[] = [
    { kind: 'plain', text: token.slice(0, start), spaceBefore },
    { kind, text: word, spaceBefore: spaceBefore && start === 0 },
    { kind: 'plain', text: token.slice(end), spaceBefore: false },
  ];
  return pieces.filter(({ text }) => text !== '');
}

function isPlain(token: string): boolean {
  const isWord = (PLAIN_WORD.test(token) && !LINKED_WORD.test(token)) || ABBREVIATION.test(token);
  return isWord || PLAIN_MARKS.test(token) || MORE.test(token) || token === '-';
}

/** `+3`, the number of others at the end of a list. */
const MORE = /^\+\d{1,4}$/;

/** `e.g.` */
const ABBREVIATION = /^[("'“‘]*(?:\p{L}\.)+\p{L}?[)"'”’.,;:?!…]*$/u;

const OPENS_WORD = /^[("'“‘]+/;

const CLOSES_WORD: ReadonlySet<string> = new Set(',.:;?!…"\'”’');

/**
 * Length of a word without the punctuation at its end; a parenthesis that the word opens stays with it. A loop, because
 * a regular expression would take quadratic time.
 */
function lengthWithoutPunctuation(word: string): number {
  let unopened = word.split(')').length - word.split('(').length;
  let end = word.length;
  for (; end > 0; end -= 1) {
    const last = word.charAt(end - 1);
    if (last === ')' && unopened > 0) unopened -= 1;
    else if (!CLOSES_WORD.has(last)) break;
  }
  return end;
}

const BACKTICKED = /^`+([^`]*[^`\s][^`]*)`+$/;

/** Adjacent code cannot stay apart without a space. With one, words that were in backticks stay apart. */
function mergeCodePieces(pieces: readonly Piece[]): readonly Piece[] {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    const isWords = last?.kind === 'code' && piece.kind === 'code';
    const isAdjacent = last !== undefined && last.kind !== 'plain' && piece.kind !== 'plain' && !piece.spaceBefore;
    if (last !== undefined && (isWords || isAdjacent))
      merged[merged.length - 1] = {
        ...last,
        kind: 'code',
        text: `${last.text}${piece.spaceBefore ? ' ' : ''}${piece.text}`,
      };
    else merged.push(piece);
  }
  return merged;
}

function renderPiece({ kind, text, spaceBefore }: Piece): string {
  const words = kind === 'backticked' ? (BACKTICKED.exec(text)?.[1] ?? text).trim() : text;
  return `${spaceBefore ? ' ' : ''}${kind === 'plain' ? words : codeSpan(words)}`;
}

/**
 * Untrusted text as one inert paragraph on one line: no HTML, mention, reference, link, image, heading, list, fence or
 * command. Words in backticks stay code; the App's markers are removed.
 */
export function escapeText(untrusted: string): string {
  const line = escapeHiddenAndCr(stripMarkers(untrusted).replace(/\s+/g, ' ').trim());
  const pieces = [...line.matchAll(/( ?)(`+[^`]+`+|`+|[^ `]+)/g)].map(([, spaceBefore, token = '']) =>
    splitWord(token, spaceBefore === ' '),
  );
  return mergeCodePieces(pieces.flat()).map(renderPiece).join('').replace(LIST_START, '$1\\$2');
}

const MAX_MESSAGE_CHARACTERS = 1_000;

/** An untrusted message as text. */
export function escapeMessage(text: string): string {
  return escapeText(truncate(text, MAX_MESSAGE_CHARACTERS));
}

/** Removes fences and heading marks, which are noise once escaped, and writes list marks as bullets. */
function stripLineMarkup(line: string): string {
  return line
    .replace(/^\s*(?:`{3,}|~{3,})[^`]*$/, '')
    .replace(/^\s*#{1,6}\s+/, '')
    .replace(/^\s*[-*+]\s+/, '• ');
}

/** Untrusted text as a block quote with a paragraph per line, truncated with a note. */
export function blockQuote(untrusted: string, maxCharacters: number): string {
  const text = untrusted.trim();
  const { length } = [...text];
  const paragraphs = stripMarkers(truncate(text, maxCharacters))
    .split(/\r\n|\n|\r/)
    .map((line) => escapeText(stripLineMarkup(line)))
    .filter((line) => line !== '');
  const note = length > maxCharacters ? [`(showing ${maxCharacters} of ${length} characters)`] : [];
  return [...paragraphs, ...note].map((line) => `> ${line}`).join('\n>\n');
}

/**
 * The model's prose, quoted and labeled as the model's. Credentials are redacted: the model may have read some, and
 * more people read pull requests than files.
 */
export function quoteModelText(label: string, untrusted: string, maxCharacters: number): string {
  const quoted = blockQuote(redact(untrusted), maxCharacters);
  return quoted === '' ? '' : `${label}, written by the model:\n\n${quoted}`;
}

/** A link. `label` is trusted Markdown; characters that would end the address are encoded. */
export function link(label: string, address: string): string {
  const encoded = address.replace(/[\s()<>[\]\\`]/g, (character) =>
    character === '(' ? '%28' : character === ')' ? '%29' : encodeURIComponent(character),
  );
  return `[${label}](${encoded})`;
}

/** A collapsed block. Both arguments are trusted Markdown. */
export function details(summary: string, body: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

/**
 * A mention, which notifies. Used only for the person who started a run, where only a person can continue. Characters
 * that no login has are removed.
 */
export function formatMention(login: string): string {
  const plain = login.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 100);
  return `@${plain.replace(/^_+|_+$/g, '')}`;
}

/** `2030-01-31 12:00 UTC`, of a time in ISO 8601. */
export function formatTime(time: string): string {
  const utc = new Date(time).toISOString();
  return `${utc.slice(0, 10)} ${utc.slice(11, 16)} UTC`;
}

function encodePath(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeURIComponent(segment.toWellFormed()).replace(/[!'()*]/g, percentEncode))
    .join('/');
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Lines of a file, 1-based and inclusive. */
export type LineSpan = { readonly first: number; readonly last: number };

/** URL of a file at a commit, with the lines highlighted where they are known. */
export function fileUrl(links: RepoLinks, sha: string, path: string, lines: LineSpan | null = null): string {
  const anchor =
    lines === null ? '' : lines.first === lines.last ? `#L${lines.first}` : `#L${lines.first}-L${lines.last}`;
  return `${links.repository}/blob/${sha}/${encodePath(path)}${anchor}`;
}

/**
 * Hidden first line of a proposal's comment. Markers only help the App to find its own comments; they are never a
 * source of state.
 */
export function proposalMarker(id: string): string {
  return `<!-- countersign:proposal:${id} -->`;
}

/** First line of the comment of a question. */
export function questionMarker(id: string): string {
  return `<!-- countersign:question:${id} -->`;
}

/** First line of a run's comment. */
export function runMarker(runId: string): string {
  return `<!-- countersign:run:${runId} -->`;
}

/** First line of a review's own body. */
export function turnMarker(runId: string, turn: number | null): string {
  return `<!-- countersign:turn:${runId}:${turn ?? 0} -->`;
}

/** First line of every reply. A comment that starts with an HTML comment is never read as a command. */
export const REPLY_MARKER = '<!-- countersign:reply -->';

const MARKER = /^<!--\s*countersign:[^<>]*-->$/i;

/**
 * Removes all markers, including those that only appear once another one is removed. One pass is enough: a marker has
 * no `<` or `>` inside, so the text after the last `<` is kept pending until its `>`.
 */
export function stripMarkers(text: string): string {
  const keptPieces = [''];
  for (const piece of text.split(/(?=<)|(?<=>)/)) {
    const last = piece.startsWith('<') ? piece : `${keptPieces.pop() ?? ''}${piece}`;
    if (!piece.endsWith('>')) keptPieces.push(last);
    else if (!MARKER.test(last)) keptPieces.push(last, '');
  }
  return keptPieces.join('');
}
