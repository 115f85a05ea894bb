import { findCredentials, REDACTED } from '../../lib/credentials.ts';
import { formatList, formatNumber } from '../../lib/format.ts';
import type { Region } from './change.ts';
import { codePointName, findHiddenCharacters } from './text/characters.ts';
import { parseHunks } from './text/hunks.ts';
import { withoutLineEnding } from './text/lines.ts';

/** A line of a file without its end. `number` is 1-based. */
type Line = { readonly number: number; readonly text: string };

/** A character that nobody sees, and its 1-based line. */
type HiddenPlace = { readonly codePoint: number; readonly line: number };

/** The first character that nobody sees and of which the new lines of a region have more than the old ones. */
export function findAddedHidden({ oldStart, newStart, old, new: added }: Region): HiddenPlace | null {
  return addedHidden(numberLines(oldStart, old), numberLines(newStart, added))[0] ?? null;
}

function numberLines(start: number, lines: readonly string[]): readonly Line[] {
  return lines.map((line, index) => ({ number: start + index, text: withoutLineEnding(line) }));
}

function addedHidden(old: readonly Line[], added: readonly Line[]): readonly HiddenPlace[] {
  const found = hiddenIn(added);
  if (found.length === 0) return [];
  const known = new Map<number, number>();
  for (const { codePoint } of hiddenIn(old)) known.set(codePoint, (known.get(codePoint) ?? 0) + 1);
  return found.filter(({ codePoint }) => {
    const left = known.get(codePoint) ?? 0;
    known.set(codePoint, left - 1);
    return left <= 0;
  });
}

function hiddenIn(lines: readonly Line[]): readonly HiddenPlace[] {
  return lines.flatMap(({ number, text }) =>
    findHiddenCharacters(text, number === 1).map(({ codePoint }) => ({ codePoint, line: number })),
  );
}

/** The name of a character and its line, as in `U+200B in line 3`. */
export function nameHidden({ codePoint, line }: HiddenPlace): string {
  const name = codePointName(String.fromCodePoint(codePoint));
  return `${codePoint === CR ? `${name} (CR)` : name} in line ${line}`;
}

/** People know this one by its name. Before an LF it is no hidden character. */
const CR = 0x0d;

/** What a reader of a diff could overlook, one sentence each, as plain text. No standing approval covers such a change. */
export function describeMisleading(diff: string): readonly string[] {
  const { added, removed, respaced } = readRows(diff);
  const hidden = addedHidden(removed, added);
  const mixed = added.flatMap(({ number, text }) => mixedWords(text).map((word) => `${word} in line ${number}`));
  const long = [...added, ...removed].filter(({ text }) => columnsOf(text) > MAX_COLUMNS);
  const placeholders = added.filter(({ text }) => text.includes(REDACTED));
  const credentials = credentialsIn(added);
  return [
    sentence(hidden.map(nameHidden), (names) => `This adds characters that nobody sees: ${names}.`),
    sentence(mixed, (names) => `These words mix letters of several alphabets: ${names}.`),
    sentence(respaced.map(nameLine), (names) => `Only white space differs: ${names}.`),
    sentence(long.map(nameLine), (names) => `More than ${MAX_COLUMNS} columns: ${names}. Scroll to the end.`),
    sentence(
      credentials,
      (names) => `This seems to add a credential: ${names}. Anyone who can read the branch could use it.`,
    ),
    sentence(
      placeholders.map(nameLine),
      (names) => `This adds ${REDACTED}, which the agent sees in place of a secret: ${names}.`,
    ),
  ].flat();
}

/** Names the characters that nobody sees and that stay in the shown lines or leave them; null if there are none. */
export function describeKnownHidden(diff: string): string | null {
  const { added, removed, context } = readRows(diff);
  const isNew = new Set(addedHidden(removed, added).map(nameHidden));
  const known = [...hiddenIn(context), ...hiddenIn(removed), ...hiddenIn(added)].map(nameHidden);
  const names = [...new Set(known)].filter((name) => !isNew.has(name));
  return names.length === 0 ? null : `The file has characters that nobody sees: ${listFirst(names)}.`;
}

/** Why the path of a new file can be taken for another one; null if it cannot. */
export function describeMixedPath(path: string): string | null {
  const words = mixedWords(path);
  return words.length === 0 ? null : `The path ${path} mixes letters of several alphabets: ${listFirst(words)}.`;
}

type Rows = {
  readonly added: Line[];
  readonly removed: Line[];
  readonly context: Line[];
  /** Added lines that differ from a removed line of the same place in white space alone. */
  readonly respaced: Line[];
};

function readRows(diff: string): Rows {
  const rows: Rows = { added: [], removed: [], context: [], respaced: [] };
  for (const { oldStart, newStart, lines } of parseHunks(diff)) {
    let [oldNumber, newNumber] = [oldStart, newStart];
    let replaced = new Set<string>();
    for (const { kind, text: row, isUnterminated } of lines) {
      const text = isUnterminated ? row : row.replace(/\r$/, '');
      const line = { number: kind === 'removed' ? oldNumber : newNumber, text };
      rows[kind].push(line);
      if (kind === 'context') replaced = new Set();
      if (kind === 'removed') replaced.add(withoutSpace(row));
      if (kind === 'added' && replaced.has(withoutSpace(row))) rows.respaced.push(line);
      if (kind !== 'added') oldNumber += 1;
      if (kind !== 'removed') newNumber += 1;
    }
  }
  return rows;
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/gu, '');
}

const WORD = /[\p{L}\p{M}\p{N}_$]+/gu;

/** East Asian words stand beside Latin ones without a space. */
const OTHER_SCRIPT = String.raw`[\p{L}--[\p{Script=Latin}\p{Script=Common}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}가-힣]]`;

/** Forms of ASCII letters, wide, mathematical, joined or as numerals, and letters that look like signs, a, g or s. */
const DISGUISED_LATIN = String.raw`[\uFF21-\uFF3A\uFF41-\uFF5A\u{1D400}-\u{1D7FF}\u2100-\u214F\u2160-\u2188\uFB00-\uFB06\u01C0-\u01C3\u0251\u0261\u017F]`;

/** Modifier letters that look like quotes, colons or signs. Those of natural words, as in Hawaiʻi, are none. */
const MODIFIER = String.raw`[\u02B9\u02BA\u02C6-\u02D1\u02EE]`;

/** East Asian letters that look like signs, where ASCII stands on both sides. */
const EAST_ASIAN_SIGN = String.raw`(?<=[\w$])[一丨丶丿二〇ノニーｰ]+(?=[\w$])`;

const MIXED = new RegExp(`${OTHER_SCRIPT}|${DISGUISED_LATIN}|${MODIFIER}|${EAST_ASIAN_SIGN}`, 'v');

/** The words that mix ASCII letters with other letters that a reader can take for signs or for ASCII. */
function mixedWords(text: string): readonly string[] {
  if (!MIXED.test(text)) return [];
  return (text.match(WORD) ?? []).filter((word) => /[A-Za-z]/.test(word) && MIXED.test(word));
}

const MAX_COLUMNS = 200;

const TAB_COLUMNS = 8;

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;

/** The width of a line: a tab reaches to a multiple of eight, and East Asian letters and emoji take two columns. */
function columnsOf(line: string): number {
  if (line.length * TAB_COLUMNS <= MAX_COLUMNS || /^[^\t\P{ASCII}]*$/u.test(line)) return line.length;
  let columns = 0;
  for (const character of line)
    columns += character === '\t' ? TAB_COLUMNS - (columns % TAB_COLUMNS) : WIDE.test(character) ? 2 : 1;
  return columns;
}

/** Names the kind and the line, never the value: more people read the page than the file. */
function credentialsIn(lines: readonly Line[]): readonly string[] {
  // The whole text first: nearly every diff has none, and a key has several lines.
  const kinds = findCredentials(lines.map(({ text }) => text).join('\n'));
  if (kinds.length === 0) return [];
  const found = lines.flatMap(({ number, text }) => findCredentials(text).map((kind) => ({ kind, number })));
  return [
    ...found.map(({ kind, number }) => `${kind} in line ${number}`),
    ...kinds.filter((kind) => found.every((one) => one.kind !== kind)),
  ];
}

function nameLine({ number }: Line): string {
  return `line ${number}`;
}

function sentence(names: readonly string[], write: (names: string) => string): readonly string[] {
  return names.length === 0 ? [] : [write(listFirst(names))];
}

const MAX_NAMED = 5;

/** The first few names; the others are counted. */
function listFirst(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return more > 0 ? `${names.slice(0, MAX_NAMED).join(', ')} and ${formatNumber(more)} more` : formatList(names);
}
