import { styleText } from 'node:util';
import { escapeHiddenAndCr } from '../src/core/edits/text/unicode.ts';
import type { CommentedLines, PageEntry } from './pull-request.ts';

/** Prints a pull request's page on a terminal while it changes. */
export type PagePrinter = {
  /** Prints the new and edited entries of the page. */
  readonly printPage: (page: readonly PageEntry[]) => void;
  /** Prints an action that creates no comment, such as a click on a button. */
  readonly printAction: (login: string, action: string) => void;
  readonly printNote: (note: string) => void;
};

/** Creates a printer that prints each version of an entry once. */
export function createPagePrinter(terminal: Terminal): PagePrinter {
  const printedBodies = new Map<string, string>();
  const showEntry = (entry: PageEntry): void => {
    const before = printedBodies.get(entry.key);
    if (before === entry.body) return;
    printedBodies.set(entry.key, entry.body);
    if (before === undefined) printNewEntry(entry, terminal);
    else printEditedEntry(entry, terminal);
  };
  return {
    printPage: (page) => {
      for (const entry of page) showEntry(entry);
    },
    printAction: (login, action) => {
      printHeading(terminal, login, false, '');
      terminal.printLine(`  ${action}`);
    },
    printNote: (note) => terminal.printLine(terminal.paint('dim', note)),
  };
}

const HEADING_WIDTH = 96;

function printHeading({ printLine, paint }: Terminal, login: string, byApp: boolean, action: string): void {
  const title = `${login}${action === '' ? '' : ` ${action}`} `;
  printLine();
  printLine(
    paint(byApp ? ['bold', 'magenta'] : ['bold', 'blue'], title) +
      paint('dim', '─'.repeat(Math.max(3, HEADING_WIDTH - title.length))),
  );
}

function printNewEntry(entry: PageEntry, terminal: Terminal): void {
  printHeading(terminal, entry.author, entry.byApp, describeLocation(entry));
  printMarkdown(entry.body, entry.anchor, terminal);
}

function describeLocation({ kind, path, anchor, isReply }: PageEntry): string {
  if (kind === 'review') return 'reviewed';
  if (path === null) return '';
  const shownPath = escapeForTerminal(path);
  if (isReply) return `replied on ${shownPath}`;
  if (anchor === null) return `on the file ${shownPath}`;
  return `on ${shownPath}, line ${anchor.first === anchor.last ? anchor.last : `${anchor.first} to ${anchor.last}`}`;
}

const RUN_MARKER = '<!-- countersign:run:';

/** Prints only the new status of a proposal. The comment of a run is printed again only when the run ends. */
function printEditedEntry(entry: PageEntry, terminal: Terminal): void {
  if (entry.body.startsWith(RUN_MARKER)) {
    if (!entry.body.includes('\n**Ended.**')) return;
    printHeading(terminal, entry.author, entry.byApp, 'updated the comment of the run');
    printMarkdown(entry.body, null, terminal);
    return;
  }
  const [, title = '', ...paragraphs] = entry.body.split('\n\n');
  const id = /^Change .*? · `([a-z0-9]+)`/m.exec(title)?.[1] ?? '';
  const path = /\*\* `+ ?(.+?) ?`/.exec(title)?.[1] ?? '';
  // A quoted reason is not repeated: the quoted comment was printed already.
  const status = paragraphs
    .slice(0, statusParagraphCount(paragraphs))
    .filter((paragraph) => !paragraph.startsWith('>'))
    .map((paragraph) => escapeForTerminal(removeDeadLinks(paragraph)));
  terminal.printLine(
    `  ${terminal.paint('magenta', '✎')} ${terminal.paint('cyan', id)} ${escapeForTerminal(path)}: ${status.join(' ')}`,
  );
}

/** The comment of a decided proposal starts with its status, followed by its diff in `<details>`. */
function statusParagraphCount(paragraphs: readonly string[]): number {
  const index = paragraphs.findIndex((paragraph) => paragraph.startsWith('<details>'));
  return index === -1 ? 1 : index;
}

/** Prints Markdown source, with colored diffs and without HTML comments. */
function printMarkdown(body: string, anchor: CommentedLines | null, { printLine, paint }: Terminal): void {
  const visible = escapeHiddenAndCr(removeDeadLinks(body.replaceAll('\r\n', '\n').replaceAll(/^<!--.*-->\n*/gm, '')));
  let block: { readonly fence: string; readonly info: string; readonly lines: string[] } | null = null;
  for (const line of visible.trimEnd().split('\n')) {
    if (block === null) {
      const [, fence, info = ''] = /^(`{3,})(.*)$/.exec(line) ?? [];
      if (fence !== undefined) block = { fence, info, lines: [] };
      printLine(line === '' ? '' : `  ${line}`);
    } else if (line === block.fence) {
      for (const row of formatBlock(block.info, block.lines, anchor, paint)) printLine(`  ${row}`);
      printLine(`  ${line}`);
      block = null;
    } else {
      block.lines.push(line);
    }
  }
}

/** Replaces links to the fake GitHub by their labels, because it serves no pages. */
function removeDeadLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^[\]]+)\]\(http:\/\/127\.0\.0\.1:[^)]*\)/g, '$1');
}

function formatBlock(
  info: string,
  lines: readonly string[],
  anchor: CommentedLines | null,
  paint: Terminal['paint'],
): readonly string[] {
  if (info === 'diff') return lines.map((line) => formatDiffLine(line, paint));
  if (info !== 'suggestion') return lines;
  const commented = anchor?.lines.map(escapeHiddenAndCr) ?? [];
  return createDiffRows(commented, lines).map((line) => formatDiffLine(line, paint));
}

/** Creates a diff for a suggestion, which has only the new lines. */
function createDiffRows(before: readonly string[], after: readonly string[]): readonly string[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [
    ...before.slice(0, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(before.length - tail).map((line) => ` ${line}`),
  ];
}

/** Prints trailing white space of a changed line as dots, because the change can consist of it. */
function formatDiffLine(line: string, paint: Terminal['paint']): string {
  const text = /^[+-]/.test(line) ? line.replace(/[ \t]+$/, (spaces) => '·'.repeat(spaces.length)) : line;
  if (/^(?:\+\+\+|---) /.test(line)) return paint('bold', `  ${text}`);
  if (line.startsWith('@@')) return paint('cyan', `  ${text}`);
  if (line.startsWith('+')) return paint('green', `  ${text}`);
  if (line.startsWith('-')) return paint('red', `  ${text}`);
  return paint('dim', `  ${text}`);
}

/** Prints whole lines, with or without colors. */
export type Terminal = {
  readonly printLine: (text?: string) => void;
  readonly paint: (format: Parameters<typeof styleText>[0], text: string) => string;
};

/** Creates a terminal that passes its text to `write`. */
export function createTerminal(write: (text: string) => void, color: boolean): Terminal {
  return {
    printLine: (text = '') => write(`${text}\n`),
    paint: (format, text) => (color ? styleText(format, text, { validateStream: false }) : text),
  };
}

/** Whether to print colors on a stream. NO_COLOR and FORCE_COLOR override the default of the terminal. */
export function supportsColor(stream: NodeJS.WriteStream): boolean {
  return styleText('red', 'x', { stream }) !== 'x';
}

/** Puts untrusted text on one line and escapes its control characters. */
export function escapeForTerminal(text: string): string {
  return escapeHiddenAndCr(text.replaceAll(/[\n\r]/g, ' '));
}
