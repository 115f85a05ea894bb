import { REDACTED } from '../../../lib/credentials.ts';
import type { FileChange } from '../change.ts';
import { findAddedHidden, nameHidden } from '../misleading-text.ts';
import { byteLength, decodeText, encodeText } from '../text/characters.ts';
import type { NearMatch } from '../text/closest-text.ts';
import { MAX_COUNTED_MATCHES, MAX_DIFF_BYTES, MAX_FILE_BYTES, MAX_REGION_LINES } from '../text/limits.ts';
import { replaceHiddenCharacters } from '../text/unicode.ts';

/** The result of a tool call that the model gets instead of a change. */
export type Refusal = { readonly kind: 'refused'; readonly output: string };

export function refuse(output: string): Refusal {
  return { kind: 'refused', output };
}

const LFS_POINTER_PREFIX = 'version https://git-lfs.github.com/spec/';

/** The text of a file that can be edited, or a refusal. */
export type EditableText = { readonly kind: 'text'; readonly text: string } | Refusal;

/** Decodes a stored file for an edit. */
export function readEditableText(path: string, bytes: Uint8Array): EditableText {
  if (bytes.length > MAX_FILE_BYTES) return refuse(fileTooLarge(path, 'has', bytes.length));
  const decoded = decodeText(bytes);
  switch (decoded.kind) {
    case 'text':
      if (decoded.text.startsWith(LFS_POINTER_PREFIX)) {
        return refuse(
          `Not proposed: ${path} is a Git LFS pointer; its content is not in the repository and cannot be changed here.`,
        );
      }
      return decoded;
    case 'binary':
      return refuse(`Not proposed: ${path} is a binary file (it holds NUL bytes); only text in UTF-8 can be changed.`);
    case 'not-utf8':
      return refuse(`Not proposed: ${path} is not valid UTF-8; only text in UTF-8 can be changed.`);
  }
}

/** A new text as bytes, or a refusal. */
type EncodedFile = { readonly kind: 'bytes'; readonly bytes: Uint8Array } | Refusal;

/** Encodes a new text as the content of a file. */
export function encodeFile(path: string, text: string): EncodedFile {
  // Each character has at least one byte, so a text with too many characters need not be encoded.
  const refusal = text.length > MAX_FILE_BYTES ? checkNewText(path, text) : checkCharacters(path, text);
  if (refusal !== null) return refuse(refusal);
  const bytes = encodeText(text);
  const sizeRefusal = checkFileSize(path, bytes.length);
  return sizeRefusal === null ? { kind: 'bytes', bytes } : refuse(sizeRefusal);
}

/** Why a text cannot be the content of a file; null if it can. */
export function checkNewText(path: string, text: string): string | null {
  return checkNewTextBeside(path, text, 0);
}

/** Checks a new text that joins other content of `bytes` bytes. */
export function checkNewTextBeside(path: string, text: string, bytes: number): string | null {
  return checkCharacters(path, text) ?? checkFileSize(path, bytes + byteLength(text));
}

function checkCharacters(path: string, text: string): string | null {
  if (text.includes('\0'))
    return `Not proposed: the new text of ${path} holds a NUL character, which would make the file binary.`;
  if (text.isWellFormed()) return null;
  return `Not proposed: the new text of ${path} holds half of a surrogate pair, which has no UTF-8 form.`;
}

function checkFileSize(path: string, bytes: number): string | null {
  return bytes > MAX_FILE_BYTES ? fileTooLarge(path, 'would have', bytes) : null;
}

/** For a text that is not even built. Each character has at least one byte. */
export function resultTooLarge(path: string, characters: number): string {
  return fileTooLarge(path, 'would have at least', characters);
}

function fileTooLarge(path: string, verb: string, bytes: number): string {
  return `Not proposed: ${path} ${verb} ${bytes} bytes and at most ${MAX_FILE_BYTES} bytes can be edited or written.`;
}

/** For a text whose lines are too many to store. */
export function deletedTextTooLarge(path: string, bytes: number): string {
  return `Not proposed: ${path} has ${bytes} bytes and at most ${MAX_FILE_BYTES} bytes of text can be deleted. A person must delete it.`;
}

/** T16, or null if the diff can be reviewed. */
export function checkDiffSize(path: string, diff: string): string | null {
  const bytes = byteLength(diff);
  if (bytes <= MAX_DIFF_BYTES) return null;
  const kilobytes = Math.ceil(bytes / 1000);
  return `Not proposed: the diff of ${path} is ${kilobytes} kB and at most ${MAX_DIFF_BYTES / 1000} kB can be reviewed. Split it into smaller changes.`;
}

/** Why differences so far apart cannot be one change; null if they can. */
export function checkSpanLength(path: string, oldLines: number, newLines: number): string | null {
  if (oldLines + newLines <= MAX_REGION_LINES) return null;
  return `Not proposed: from the first to the last difference ${path} has ${oldLines} lines before and ${newLines} after, and at most ${MAX_REGION_LINES} in all can be one change. Split it into smaller changes.`;
}

/** For a change that is not even built; `lines` is a lower bound for old and new lines together. */
export function spanTooLong(path: string, lines: number): string {
  return `Not proposed: from the first to the last difference ${path} has at least ${lines} lines before and after, and at most ${MAX_REGION_LINES} in all can be one change. Split it into smaller changes.`;
}

/** Why the model cannot propose the text that a change adds: nobody would see a part of it. Null if it can. */
export function checkAddedText({ path, region }: FileChange): string | null {
  const hidden = region === null ? null : findAddedHidden(region);
  if (hidden === null) return null;
  return `Not proposed: the new text of ${path} has ${nameHidden(hidden)}, which nobody sees. Write it as an escape of the language, or leave it out.`;
}

/** T5; `lines` are those of the first matches, up to `MAX_LISTED_MATCHES`. */
export function matchNotUnique(matches: number, lines: readonly number[]): string {
  const count = matches > MAX_COUNTED_MATCHES ? `more than ${MAX_COUNTED_MATCHES}` : String(matches);
  const listed = lines.join(', ');
  const more = matches > MAX_COUNTED_MATCHES ? ' and more' : ` and ${matches - lines.length} more`;
  return `Found ${count} matches for old_string. Use replace_all=True or provide more context. Matches at lines: ${listed}${matches > lines.length ? more : ''}`;
}

/** T6; the question is left out if nothing is similar. */
export function matchNotFound(
  path: string,
  result: {
    readonly fileLines: number;
    readonly suggestions: readonly NearMatch[];
    readonly alreadyPresent: number | null;
    readonly hasSecrets: boolean;
  },
): string {
  const parts = [`old_string not found in ${path}. File contains ${result.fileLines} lines.`];
  if (result.suggestions.length > 0) parts.push(`Did you mean: ${result.suggestions.map(quoteNearMatch).join(', ')}?`);
  if (result.alreadyPresent !== null) parts.push(`new_string is already present at line ${result.alreadyPresent}.`);
  if (result.hasSecrets) parts.push(`Secrets, shown as ${REDACTED}, cannot be matched.`);
  return parts.join(' ');
}

const MAX_QUOTED_CHARACTERS = 400;

function quoteNearMatch({ text, line }: NearMatch): string {
  const shown = text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text;
  return `${quoteExactly(shown)} (line ${line})`;
}

/** Spaces other than U+0020. */
const UNUSUAL_SPACE = /[\p{Zs}--[ ]]/gv;

/** A character followed by combining marks. */
const COMBINED_CHARACTER = /(\P{M})(\p{M}+)/gu;

/** Quotes as JSON, so that the model can send it back unchanged, and escapes confusing and invisible characters. */
function quoteExactly(text: string): string {
  return replaceHiddenCharacters(JSON.stringify(text), ({ codePoint }) =>
    escapeCodeUnits(String.fromCodePoint(codePoint)),
  )
    .replace(UNUSUAL_SPACE, escapeCodeUnits)
    .replace(COMBINED_CHARACTER, (whole, base: string, marks: string) =>
      whole.normalize('NFC') === whole ? whole : base + escapeCodeUnits(marks),
    );
}

function escapeCodeUnits(characters: string): string {
  const units = [...Array(characters.length).keys()].map((at) => characters.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
