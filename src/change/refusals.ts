import type { BlobRef } from './change.ts';
import { replaceHidden } from './hidden.ts';
import {
  MOST_COUNTED,
  MOST_DIFF_BYTES,
  MOST_FILE_BYTES,
  MOST_MEASURED_LETTERS,
  MOST_PART_BYTES,
  MOST_REGION_LINES,
} from './limits.ts';
import type { NearMatch } from './near-match.ts';
import { byteLength, decodeText, encodeText } from './text.ts';

/** A file as it stands at a head: where git keeps it, and its bytes. */
export type StoredFile = { readonly ref: BlobRef; readonly bytes: Uint8Array };

const MOST_SUGGESTION = 400;
const LARGE_FILE_POINTER = 'version https://git-lfs.github.com/spec/';

/** The text of a file that may be changed, or why it may not, worded for the model. */
export type Editable =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly output: string };

/** Reads a stored file for changing it. */
export function editableText(path: string, bytes: Uint8Array): Editable {
  if (bytes.length > MOST_FILE_BYTES) return refused(tooLarge(path, 'has', bytes.length));
  const decoded = decodeText(bytes);
  switch (decoded.kind) {
    case 'text':
      if (decoded.text.startsWith(LARGE_FILE_POINTER)) {
        return refused(
          `Not proposed: ${path} is a pointer of Git LFS; its content is not in the repository and cannot be changed here.`,
        );
      }
      return decoded;
    case 'binary':
      return refused(`Not proposed: ${path} is a binary file (it holds NUL bytes); only text in UTF-8 can be changed.`);
    case 'not-utf8':
      return refused(`Not proposed: ${path} is not valid UTF-8; only text in UTF-8 can be changed.`);
  }
}

/** A new text as the bytes of a file, or why it cannot be a file's content, worded for the model. */
export type Encoded =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly output: string };

/** Makes a file's bytes of a new text. */
export function encoded(path: string, text: string): Encoded {
  // Each letter has at least one byte: what is too large by its letters is not encoded to tell so.
  const unfit = text.length > MOST_FILE_BYTES ? unfitText(path, text) : unfitLetters(path, text);
  if (unfit !== null) return refused(unfit);
  const bytes = encodeText(text);
  const tooMany = tooManyBytes(path, bytes.length);
  return tooMany === null ? { kind: 'bytes', bytes } : refused(tooMany);
}

/** Why a new text cannot be a file's content; null if it can. */
export function unfitText(path: string, text: string): string | null {
  return unfitBeside(path, text, 0);
}

/** The same where the file has so many bytes beside the new text. */
export function unfitBeside(path: string, text: string, bytes: number): string | null {
  return unfitLetters(path, text) ?? tooManyBytes(path, bytes + byteLength(text));
}

function unfitLetters(path: string, text: string): string | null {
  if (text.includes('\0'))
    return `Not proposed: the new text of ${path} holds a NUL character, which would make the file binary.`;
  if (text.isWellFormed()) return null;
  return `Not proposed: the new text of ${path} holds half of a surrogate pair, which has no UTF-8 form.`;
}

function tooManyBytes(path: string, bytes: number): string | null {
  return bytes > MOST_FILE_BYTES ? tooLarge(path, 'would have', bytes) : null;
}

/** Why a text that would have so many letters or more is not even made; each of them has at least one byte. */
export function muchTooLarge(path: string, letters: number): string {
  return tooLarge(path, 'would have at least', letters);
}

/** T16, or null where the diff can be reviewed. */
export function diffTooLarge(path: string, diff: string): string | null {
  const bytes = byteLength(diff);
  if (bytes <= MOST_DIFF_BYTES) return null;
  const kilobytes = Math.ceil(bytes / 1000);
  return `Not proposed: the diff of ${path} is ${kilobytes} kB and at most ${MOST_DIFF_BYTES / 1000} kB can be reviewed. Split it into smaller changes.`;
}

/** What the model is told where nobody could be shown a line of the diff, which takes so many bytes on the page. */
export function rowTooLong(path: string, bytes: number): string {
  const [kilobytes, most] = [Math.ceil(bytes / 1000), MOST_PART_BYTES / 1000];
  return `Not proposed: a line of the diff of ${path} takes ${kilobytes} kB where it is shown and at most ${most} kB fit a comment. Only changes with no such line in them, or within three lines of them, can be reviewed.`;
}

/** T16 where a diff would have so many letters or more that it is not even made to tell its size; null where it may be made. */
export function muchTooLong(path: string, letters: number): string | null {
  if (letters <= MOST_MEASURED_LETTERS) return null;
  const kilobytes = Math.ceil(letters / 1000);
  return `Not proposed: the diff of ${path} is at least ${kilobytes} kB and at most ${MOST_DIFF_BYTES / 1000} kB can be reviewed. Split it into smaller changes.`;
}

/** Why lines so far apart cannot be one change; null if they can. `old` and `fresh` count them before and after. */
export function tooFarApart(path: string, old: number, fresh: number): string | null {
  if (old + fresh <= MOST_REGION_LINES) return null;
  return `Not proposed: from the first to the last difference ${path} has ${old} lines before and ${fresh} after, and at most ${MOST_REGION_LINES} in all can be one change. Split it into smaller changes.`;
}

/** The same where they are so many or more, before and after together, that they are not even made. */
export function muchTooFarApart(path: string, lines: number): string {
  return `Not proposed: from the first to the last difference ${path} has at least ${lines} lines before and after, and at most ${MOST_REGION_LINES} in all can be one change. Split it into smaller changes.`;
}

/** T5; `lines` are those of the first matches, all of them up to MOST_LINES_NAMED. */
export function notUnique(matches: number, lines: readonly number[]): string {
  const count = matches > MOST_COUNTED ? `more than ${MOST_COUNTED}` : String(matches);
  const named = lines.join(', ');
  const more = matches > MOST_COUNTED ? ' and more' : ` and ${matches - lines.length} more`;
  return `Found ${count} matches for old_string. Use replace_all=True or provide more context. Matches at lines: ${named}${matches > lines.length ? more : ''}`;
}

/** T6; the question is left out where nothing is alike enough. */
export function notFound(
  path: string,
  result: {
    readonly fileLines: number;
    readonly suggestions: readonly NearMatch[];
    readonly alreadyPresent: number | null;
  },
): string {
  const parts = [`old_string not found in ${path}. File contains ${result.fileLines} lines.`];
  if (result.suggestions.length > 0) parts.push(`Did you mean: ${result.suggestions.map(suggestion).join(', ')}?`);
  if (result.alreadyPresent !== null) parts.push(`new_string is already present at line ${result.alreadyPresent}.`);
  return parts.join(' ');
}

function suggestion({ text, line }: NearMatch): string {
  const shown = text.length > MOST_SUGGESTION ? `${text.slice(0, MOST_SUGGESTION)}…` : text;
  return `${quoted(shown)} (line ${line})`;
}

/** A blank that is not the blank, and a letter with marks behind it. */
const OTHER_BLANK = /[\p{Zs}--[ ]]/gv;
const MARKED = /(\P{M})(\p{M}+)/gu;

/** As JSON, so that it can be sent back as it is: with numbers for what looks like something else, or like nothing. */
function quoted(text: string): string {
  return replaceHidden(JSON.stringify(text), ({ codePoint }) => byNumber(String.fromCodePoint(codePoint)))
    .replace(OTHER_BLANK, byNumber)
    .replace(MARKED, (whole, letter: string, marks: string) =>
      whole.normalize('NFC') === whole ? whole : letter + byNumber(marks),
    );
}

function byNumber(letters: string): string {
  const units = [...Array(letters.length).keys()].map((at) => letters.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

function tooLarge(path: string, verb: string, bytes: number): string {
  return `Not proposed: ${path} ${verb} ${bytes} bytes and at most ${MOST_FILE_BYTES} bytes can be edited or written.`;
}

function refused(output: string): { readonly kind: 'refused'; readonly output: string } {
  return { kind: 'refused', output };
}
