import type { List, ListItem, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { redact } from '../../../lib/credentials.ts';
import { rememberTexts } from '../../../lib/remember-texts.ts';
import { escapeHiddenAndCr } from '../../edits/text/characters.ts';
import { blockQuote, codeBlock, escapeText, stripMarkers, truncate } from './markdown.ts';

/** The parser's names of everything within a line. Without them it reads blocks only. */
const INLINE_CONSTRUCTS: readonly string[] = [
  'attention',
  'autolink',
  'characterEscape',
  'characterReference',
  'codeText',
  'hardBreakEscape',
  'htmlText',
  'labelEnd',
  'labelStartImage',
  'labelStartLink',
];

/** The model's Markdown, quoted and labeled as the model's. */
export function quoteModelMarkdown(label: string, untrusted: string, maxCharacters: number): string {
  const quoted = quoteMarkdown(untrusted, maxCharacters);
  return quoted === '' ? '' : `${label}, written by the model:\n\n${quoted}`;
}

/**
 * The model's Markdown, quoted. Its blocks stay (lists, code, tables, quotes), and all its text is inert. Credentials
 * are redacted: the model may have read some, and more people read pull requests than files.
 */
export function quoteMarkdown(untrusted: string, maxCharacters: number): string {
  const text = redact(untrusted).trim();
  const { length } = [...text];
  const blocks = renderBlocks(truncate(text, maxCharacters));
  const note = length > maxCharacters ? [`(showing ${maxCharacters} of ${length} characters)`] : [];
  return blocks.length === 0
    ? blockQuote(text, maxCharacters)
    : prefixLines(joinParts([blocks, note]), QUOTE).join('\n');
}

/** The parser takes quadratic time for containers within containers on one line. */
const MANY_CONTAINERS = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){12}/m;

/**
 * The lines of untrusted Markdown as inert Markdown; none if its containers are nested too deep to read. Every update of
 * a comment quotes the same texts again.
 */
const renderBlocks = rememberTexts((untrusted: string): readonly string[] => {
  const text = stripMarkers(untrusted);
  if (MANY_CONTAINERS.test(text)) return [];
  return joinParts(fromMarkdown(text, { extensions: [BLOCKS_ONLY] }).children.map((node) => renderBlock(node, 0)));
});

/** Inline Markdown is read by `renderInline`. Without HTML blocks and definitions their lines are paragraphs. */
const BLOCKS_ONLY = { disable: { null: [...INLINE_CONSTRUCTS, 'definition', 'htmlFlow'] } };

/** Deeper containers are shown at this depth, so that a short text cannot become a long one. */
const MAX_DEPTH = 6;

function renderBlock(node: RootContent, depth: number): readonly string[] {
  switch (node.type) {
    case 'paragraph':
      return renderParagraph(textOf(node));
    case 'heading':
      return renderInline(textOf(node).replaceAll('*', ' ')).map((line) => `**${line}**`);
    case 'code':
      return renderCode(node.lang ?? '', node.value);
    case 'blockquote': {
      const lines = joinParts(node.children.map((child) => renderBlock(child, depth + 1)));
      return depth < MAX_DEPTH ? prefixLines(lines, QUOTE) : lines;
    }
    case 'list':
      return renderList(node, depth);
    default:
      return [];
  }
}

function textOf(node: Extract<RootContent, { type: 'paragraph' | 'heading' }>): string {
  return node.children.map((child) => ('value' in child ? child.value : '\n')).join('');
}

function renderParagraph(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/);
  const at = findTable(lines);
  if (at === -1) return lines.flatMap(renderInline);
  return joinParts([lines.slice(0, at).flatMap(renderInline), renderTable(lines.slice(at))]);
}

/**
 * Languages that GitHub only highlights. Others could become a suggestion, a diagram, a map or a formula; a diff would
 * look like one of the App's.
 */
const LANGUAGES: ReadonlySet<string> = new Set(
  (
    'bash c c# c++ cmake cpp cs csharp css csv dockerfile elixir erlang go graphql groovy haskell hcl html http ' +
    'ini java javascript js json json5 jsonc jsx julia kotlin kt less lua makefile md markdown nix objc ocaml perl php ' +
    'powershell proto py python r rb rs ruby rust scala scss sh shell sql svelte swift terraform tf toml ts tsx txt ' +
    'text typescript vue xml yaml yml zig zsh'
  ).split(' '),
);

function renderCode(language: string, value: string): readonly string[] {
  const info = LANGUAGES.has(language.toLowerCase()) ? language.toLowerCase() : '';
  return codeBlock(
    info,
    value
      .split(/\r\n|\n|\r/)
      .map(escapeHiddenAndCr)
      .map((line) => line.replace(/^(\s*)(?=\/(?![/*]))/, `$1${COMMAND_MARK}`)),
  ).split('\n');
}

/**
 * Before a line that begins with a slash, in code and in prose: below a diff of the model's own it would look like the
 * App's word. Comments in code can stay.
 */
const COMMAND_MARK = '… ';

/** Longer numbers start no list. */
const MAX_LIST_NUMBER = 99_999;

function renderList({ ordered, start, spread, children }: List, depth: number): readonly string[] {
  const first = Math.min(start ?? 1, MAX_LIST_NUMBER);
  const items = children.map((item, index) => renderItem(item, ordered === true ? `${first + index}. ` : '- ', depth));
  return spread === true ? joinParts(items) : items.flat();
}

/** An item without visible text keeps its place. */
const EMPTY_ITEM: readonly string[] = ['…'];

function renderItem({ children, spread }: ListItem, marker: string, depth: number): readonly string[] {
  const joined: string[] = [];
  for (const child of children) {
    const isTight = joined.length === 0 || (spread !== true && canFollowText(child));
    const lines = renderBlock(child, depth + 1);
    joined.push(...(isTight || lines.length === 0 ? lines : ['', ...lines]));
  }
  const [first = '', ...rest] = joined.length === 0 ? EMPTY_ITEM : joined;
  if (depth >= MAX_DEPTH) return [first, ...rest];
  return [`${marker}${first}`, ...prefixLines(rest, ' '.repeat(marker.length))];
}

/** Whether a block can begin right below a paragraph. */
function canFollowText(node: RootContent): boolean {
  return node.type === 'code' || (node.type === 'list' && (node.ordered !== true || node.start === 1));
}

const QUOTE = '> ';

function prefixLines(lines: readonly string[], prefix: string): readonly string[] {
  return lines.map((line) => (line === '' ? prefix.trimEnd() : `${prefix}${line}`));
}

/** Parts with a blank line between them; empty ones are left out. */
function joinParts(parts: readonly (readonly string[])[]): readonly string[] {
  return parts.filter((part) => part.length > 0).flatMap((part, index) => (index === 0 ? part : ['', ...part]));
}

/** Code spans, which hold no emphasis, and text between one or two asterisks that stand at words' edges. */
const CODE_OR_EMPHASIS = /(?<!`)(`+)(?!`)[^`]+\1(?!`)|(?<=^|[\s(])(\*\*?)(?![\s*])([^*]+)(?<!\s)\2(?=$|[\s.,;:!?)])/g;

/** One line of untrusted text with its emphasis, all else inert; no line if nothing is visible. */
export function renderInline(untrusted: string): readonly string[] {
  const line = untrusted.trim().replace(/^(?=[*`]{0,3}\/(?![/*]))/, COMMAND_MARK);
  let [rendered, from] = ['', 0];
  for (const match of line.matchAll(CODE_OR_EMPHASIS)) {
    const [all, , marks, inner = ''] = match;
    const emphasized = escapeText(inner);
    if (marks === undefined || emphasized === '') continue;
    rendered += `${escapeBetween(line.slice(from, match.index))}${marks}${emphasized}${marks}`;
    from = match.index + all.length;
  }
  const text = `${rendered}${escapeBetween(line.slice(from))}`.trim();
  return text === '' ? [] : [text];
}

/** Escaped text with the spaces around it. */
function escapeBetween(text: string): string {
  const escaped = escapeText(text);
  if (escaped === '') return text === '' ? '' : ' ';
  return `${/^\s/.test(text) ? ' ' : ''}${escaped}${/\s$/.test(text) ? ' ' : ''}`;
}

const DELIMITER_CELL = /^:?-+:?$/;

const MAX_COLUMNS = 20;

/** The index of the header of a table, or -1. A row of dashes with as many cells follows it. */
function findTable(lines: readonly string[]): number {
  return lines.findIndex((header, index) => {
    const [names, marks] = [cellsOf(header), cellsOf(lines[index + 1] ?? '')];
    const isTable = names.length === marks.length && marks.every((cell) => DELIMITER_CELL.test(cell));
    return isTable && header.includes('|') && names.length <= MAX_COLUMNS;
  });
}

/**
 * The lines of a table, inert. Columns lose their alignment: where a table is not understood, `:---:` would be an
 * emoji.
 */
function renderTable([header = '', , ...body]: readonly string[]): readonly string[] {
  const names = cellsOf(header);
  const rows = body.map(cellsOf).map((cells) => names.map((_, column) => cells[column] ?? ''));
  return [formatRow(names), formatRow(names.map(() => null)), ...rows.map(formatRow)];
}

/** A backslash keeps a pipe inside its cell. */
function cellsOf(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
}

/** Pipes are in code only, where parsers disagree about `\|`. */
function formatRow(cells: readonly (string | null)[]): string {
  const texts = cells.map((cell) => (cell === null ? '---' : (renderInline(cell)[0] ?? '').replaceAll('|', '\\u{7C}')));
  return `| ${texts.join(' | ')} |`;
}
