import { findSecretRanges, REDACTED, redactRanges } from '../../../lib/credentials.ts';
import { type FileChange, MAX_FILE_BYTES, type StoredFile } from '../change.ts';
import { findAddedHidden, nameHidden } from '../misleading-text.ts';
import { BYTE_ORDER_MARK, replaceHiddenCharacters } from '../text/characters.ts';
import { findAlikeText, findMatches, findNearMatches, type NearMatch, type TextMatch } from '../text/find-text.ts';
import { pairLines, UNPAIRED } from '../text/hunks.ts';
import { createLineTable, type LineTable, lineIndexAt, linesAt } from '../text/line-table.ts';
import { countLineFeeds, countLines, crLfToLf, isTerminated, splitLines, withoutLineEnding } from '../text/lines.ts';
import {
  type BuildResult,
  buildChange,
  contextText,
  type EditDetails,
  editableVersion,
  fileTooLarge,
  type Refusal,
  refuse,
  textVersion,
} from './build-change.ts';

/** The change that one call makes to the text of a file. */
export type TextStep =
  | { readonly kind: 'edits'; readonly edits: readonly EditRequest[] }
  | { readonly kind: 'content'; readonly content: string };

/** A call on one file. The path is already checked; `file` is null if the path is free. */
type TextInput = Omit<WriteInput, 'content'> & { readonly step: TextStep };

/** Builds the change of one call to the text of a file. */
export function buildText({ step, ...input }: TextInput): BuildResult {
  const built = buildStep(step, input);
  const refusal = built.kind === 'change' ? checkAddedText(built.change) : null;
  return refusal === null ? built : refuse(refusal);
}

function buildStep(step: TextStep, input: Omit<TextInput, 'step'>): BuildResult {
  const { path, file, repositoryName } = input;
  if (step.kind === 'content') return buildWrite({ ...input, content: step.content });
  return file === null
    ? refuse(`File not found: ${path}. Use write_file to create it.`)
    : buildEdit({ path, repositoryName, file, edits: step.edits });
}

/** Why the model cannot propose the text that a change adds: nobody would see a part of it. Null if it can. */
function checkAddedText({ path, region }: FileChange): string | null {
  const hidden = region === null ? null : findAddedHidden(region);
  if (hidden === null) return null;
  return `Not proposed: the new text of ${path} has ${nameHidden(hidden)}, which nobody sees. Write it as an escape of the language, or leave it out.`;
}

/** Edits of a stored file, made in order as one change. The path is already checked. */
type EditInput = {
  readonly path: string;
  readonly repositoryName: string;
  readonly file: StoredFile;
  readonly edits: readonly EditRequest[];
};

/** Builds the change of an `edit_file` call. Finds every error here, before people are asked. */
export function buildEdit({ path, repositoryName, file, edits }: EditInput): BuildResult {
  const editable = editableVersion(path, file);
  if (editable.kind === 'refused') return editable;
  const { version: before } = editable;
  let { text } = before;
  let details: Partial<EditDetails> = { match_count: 0 };
  for (const [index, edit] of edits.entries()) {
    const result = replaceText(path, text, edit);
    if (result.kind === 'refused')
      return edits.length === 1 ? result : refuse(`Edit ${index + 1} of ${edits.length}: ${result.output}`);
    const match_count = (details.match_count ?? 0) + result.matchCount;
    details = edits.length === 1 ? detailsOf(text, edit, result) : { match_count };
    text = result.text;
  }
  const edited = textVersion(path, text, file.ref.mode);
  if (edited.kind === 'refused') return edited;
  return buildChange({ op: 'edit', path, repositoryName, before, after: edited.version, details });
}

/** The texts of the only edit, and the place of its first match. */
function detailsOf(text: string, edit: EditRequest, { matchCount, first }: EditedText): EditDetails {
  const lines = createLineTable(text);
  const index = lineIndexAt(lines, first.start);
  const end = index + countLines(text.slice(first.start, first.end));
  return {
    old_string: edit.oldString,
    new_string: edit.newString,
    replace_all: edit.replaceAll,
    match_line: index + 1,
    match_count: matchCount,
    context_before: contextText(linesAt(lines, index - 3, index)),
    context_after: contextText(linesAt(lines, end, end + 3)),
  };
}

/**
 * A `write_file` call. The path is already checked. `file` is null if the path is free; `lastReadBlob` is the blob at
 * this path that the run read last.
 */
type WriteInput = {
  readonly path: string;
  readonly repositoryName: string;
  readonly file: StoredFile | null;
  readonly content: string;
  readonly lastReadBlob: string | null;
};

/** Builds the change of a `write_file` call. Finds every error here, before people are asked. */
export function buildWrite({ path, repositoryName, file, content, lastReadBlob }: WriteInput): BuildResult {
  const existing = file === null ? null : editableVersion(path, file);
  if (existing?.kind === 'refused') return existing;
  const before = existing?.version ?? null;
  if (before !== null && lastReadBlob !== before.ref.blob) {
    const lines = countLines(before.text);
    return refuse(
      `Not proposed: ${path} exists (${lines} lines) and this run has not read its current version. Read it with read_file first.`,
    );
  }
  const text = before === null ? content : keepFileEncoding(before.text, content);
  const written = textVersion(path, text, before?.ref.mode ?? '100644');
  if (written.kind === 'refused') return written;
  return buildChange({ op: 'write', path, repositoryName, before, after: written.version });
}

/**
 * Models never see byte order marks and CRs, so their content lacks them. Restores both, so that unchanged lines keep
 * their bytes. Content with CRLF of its own stays as it is.
 */
function keepFileEncoding(existing: string, content: string): string {
  const addsMark = existing.startsWith(BYTE_ORDER_MARK) && !content.startsWith(BYTE_ORDER_MARK);
  const text = addsMark && content !== '' ? BYTE_ORDER_MARK + content : content;
  if (!existing.includes('\r\n') || text.includes('\r\n')) return text;
  return keepLineEndings(existing, text, dominantLineEnding(existing));
}

/** The replacement that a model requests. */
export type EditRequest = { readonly oldString: string; readonly newString: string; readonly replaceAll: boolean };

/** The text after an edit. `first` is the first match in the old text. */
type EditedText = {
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

function lineOfMatch(lines: LineTable, { start }: Pick<TextMatch, 'start'>): number {
  return lineIndexAt(lines, start) + 1;
}

/** T6, from the text as the model sees it. The question is left out if nothing is similar. */
function matchNotFound(path: string, shown: LineTable, { oldString, newString }: EditRequest, hasSecrets: boolean) {
  const parts = [`old_string not found in ${path}. File contains ${shown.lineCount} lines.`];
  const alike = findAlikeText(shown.text, oldString);
  const near = alike === null ? findNearMatches(shown.text, oldString) : [];
  if (alike !== null)
    parts.push(
      `Did you mean: ${quoteStart(alike.text, MAX_ALIKE_CHARACTERS)} (line ${lineOfMatch(shown, alike)})?`,
      alike.difference,
    );
  if (near.length > 0) parts.push(`Did you mean: ${near.map(quoteNearMatch).join(', ')}?`);
  const [present] = findMatches(shown.text, newString, 'all');
  if (present !== undefined) parts.push(`new_string is already present at line ${lineOfMatch(shown, present)}.`);
  if (hasSecrets) parts.push(`Secrets, shown as ${REDACTED}, cannot be matched.`);
  return parts.join(' ');
}

const MAX_NEAR_CHARACTERS = 400;

/** What people would read as old_string is quoted whole, so that the model can send it back. */
const MAX_ALIKE_CHARACTERS = 16_000;

function quoteNearMatch({ text, line }: NearMatch): string {
  return `${quoteStart(text, MAX_NEAR_CHARACTERS)} (line ${line})`;
}

function quoteStart(text: string, maxCharacters: number): string {
  return quoteExactly(text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text);
}

/** Spaces other than U+0020. */
const UNUSUAL_SPACE = /[\p{Zs}--[ ]]/gv;

/** A character followed by combining marks. */
const COMBINED_CHARACTER = /(\P{M})(\p{M}+)/gu;

/** Letters that models write as other ones, such as the signs of ohm and angstrom. */
const CHANGED_BY_NFC = /[^\p{ASCII}\p{M}]/gu;

/** Quotes as JSON, so that the model can send it back unchanged, and escapes confusing and invisible characters. */
function quoteExactly(text: string): string {
  return replaceHiddenCharacters(JSON.stringify(text), ({ codePoint }) =>
    escapeCodeUnits(String.fromCodePoint(codePoint)),
  )
    .replace(UNUSUAL_SPACE, escapeCodeUnits)
    .replace(CHANGED_BY_NFC, (one) => (one.normalize('NFC') === one ? one : escapeCodeUnits(one)))
    .replace(COMBINED_CHARACTER, (whole, base: string, marks: string) =>
      whole.normalize('NFC') === whole ? whole : base + escapeCodeUnits(marks),
    );
}

function escapeCodeUnits(characters: string): string {
  const units = characters.split('').map((unit) => unit.charCodeAt(0));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

type LineEnding = '\n' | '\r\n';

/** The line ending of most lines; LF for a tie or a text without line endings. */
export function dominantLineEnding(text: string): LineEnding {
  if (!text.includes('\r\n')) return '\n';
  const pairs = text.split('\r\n').length - 1;
  return pairs > countLineFeeds(text) - pairs ? '\r\n' : '\n';
}

/**
 * Gives a replacement the endings of the file: a line that equals a replaced one keeps its bytes, at most one for each
 * old line; preferably in order. Other lines get the dominant ending, so that mixed files do not become more mixed.
 */
export function keepLineEndings(replaced: string, replacement: string, dominant: LineEnding): string {
  const old = splitLines(replaced).filter(isTerminated);
  const lines = splitLines(replacement);
  const pairs = pairLines(old.map(withoutLineEnding), lines.filter(isTerminated).map(withoutLineEnding));
  const inOrder = new Map(old.map((line, index) => [pairs[index] ?? UNPAIRED, line]));
  const others = Map.groupBy(
    old.filter((_, index) => pairs[index] === UNPAIRED),
    withoutLineEnding,
  );
  const kept = lines.map((line, index) => {
    if (!isTerminated(line)) return line;
    return inOrder.get(index) ?? others.get(withoutLineEnding(line))?.shift() ?? withLineEnding(line, dominant);
  });
  return kept.join('');
}

/**
 * A line with another ending. A line that ends in CR CRLF stays: the first CR would otherwise become part of the
 * ending.
 */
function withLineEnding(line: string, ending: LineEnding): string {
  const bare = withoutLineEnding(line);
  return bare.endsWith('\r') ? line : bare + ending;
}
