import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import { escapeHtml, Html, html } from './html.ts';

type Highlighter = {
  readonly getLanguage: (name: string) => object | undefined;
  readonly highlight: (
    text: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ) => { readonly value: string };
};

// Its own types would bring those of a browser into the whole repository.
const hljs: Highlighter = createRequire(import.meta.url)('highlight.js/lib/common');

/** A row of a diff; a missing line of one side has no number. */
export type DiffRow = {
  readonly kind: 'context' | 'added' | 'removed';
  readonly before: number | null;
  readonly after: number | null;
  readonly code: Html;
};

function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return hljs.getLanguage(name) === undefined ? null : name;
}

/** Beyond this size coloring takes longer than a person waits. */
const MAX_COLORED_CHARACTERS = 200_000;

const COLORED = new LRUCache<string, readonly Html[]>({ max: 500 });

/** Colors a text by the language of its path, and returns its lines. */
export function colorLines(text: string, path: string): readonly Html[] {
  const language = text.length > MAX_COLORED_CHARACTERS ? null : languageOf(path);
  if (language === null) return splitMarkup(escapeHtml(text));
  const key = `${language} ${text}`;
  const colored = COLORED.get(key) ?? splitMarkup(hljs.highlight(text, { language, ignoreIllegals: true }).value);
  COLORED.set(key, colored);
  return colored;
}

/** Splits markup into lines: what a line leaves open is closed at its end, and opened again on the next one. */
function splitMarkup(markup: string): readonly Html[] {
  let open: readonly string[] = [];
  return markup.split('\n').map((line) => {
    const reopened = open.join('');
    for (const [tag] of line.matchAll(/<\/?span[^>]*>/g))
      open = tag.startsWith('</') ? open.slice(0, -1) : [...open, tag];
    return new Html(reopened + line + '</span>'.repeat(open.length));
  });
}

/** How many lines or characters are equal at the beginning, and at the end. */
function commonEnds(before: readonly string[], after: readonly string[]) {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { head, tail };
}

/** The rows of a change that replaces some lines by others. `first` is the number of the first line. */
export function replacementRows(
  before: readonly string[],
  after: readonly string[],
  first: number,
  path: string,
): readonly DiffRow[] {
  const { head, tail } = commonEnds(before, after);
  const lines = [
    ...before.slice(0, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(before.length - tail).map((line) => ` ${line}`),
  ];
  return patchRows(lines, `@@ -${first} +${first}`, path);
}

/** The rows of a hunk with this header, whose lines begin with a space, `-`, `+` or a backslash. */
export function patchRows(lines: readonly string[], header: string, path: string): readonly DiffRow[] {
  const [, firstBefore = '1', firstAfter = '1'] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header) ?? [];
  const sideOf = (other: string): readonly Html[] => {
    const side = lines.filter((line) => !line.startsWith(other) && !line.startsWith('\\'));
    return colorLines(side.map((line) => line.slice(1)).join('\n'), path);
  };
  const [old, fresh] = [sideOf('+'), sideOf('-')];
  let [left, right] = [0, 0];
  const rows = lines.flatMap((line): readonly DiffRow[] => {
    const before = Number(firstBefore) + left;
    const after = Number(firstAfter) + right;
    switch (line.charAt(0)) {
      case '-':
        left += 1;
        return [{ kind: 'removed', before, after: null, code: old[left - 1] ?? html`` }];
      case '+':
        right += 1;
        return [{ kind: 'added', before: null, after, code: fresh[right - 1] ?? html`` }];
      case '\\':
        return [];
      default:
        left += 1;
        right += 1;
        return [{ kind: 'context', before, after, code: fresh[right - 1] ?? html`` }];
    }
  });
  return markChangedParts(rows, lines);
}

/** Marks the part that differs where as many lines are added as are removed above. */
function markChangedParts(rows: readonly DiffRow[], lines: readonly string[]): readonly DiffRow[] {
  const texts = lines.filter((line) => !line.startsWith('\\'));
  const marked = [...rows];
  for (let at = 0; at < rows.length; at += 1) {
    if (rows[at]?.kind !== 'removed' || rows[at - 1]?.kind === 'removed') continue;
    const removed = countFrom(rows, at, 'removed');
    if (countFrom(rows, at + removed, 'added') !== removed) continue;
    for (let index = at; index < at + removed; index += 1) markPair(marked, texts, index, index + removed);
  }
  return marked;
}

function countFrom(rows: readonly DiffRow[], at: number, kind: DiffRow['kind']): number {
  const end = rows.findIndex((row, index) => index >= at && row.kind !== kind);
  return (end === -1 ? rows.length : end) - at;
}

function markPair(rows: DiffRow[], texts: readonly string[], left: number, right: number): void {
  const [before, after] = [texts[left]?.slice(1) ?? '', texts[right]?.slice(1) ?? ''];
  const { head, tail } = commonEnds(before.split(''), after.split(''));
  // Lines that have little in common are new, not changed.
  if (head + tail < Math.min(before.length, after.length) / 3) return;
  for (const [index, text] of [[left, before] as const, [right, after] as const]) {
    const row = rows[index];
    if (row !== undefined) rows[index] = { ...row, code: markRange(row.code, head, text.length - tail) };
  }
}

/** Marks the characters of colored code from `from` to before `to`. */
function markRange({ markup }: Html, from: number, to: number): Html {
  let at = 0;
  const pieces = markup.match(/<[^>]*>|&[^;]+;|[^<&]/gs) ?? [];
  const marked = pieces.map((piece) => {
    if (piece.startsWith('<')) return piece;
    const isInside = at >= from && at < to;
    at += piece.startsWith('&') ? 1 : piece.length;
    return isInside ? `<mark>${piece}</mark>` : piece;
  });
  return new Html(marked.join('').replaceAll('</mark><mark>', ''));
}

const SIGNS = { context: ' ', added: '+', removed: '-' } as const;

/** A table with both line numbers and one column of code. `below` adds rows under one. */
export function unifiedTable(rows: readonly DiffRow[], below: (row: DiffRow) => Html | null = () => null): Html {
  return html`${rows.map(
    (row) =>
      html`<tr class="diff-${row.kind}"><td class="line" data-line="${row.before}"></td><td class="line" data-line="${row.after}"></td><td class="code" data-sign="${SIGNS[row.kind]}">${row.code}</td></tr>${below(row)}`,
  )}`;
}

/** A table with the old lines on the left and the new ones on the right. */
export function splitTable(rows: readonly DiffRow[], below: (row: DiffRow) => Html | null): Html {
  const pairs: (readonly [DiffRow | null, DiffRow | null])[] = [];
  for (let at = 0; at < rows.length; ) {
    const left = rows.slice(at, at + countFrom(rows, at, 'removed'));
    at += left.length;
    const right = rows.slice(at, at + countFrom(rows, at, 'added'));
    at += right.length;
    const same = rows.slice(at, at + countFrom(rows, at, 'context'));
    at += same.length;
    const { length } = left.length > right.length ? left : right;
    for (let index = 0; index < length; index += 1) pairs.push([left[index] ?? null, right[index] ?? null]);
    pairs.push(...same.map((row) => [row, row] as const));
  }
  const cells = (row: DiffRow | null, line: number | null): Html =>
    row === null
      ? html`<td class="line nothing"></td><td class="code nothing"></td>`
      : html`<td class="line cell-${row.kind}" data-line="${line}"></td><td class="code cell-${row.kind}" data-sign="${SIGNS[row.kind]}">${row.code}</td>`;
  return html`${pairs.map(
    ([left, right]) =>
      html`<tr>${cells(left, left?.before ?? null)}${cells(right, right?.after ?? null)}</tr>${left !== right && left !== null && below(left)}${right !== null && below(right)}`,
  )}`;
}
