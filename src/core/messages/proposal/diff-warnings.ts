import { findCredentials, REDACTED } from '../../../lib/credentials.ts';
import { formatList, formatNumber } from '../../../lib/format.ts';
import type { FileChange } from '../../edits/change.ts';
import { columnsOf, hasWideGap, isCodeReordered, isPathReordered } from '../../edits/misleading-text/line-display.ts';
import { findLookAlikes, findLookAlikesInPath, type LookAlike } from '../../edits/misleading-text/look-alikes.ts';
import { codePointName, findHiddenCharacters } from '../../edits/text/unicode.ts';
import { findProtectingGlob } from '../../policy/path-policy.ts';
import { matchProtectedFiles, type ProtectedEffect } from '../../policy/path-tables.ts';
import type { SyntaxProblem } from '../../state/proposal.ts';

/** A line that a diff adds, without its terminator, and as the diff shows it. `number` is 1-based in the new file. */
export type AddedLine = { readonly number: number; readonly text: string; readonly shown: string };

/** A line that a diff removes, as it is in the old file. `number` is 1-based there. */
export type RemovedLine = Pick<AddedLine, 'number' | 'text'>;

/** Sentences about details of added lines that a reader might overlook, as plain text. */
export function addedLineWarnings(added: readonly AddedLine[], path: string): readonly string[] {
  return [
    hiddenWarning(added),
    lookAlikeWarning(added, path),
    displayOrderWarning(added, path),
    headerWarning(added),
    longLineWarning(added),
    gapWarning(added),
    credentialWarning(added),
    placeholderWarning(added),
  ].filter((warning) => warning !== null);
}

/** Warnings of removed lines with an unseen end. Where added lines have such a warning, the reader scrolls anyway. */
export function removedLineWarnings(removed: readonly RemovedLine[], added: readonly AddedLine[]): readonly string[] {
  const long = longLineWarning(added) === null ? findLongLines(removed) : [];
  const wide = gapWarning(added) === null ? removed.filter(({ text }) => hasWideGap(text)) : [];
  return [
    ...(long.length === 0 ? [] : [`Removes very long text: ${nameLongLines(long)}. ${SCROLL}`]),
    ...(wide.length === 0 ? [] : [`Removes text behind wide space: ${listFirst(wide, nameLine)}. ${SCROLL}`]),
  ];
}

const SCROLL = 'Scroll to the end before you decide.';

function nameLine({ number }: RemovedLine): string {
  return `line ${number}`;
}

/** Sentences about the paths of a change, as plain text. */
export function fileWarnings(change: FileChange, protectedPaths: readonly string[]): readonly string[] {
  return [...newPathWarnings(change), ...protectedPathWarnings(change, protectedPaths)];
}

/** The model was told of the error and sent the change again, which can be right: grammars can be old. */
export function syntaxWarning({ path, line, what }: SyntaxProblem): string {
  return `With this change ${path} does not seem to parse: line ${line}: ${what}. The agent was told, and insists.`;
}

/** Only a path that this change adds to the repository is checked for what it looks like. */
function newPathWarnings({ path, base, from }: FileChange): readonly string[] {
  if (base !== null && from === null) return [];
  return [pathWarning(path), pathOrderWarning(path)].filter((warning) => warning !== null);
}

/** Warns about files that act without anyone calling them, and about those that the settings name. */
function protectedPathWarnings({ path, from }: FileChange, protectedPaths: readonly string[]): readonly string[] {
  return [path, ...(from === null ? [] : [from])].flatMap((one) => protectionTexts(one, protectedPaths));
}

/** Sentences about a protected path; none for another one. */
function protectionTexts(path: string, protectedPaths: readonly string[]): readonly string[] {
  const found = matchProtectedFiles(path);
  if (found === null)
    return findProtectingGlob(path, protectedPaths) === null
      ? []
      : [`${path} is one of the protected_paths of the settings.`];
  const { row, byLikeness } = found;
  return [`${path} ${byLikeness ? 'looks like' : 'is'} ${row.kind}: its content ${EFFECT_TEXT[row.effect]}.`];
}

const EFFECT_TEXT = {
  'runs code': 'can run as code',
  'steers coding agents': 'steers coding agents',
  'steers coding agents and runs code': 'steers coding agents and can run as code',
} as const satisfies Record<ProtectedEffect, string>;

/** Longer lines continue beyond the right edge of a diff on GitHub. */
const MAX_COLUMNS_IN_FRAME = 160;

const MAX_NAMED_IN_WARNING = 5;

/** The first few names; the others are counted. */
function listFirst<Item>(items: readonly Item[], nameOf: (item: Item) => string): string {
  const names = items.slice(0, MAX_NAMED_IN_WARNING).map(nameOf);
  const remaining = items.length - MAX_NAMED_IN_WARNING;
  return remaining > 0 ? `${names.join(', ')} and ${formatNumber(remaining)} more` : formatList(names);
}

function hiddenWarning(added: readonly AddedLine[]): string | null {
  const found = added.flatMap(({ number, text }) =>
    findHiddenCharacters(text, number === 1).map(({ codePoint }) => ({ codePoint, number })),
  );
  if (found.length === 0) return null;
  const names = listFirst(
    found,
    ({ codePoint, number }) => `${codePointName(String.fromCodePoint(codePoint))} in line ${number}`,
  );
  return `This adds invisible characters: ${names}. The diff shows them escaped.`;
}

function lookAlikeWarning(added: readonly AddedLine[], path: string): string | null {
  const found = added.flatMap(({ number, text }) =>
    findLookAlikes(text, path).map((one) => ({ ...one, line: number })),
  );
  if (found.length === 0) return null;
  return `This adds look-alike characters: ${listFirst(found, (one) => `${lookAlikeName(one)} in line ${one.line} (${describeLikeness(one.looksLike)})`)}.`;
}

/** Warns about look-alike characters in a new path; null if it has none. */
function pathWarning(path: string): string | null {
  const found = findLookAlikesInPath(path);
  if (found.length === 0) return null;
  return `The path ${path} has look-alike characters: ${listFirst(found, (one) => `${lookAlikeName(one)} (${describeLikeness(one.looksLike)})`)}.`;
}

/** Names the segments apart from each other, because any text with the path in it has them in the other order. */
function pathOrderWarning(path: string): string | null {
  if (!isPathReordered(path)) return null;
  return `Right-to-left letters change the displayed order of the path ${path}: it is ${path.split('/').join(', then ')}.`;
}

function lookAlikeName({ codePoint }: LookAlike): string {
  return codePointName(String.fromCodePoint(codePoint));
}

function describeLikeness(like: string | null): string {
  if (like === null) return 'from another alphabet';
  return like === ' ' ? 'like a space' : `like \`${like}\``;
}

/** Names the kind and the line, never the value: more people read the page than the file. */
function credentialWarning(added: readonly AddedLine[]): string | null {
  // The whole text first, because nearly every diff has none, and a value can stand below its name.
  const names = findCredentials(added.map(({ text }) => text).join('\n'));
  if (names.length === 0) return null;
  const found = added.flatMap(({ number, text }) => findCredentials(text).map((name) => ({ name, number })));
  const places = found.map(({ name, number }) => `${name} in line ${number}`);
  const inSeveralLines = names.filter((name) => found.every((one) => one.name !== name));
  return `This seems to add a credential: ${listFirst([...places, ...inSeveralLines], (place) => place)}. Anyone who can read the branch could use it.`;
}

/** A model can copy the placeholder from one file into another, where it then stands in place of a value. */
function placeholderWarning(added: readonly AddedLine[]): string | null {
  const found = added.filter(({ text }) => text.includes(REDACTED));
  if (found.length === 0) return null;
  return `This adds ${REDACTED}, which the agent sees in place of a secret: ${listFirst(found, ({ number }) => `line ${number}`)}. Check whether a value is missing there.`;
}

/** Displays put right-to-left letters and all that is between two of them in the other order, code included. */
function displayOrderWarning(added: readonly AddedLine[], path: string): string | null {
  const found = added.filter(({ text }) => isCodeReordered(text, path));
  if (found.length === 0) return null;
  return `Right-to-left letters change the displayed order of code: ${listFirst(found, ({ number }) => `line ${number}`)}.`;
}

/** An added line that its plus sign turns into a row like the one with the name of a file. */
const LIKE_HEADER = /^\+\+ \S*[./]/;

function headerWarning(added: readonly AddedLine[]): string | null {
  const found = added.filter(({ text }) => LIKE_HEADER.test(text));
  if (found.length === 0) return null;
  return `These added lines look like the start of another file’s diff, and are not: ${listFirst(found, ({ number }) => `line ${number}`)}.`;
}

/** The lines that continue beyond the right edge. */
export function findLongLines<Line extends RemovedLine>(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ text }) => columnsOf(text) > MAX_COLUMNS_IN_FRAME);
}

function longLineWarning(added: readonly AddedLine[]): string | null {
  const long = findLongLines(added);
  if (long.length === 0) return null;
  return `Very long: ${nameLongLines(long)}. ${SCROLL}`;
}

function nameLongLines(long: readonly RemovedLine[]): string {
  return listFirst(long, ({ number, text }) => `line ${number} (${formatNumber(columnsOf(text))} columns)`);
}

/** Wide space within a line can push code beyond the right edge, also where the frame is narrow. */
function gapWarning(added: readonly AddedLine[]): string | null {
  const wide = added.filter(({ text }) => hasWideGap(text));
  if (wide.length === 0) return null;
  return `Wide space before more text: ${listFirst(wide, nameLine)}. ${SCROLL}`;
}
