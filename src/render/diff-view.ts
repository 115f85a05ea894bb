import { hiddenCharacters } from '../change/hidden.ts';
import { type LookAlike, lookAlikes } from '../change/look-alikes.ts';
import { credentialsIn } from '../policy/credentials.ts';
import { codePointName, visible } from './visible.ts';
import { listOf, thousands } from './words.ts';

/** A unified diff made ready to be shown: lines without terminators, everything hidden written out. */
export type DiffView = {
  readonly lines: readonly string[];
  /** Added lines that are easily not read to their end, as `lines` shows them. */
  readonly long: readonly Pick<AddedLine, 'number' | 'shown'>[];
  /** Sentences about what a reader might overlook, in plain text. */
  readonly warnings: readonly string[];
};

const LONG_LINE = 400;
const NAMED_AT_MOST = 5;

/** A line that a diff adds, without its end, and as the diff shows it. `number` is its 1-based line in the new file. */
type AddedLine = { readonly number: number; readonly text: string; readonly shown: string };

/** Lines that a diff adds, with their number in the new file. `rows` are the same as they are shown. */
function addedLines(lines: readonly string[], rows: readonly string[]): readonly AddedLine[] {
  const added: AddedLine[] = [];
  let number = 0;
  let inHunk = false;
  for (const [index, line] of lines.entries()) {
    const start = line.startsWith('@@ ') ? /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line)?.[1] : undefined;
    if (start !== undefined) {
      number = Number(start);
      inHunk = true;
    } else if (inHunk && line.startsWith('+')) {
      const text = bareRow(line, lines[index + 1]).slice(1);
      const row = rows[index] ?? '';
      added.push({ number, text, shown: row === line ? text : row.slice(1) });
      number += 1;
    } else if (line.startsWith(' ')) number += 1;
  }
  return added;
}

const NO_FEED = '\\ No newline at end of file';

/** A row without the CR of its line's end; where no LF follows, a CR is a letter of the line. */
function bareRow(row: string, next: string | undefined): string {
  return next === NO_FEED ? row : withoutReturn(row);
}

/** The first of them by name. */
function named<Item>(items: readonly Item[], nameOf: (item: Item) => string): string {
  const names = items.slice(0, NAMED_AT_MOST).map(nameOf);
  const left = items.length - NAMED_AT_MOST;
  return left > 0 ? `${names.join(', ')} and ${thousands(left)} more` : listOf(names);
}

function hiddenWarning(added: readonly AddedLine[]): string | null {
  const found = added.flatMap(({ number, text }) =>
    hiddenCharacters(text, number === 1).map(({ codePoint }) => ({ codePoint, number })),
  );
  if (found.length === 0) return null;
  const names = named(
    found,
    ({ codePoint, number }) => `${codePointName(String.fromCodePoint(codePoint))} in line ${number}`,
  );
  return `This adds characters that cannot be seen: ${names}. The diff writes them out.`;
}

/** Only letters that stand beside those that they look like are named: what is all in another script is meant so. */
function lookAlikeWarning(added: readonly AddedLine[]): string | null {
  const found = added.flatMap(({ number, text }) => lookAlikes(text).map((one) => ({ ...one, line: number })));
  if (found.length === 0) return null;
  return `This adds characters that look like others: ${named(found, (one) => `${nameOf(one)} in line ${one.line} (${likeness(one.like)})`)}.`;
}

/**
 * The warning for a path that is new, which may be taken for another one; null where nothing in it looks like anything
 * else.
 */
export function pathWarning(path: string): string | null {
  const found = lookAlikes(path);
  if (found.length === 0) return null;
  return `The path ${path} holds characters that look like others: ${named(found, (one) => `${nameOf(one)} (${likeness(one.like)})`)}.`;
}

function nameOf({ codePoint }: LookAlike): string {
  return codePointName(String.fromCodePoint(codePoint));
}

function likeness(like: string | null): string {
  if (like === null) return 'of another alphabet';
  return like === ' ' ? 'like a blank' : `like \`${like}\``;
}

/** Never the value: whoever reads the page need not read the file. */
function credentialWarning(added: readonly AddedLine[]): string | null {
  // All at once first: nearly every diff has none.
  if (credentialsIn(added.map(({ text }) => text).join('\n')).length === 0) return null;
  const found = added.flatMap(({ number, text }) => credentialsIn(text).map((name) => ({ name, number })));
  if (found.length === 0) return null;
  return `This adds what looks like a credential: ${named(found, ({ name, number }) => `${name} in line ${number}`)}. Whoever can read the branch could use it.`;
}

function longLines(added: readonly AddedLine[]): readonly AddedLine[] {
  return added.filter(({ text }) => text.length > LONG_LINE);
}

function longLineWarning(added: readonly AddedLine[]): string | null {
  const long = longLines(added);
  if (long.length === 0) return null;
  const names = named(long, ({ number, text }) => `line ${number} (${thousands(text.length)} columns)`);
  return `Very long: ${names}. Read to its end before you decide.`;
}

/** A diff begins with the names of both versions: a later row that looks like one of them is a line. */
const HEADER_ROWS = 2;

/** CR before LF is noise where every line has it, and the whole story where only some have. */
function withoutCommonReturns(lines: readonly string[]): { readonly lines: readonly string[]; readonly crlf: boolean } {
  const rows = lines.slice(HEADER_ROWS).filter((line) => !line.startsWith('@@ '));
  // A last line without LF has a note below it, which ends with no CR either.
  const crlf = rows.length > 0 && rows.every((line) => line.endsWith('\r'));
  return { lines: crlf ? lines.map(withoutReturn) : lines, crlf };
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Prepares a unified diff for the page. */
export function viewDiff(unifiedDiff: string): DiffView {
  const raw = unifiedDiff.replace(/\n$/, '').split('\n');
  const { lines, crlf } = withoutCommonReturns(raw);
  // All at once first: nearly every diff shows itself.
  const shown = visible(unifiedDiff) === unifiedDiff ? lines : lines.map(visible);
  const added = addedLines(raw, shown);
  const warnings = [
    hiddenWarning(added),
    lookAlikeWarning(added),
    longLineWarning(added),
    credentialWarning(added),
    crlf ? 'All lines end with CR LF.' : null,
  ];
  return {
    lines: shown,
    long: longLines(added),
    warnings: warnings.filter((warning) => warning !== null),
  };
}
