import { fenceFor } from '../change/fence.ts';
import { withoutCredentials } from '../policy/credentials.ts';
import { stripMarkers } from './markers.ts';
import { visible } from './visible.ts';

/**
 * Words that stay as they are: letters with simple punctuation around them. Everything else goes into a code span,
 * because that is the one place where GitHub looks for nothing: it links mentions, references, addresses, commits and
 * emoji names after Markdown is rendered, so that neither a backslash nor an entity stops it, but it leaves code alone.
 */
const PLAIN_WORD = /^[("'“‘]*(?:[\p{L}\p{N}\p{M}]+(?:['’-][\p{L}\p{N}\p{M}]+)*|\d+(?:[.,]\d+)+)[)"'”’.,;:?!…%]*$/u;
const PLAIN_MARKS = /^(?:[\)\("'“”‘’.,;:?!…–—•]|\p{RGI_Emoji})+$/v;

/** Plain words that GitHub would link all the same: commits, `GH-1`, advisories, `TICKET-1`. */
const LINKED_WORD = /\b[0-9a-f]{7,40}\b|ghsa-|[\p{L}\p{N}]-\d/iu;

/** What would begin a list: a number with its mark, or a dash. */
const LIST_START = /^(\d*)([.)-])/;

type Piece = { readonly code: boolean; readonly text: string; readonly gap: boolean };

/** The lengths of all runs of backticks in a text. */
function backtickRuns(text: string): readonly number[] {
  return [...text.matchAll(/`+/g)].map(([run]) => run.length);
}

/**
 * Inline code of exactly this text on one line. Hidden characters and line ends are written out; empty becomes
 * `(empty)`.
 */
export function codeSpan(text: string): string {
  const shown = visible(text).replaceAll('\t', '\\u{9}').replaceAll('\n', '\\u{A}');
  if (shown === '') return '`(empty)`';
  const runs = new Set(backtickRuns(shown));
  let length = 1;
  while (runs.has(length)) length += 1;
  const ticks = '`'.repeat(length);
  const padded = /^`|`$|^ .* $/.test(shown) && shown.trim() !== '' ? ` ${shown} ` : shown;
  return `${ticks}${padded}${ticks}`;
}

/**
 * Inline code that may stand in a table's cell. A pipe is written out: how it is escaped there differs between parsers.
 */
export function cellSpan(text: string): string {
  return codeSpan(text).replaceAll('|', '\\u{7C}');
}

/** A fenced block whose fence no line of it can end. Lines carry no terminators; no lines make an empty block. */
export function fence(info: string, lines: readonly string[]): string {
  const ticks = fenceFor(lines.join('\n'));
  return [`${ticks}${info}`, ...lines, ticks].join('\n');
}

/** A word as one or two pieces; the mark that ends a sentence stays outside the code. */
function piecesOf(token: string, gap: boolean): readonly Piece[] {
  const inner = /^`+([^`]+)`+$/.exec(token)?.[1];
  if (inner !== undefined) return [{ code: true, text: inner.trim() === '' ? token : inner.trim(), gap }];
  const plain = PLAIN_MARKS.test(token) || (PLAIN_WORD.test(token) && !LINKED_WORD.test(token));
  if (plain || token === '-') return [{ code: false, text: token, gap }];
  const end = lengthWithoutEnd(token);
  const word: Piece = { code: true, text: token.slice(0, end), gap };
  return end === token.length ? [word] : [word, { code: false, text: token.slice(end), gap: false }];
}

const ENDS_SENTENCE: ReadonlySet<string> = new Set(',.:;?!…');

/** Length of a word without the marks at its end. From behind: a pattern would begin anew at each mark before them. */
function lengthWithoutEnd(token: string): number {
  let end = token.length;
  while (end > 0 && ENDS_SENTENCE.has(token.charAt(end - 1))) end -= 1;
  return end;
}

function joinPieces(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.code && piece.code) {
      joined[joined.length - 1] = { ...last, text: `${last.text}${piece.gap ? ' ' : ''}${piece.text}` };
    } else joined.push(piece);
  }
  return joined;
}

/**
 * Somebody else's words as one harmless paragraph on one line: no HTML, mention, reference, link, image, heading, list,
 * fence or command. Words in backticks stay code; markers of ours are taken out.
 */
export function escapeText(untrusted: string): string {
  const line = visible(stripMarkers(untrusted).replace(/\s+/g, ' ').trim());
  const pieces = [...line.matchAll(/( ?)(`+[^`]+`+|`+|[^ `]+)/g)].map(([, gap, token = '']) =>
    piecesOf(token, gap === ' '),
  );
  return joinPieces(pieces.flat())
    .map((piece) => `${piece.gap ? ' ' : ''}${piece.code ? codeSpan(piece.text) : piece.text}`)
    .join('')
    .replace(LIST_START, '$1\\$2');
}

function cutTo(text: string, cap: number): { readonly text: string; readonly note: string | null } {
  const points = [...text];
  if (points.length <= cap) return { text, note: null };
  return { text: points.slice(0, cap).join(''), note: `(showing ${cap} of ${points.length} characters)` };
}

/** Drops what would only be noise once escaped: fences and heading marks, and bullets become real ones. */
function plainLine(line: string): string {
  return line
    .replace(/^\s*(?:`{3,}|~{3,})[^`]*$/, '')
    .replace(/^\s*#{1,6}\s+/, '')
    .replace(/^\s*[-*+]\s+/, '• ');
}

/** Somebody else's words as a block quote, a paragraph per line of theirs, cut after `cap` characters with a note. */
export function quote(untrusted: string, cap: number): string {
  const { text, note } = cutTo(untrusted.trim(), cap);
  const paragraphs = stripMarkers(text)
    .split(/\r\n|\n|\r/)
    .map((line) => escapeText(plainLine(line)))
    .filter((line) => line !== '');
  return [...paragraphs, ...(note === null ? [] : [note])].map((line) => `> ${line}`).join('\n>\n');
}

/**
 * The model's prose: quoted, and said to be the model's, so that nobody takes it for ours. It may have read
 * credentials, and pages are read by more people than files.
 */
export function modelWords(what: string, untrusted: string, cap: number): string {
  const quoted = quote(withoutCredentials(untrusted), cap);
  return quoted === '' ? '' : `${what}, written by the model:\n\n${quoted}`;
}

/** A link. `label` is Markdown of ours; what would end the address is encoded. */
export function link(label: string, address: string): string {
  const encoded = address.replace(/[\s()<>[\]\\`]/g, (character) =>
    character === '(' ? '%28' : character === ')' ? '%29' : encodeURIComponent(character),
  );
  return `[${label}](${encoded})`;
}

/** A block that is folded until somebody opens it. Both parts are Markdown of ours. */
export function details(summary: string, body: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

/** Blocks with a blank line between; empty ones are left out. */
export function blocks(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join('\n\n');
}

/** Length in bytes of UTF-8, as GitHub's limits count. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** What a body may have at most, in bytes of UTF-8. */
export const BODY_LIMIT = 60_000;
