import { findSecretRanges, REDACTED } from '../../../lib/credentials.ts';
import { redactRanges } from '../../../lib/redaction.ts';
import { BYTE_ORDER_MARK } from '../text/characters.ts';
import { findNearMatches, type NearMatch } from '../text/closest-text.ts';
import { findMatches, type TextMatch } from '../text/find-text.ts';
import { MAX_FILE_BYTES } from '../text/limits.ts';
import { dominantLineEnding, keepLineEndings } from '../text/line-endings.ts';
import { createLineTable, type LineTable, lineIndexAt } from '../text/line-table.ts';
import { crLfToLf } from '../text/lines.ts';
import { replaceHiddenCharacters } from '../text/unicode.ts';
import { fileTooLarge, type Refusal, refuse } from './file-version.ts';

/** The replacement that a model requests. */
export type EditRequest = { readonly oldString: string; readonly newString: string; readonly replaceAll: boolean };

/** The text after an edit. `first` is the first match in the old text. */
export type EditedText = {
  readonly kind: 'edited';
  readonly text: string;
  readonly matchCount: number;
  readonly first: TextMatch;
};

/**
 * Replaces text literally: the only occurrence, or all with `replaceAll`. CRLF and LF match each other. Bytes outside
 * the matches stay, and new lines get the line endings of the file. A secret is never matched, so it stays too.
 */
export function replaceText(path: string, text: string, request: EditRequest): EditedText | Refusal {
  const { oldString, newString, replaceAll } = request;
  if (oldString === '') return refuse('old_string is empty. Use write_file to create a file or to replace all of it.');
  if (oldString === newString) return refuse(`No changes: ${path} would stay exactly as it is.`);
  const secrets = findSecretRanges(text);
  const matches = findMatches(text, oldString, replaceAll ? 'separate' : 'all', secrets);
  const [first] = matches;
  if (first === undefined) {
    const shown = secrets.length === 0 ? text : redactRanges(text, secrets);
    return refuse(matchNotFound(path, createLineTable(shown), request, secrets.length > 0));
  }
  if (!replaceAll && matches.length > 1) return refuse(matchNotUnique(matches, createLineTable(text)));
  const replacement = withoutSecondMark(text, newString);
  const characters = minResultLength(text, matches, replacement);
  if (characters > MAX_FILE_BYTES) return refuse(fileTooLarge(path, 'would have at least', characters));
  const after = replaceMatches(text, matches, replacement);
  if (after === text) return refuse(`No changes: ${path} would stay exactly as it is.`);
  return { kind: 'edited', text: after, matchCount: matches.length, first };
}

/** Drops a byte order mark from the new text if the file keeps its own. */
function withoutSecondMark(text: string, newString: string): string {
  return text.startsWith(BYTE_ORDER_MARK) && newString.startsWith(BYTE_ORDER_MARK) ? newString.slice(1) : newString;
}

/** A lower bound for the characters of the result, so that a huge one is not built: kept line endings only add to it. */
function minResultLength(text: string, matches: readonly TextMatch[], replacement: string): number {
  const removed = matches.reduce((sum, { start, end }) => sum + end - start, 0);
  return text.length - removed + matches.length * crLfToLf(replacement).length;
}

function replaceMatches(text: string, matches: readonly TextMatch[], replacement: string): string {
  const hasEndings = replacement.includes('\n') && (text.includes('\r\n') || replacement.includes('\r\n'));
  const dominant = dominantLineEnding(text);
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of matches) {
    const replaced = text.slice(start, end);
    pieces.push(text.slice(at, start), hasEndings ? keepLineEndings(replaced, replacement, dominant) : replacement);
    at = end;
  }
  return pieces.join('') + text.slice(at);
}

/** Matches whose lines the model is told. */
const MAX_LISTED_MATCHES = 50;

/** T5. */
function matchNotUnique(matches: readonly TextMatch[], lines: LineTable): string {
  const listed = matches.slice(0, MAX_LISTED_MATCHES).map((match) => lineOfMatch(lines, match));
  const more = matches.length > listed.length ? ` and ${matches.length - listed.length} more` : '';
  return `Found ${matches.length} matches for old_string. Use replace_all=True or provide more context. Matches at lines: ${listed.join(', ')}${more}`;
}

function lineOfMatch(lines: LineTable, { start }: TextMatch): number {
  return lineIndexAt(lines, start) + 1;
}

/** T6, from the text as the model sees it. The question is left out if nothing is similar. */
function matchNotFound(path: string, shown: LineTable, { oldString, newString }: EditRequest, hasSecrets: boolean) {
  const parts = [`old_string not found in ${path}. File contains ${shown.lineCount} lines.`];
  const suggestions = findNearMatches(shown.text, oldString);
  if (suggestions.length > 0) parts.push(`Did you mean: ${suggestions.map(quoteNearMatch).join(', ')}?`);
  const [present] = findMatches(shown.text, newString, 'all');
  if (present !== undefined) parts.push(`new_string is already present at line ${lineOfMatch(shown, present)}.`);
  if (hasSecrets) parts.push(`Secrets, shown as ${REDACTED}, cannot be matched.`);
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
  const units = characters.split('').map((unit) => unit.charCodeAt(0));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
