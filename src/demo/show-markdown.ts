import { stripVTControlCharacters } from 'node:util';
import { visible } from '../render/visible.ts';
import type { Anchor } from './page.ts';
import { type Terminal, wrap } from './terminal.ts';

const WIDTH = 96;

/** A block of a comment: fenced lines, a table, or one line of prose. */
type Block =
  | { readonly kind: 'fence'; readonly info: string; readonly lines: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly string[] }
  | { readonly kind: 'line'; readonly text: string };

/** A comment's Markdown as lines for a terminal. A suggestion is shown as a diff of the lines it stands on, as GitHub does. */
export function showMarkdown(body: string, anchor: Anchor | null, { paint }: Terminal): readonly string[] {
  const blocks = blocksOf(withoutMarkers(visible(body.replaceAll('\r\n', '\n'))));
  return withoutRepeatedBlanks(blocks.flatMap((block) => showBlock(block, anchor, paint)));
}

function showBlock(block: Block, anchor: Anchor | null, paint: Paint): readonly string[] {
  switch (block.kind) {
    case 'fence':
      return fenced(block.info, block.lines, anchor, paint);
    case 'table':
      return table(block.rows, paint);
    case 'line':
      return prose(block.text, paint);
  }
}

type Paint = Terminal['paint'];

function withoutMarkers(body: string): string {
  return body.replaceAll(/^<!--.*-->$/gm, '').replaceAll(/^<\/?details>$/gm, '');
}

function blocksOf(body: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = body.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const [, ticks, info = ''] = /^(`{3,})(.*)$/.exec(line) ?? [];
    const start = index + 1;
    if (ticks !== undefined) {
      while (index + 1 < lines.length && lines[index + 1] !== ticks) index += 1;
      blocks.push({ kind: 'fence', info, lines: lines.slice(start, index + 1) });
      index += 1;
    } else if (line.startsWith('|')) {
      while (lines[index + 1]?.startsWith('|')) index += 1;
      blocks.push({ kind: 'table', rows: lines.slice(start - 1, index + 1) });
    } else blocks.push({ kind: 'line', text: line });
  }
  return blocks;
}

function fenced(info: string, lines: readonly string[], anchor: Anchor | null, paint: Paint): readonly string[] {
  if (info === 'diff') return lines.map((line) => diffLine(line, paint));
  if (info !== 'suggestion') return lines.map((line) => `    ${line}`);
  return suggestionRows(anchor?.lines.map(visible) ?? [], lines).map((line) => diffLine(line, paint));
}

/** A suggestion repeats lines that stay, to have something to stand on; they are no change. */
function suggestionRows(before: readonly string[], after: readonly string[]): readonly string[] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [
    ...before.slice(0, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(before.length - tail).map((line) => ` ${line}`),
  ];
}

/** Blanks at the end of a changed line are made visible: they may be all that differs. */
function diffLine(line: string, paint: Paint): string {
  const marked = /^[+-]/.test(line) ? line.replace(/[ \t]+$/, (blanks) => '·'.repeat(blanks.length)) : line;
  if (/^(?:\+\+\+|---) /.test(line)) return paint('bold', `  ${marked}`);
  if (line.startsWith('@@')) return paint('cyan', `  ${marked}`);
  if (line.startsWith('+')) return paint('green', `  ${marked}`);
  if (line.startsWith('-')) return paint('red', `  ${marked}`);
  return paint('dim', `  ${marked}`);
}

function prose(text: string, paint: Paint): readonly string[] {
  const summary = /^<summary>(.*)<\/summary>$/.exec(text)?.[1];
  if (summary !== undefined) return [paint('dim', `▾ ${summary}`)];
  const quoted = /^> ?(.*)$/.exec(text)?.[1];
  if (quoted !== undefined) return wrap(inline(quoted, paint), WIDTH - 2).map((line) => `${paint('dim', '│')} ${line}`);
  const item = /^- (.*)$/.exec(text)?.[1];
  if (item !== undefined)
    return wrap(inline(item, paint), WIDTH - 2).map((line, index) => `${index === 0 ? '•' : ' '} ${line}`);
  return wrap(inline(text, paint), WIDTH);
}

const INLINE =
  /\*\*(.+?)\*\*|(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\2(?!`)|\[((?:[^[\]]|`[^`]*`)+)\]\([^)]*\)|\\([!-/:-@[-`{-~])/g;

/** Bold, code and the labels of links; addresses lead to no page here. */
function inline(text: string, paint: Paint): string {
  return text.replaceAll(
    INLINE,
    (_whole, bold?: string, _ticks?: string, code?: string, label?: string, escaped?: string) => {
      if (bold !== undefined) return paint('bold', inline(bold, paint));
      if (code !== undefined) return paint('cyan', code);
      if (label !== undefined) return paint('underline', inline(label, paint));
      return escaped ?? '';
    },
  );
}

function table(rows: readonly string[], paint: Paint): readonly string[] {
  const cells = rows
    .filter((row) => !/^[|\s:-]+$/.test(row))
    .map((row) =>
      row
        .replace(/^\||\|$/g, '')
        .split('|')
        .map((cell) => inline(cell.trim(), paint)),
    );
  return columns(cells).map((line, index) => (index === 0 ? paint('bold', line) : line));
}

/** Rows of cells as lines in which the columns stand below each other. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const length = (cell: string): number => stripVTControlCharacters(cell).length;
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => length(row[column] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - length(cell))))
      .join('  ')
      .trimEnd(),
  );
}

function withoutRepeatedBlanks(lines: readonly string[]): readonly string[] {
  const kept = lines.filter((line, index) => line !== '' || (lines[index - 1] ?? '') !== '');
  return kept.at(-1) === '' ? kept.slice(0, -1) : kept;
}
