import type { Entry } from './page.ts';
import { showMarkdown } from './show-markdown.ts';
import { harmless, type Terminal } from './terminal.ts';

/** Tells what is new on the page, as somebody who follows it would see it. */
export type Narrator = {
  readonly tell: (page: readonly Entry[]) => void;
  /** Something that leaves no comment: a pressed button, a stage of the demo. */
  readonly act: (who: string, what: string) => void;
  readonly step: (what: string) => void;
};

const RUN_MARKER = '<!-- countersign:run:';
const WIDTH = 96;

/** A narrator that remembers what it has told. */
export function openNarrator(terminal: Terminal): Narrator {
  const told = new Map<string, string>();
  const tellOne = (entry: Entry): void => {
    const before = told.get(entry.key);
    if (before === entry.body) return;
    told.set(entry.key, entry.body);
    if (before === undefined) showNew(entry, terminal);
    else showEdited(entry, terminal);
  };
  return {
    tell: (page) => {
      for (const entry of page) tellOne(entry);
    },
    act: (who, what) => {
      header(terminal, who, false, '');
      terminal.line(`  ${what}`);
    },
    step: (what) => terminal.line(terminal.paint('dim', what)),
  };
}

function header({ line, paint }: Terminal, who: string, byApp: boolean, where: string): void {
  const title = `${who}${where === '' ? '' : ` ${where}`} `;
  line();
  line(
    paint(byApp ? ['bold', 'magenta'] : ['bold', 'blue'], title) +
      paint('dim', '─'.repeat(Math.max(3, WIDTH - title.length))),
  );
}

function showNew(entry: Entry, terminal: Terminal): void {
  header(terminal, entry.author, entry.byApp, placeOf(entry));
  for (const line of showMarkdown(entry.body, entry.anchor, terminal)) terminal.line(line === '' ? '' : `  ${line}`);
}

function placeOf({ kind, path, anchor, isReply }: Entry): string {
  if (kind === 'review') return 'reviewed';
  if (path === null) return '';
  const shown = harmless(path);
  if (isReply) return `replied on ${shown}`;
  if (anchor === null) return `on the file ${shown}`;
  return `on ${shown}, line ${anchor.first === anchor.last ? anchor.last : `${anchor.first} to ${anchor.last}`}`;
}

/** An edited comment is not shown again whole: its verdict is what is new; of the run's comment, how it ended. */
function showEdited(entry: Entry, terminal: Terminal): void {
  if (entry.body.startsWith(RUN_MARKER)) {
    if (!entry.body.includes('\n**Ended.**')) return;
    header(terminal, entry.author, entry.byApp, 'edited the comment of the run');
    for (const line of showMarkdown(entry.body, null, terminal)) terminal.line(line === '' ? '' : `  ${line}`);
    return;
  }
  const [, title = '', ...rest] = entry.body.split('\n\n');
  const id = /^Change .*? · `([a-z0-9]+)`/m.exec(title)?.[1] ?? '';
  const path = /\*\* `+ ?(.+?) ?`/.exec(title)?.[1] ?? '';
  // Quoted words were just read in full where they were said.
  const verdict = rest.slice(0, foldAt(rest)).filter((paragraph) => !paragraph.startsWith('>'));
  const words = showMarkdown(verdict.join(' '), null, terminal).map((line) => line.trim());
  terminal.line(
    `  ${terminal.paint('magenta', '✎')} ${terminal.paint('cyan', id)} ${harmless(path)}: ${words.join(' ')}`,
  );
}

/** Behind which paragraph a decided proposal folds its change away. */
function foldAt(paragraphs: readonly string[]): number {
  const at = paragraphs.findIndex((paragraph) => paragraph.startsWith('<details>'));
  return at === -1 ? 1 : at;
}
