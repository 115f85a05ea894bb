import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { withoutHidden } from '../render/visible.ts';

/** What a person reads of a text; `removed` counts hidden characters and hidden comments that were taken out. */
export type CleanText = { readonly text: string; readonly removed: number };

/**
 * A person's Markdown as a reader of the page sees it: without HTML comments outside code and without characters that
 * nobody can see, so that the agent is told nothing that people are not.
 */
export function cleanText(text: string): CleanText {
  const wellFormed = text.toWellFormed().replace(/\r\n?/g, '\n');
  const shown = text.includes('<!--') ? withoutComments(wellFormed) : { text: wellFormed, removed: 0 };
  const clean = withoutHidden(shown.text);
  return { text: clean.trim(), removed: shown.removed + ([...shown.text].length - [...clean].length) };
}

function withoutComments(text: string): CleanText {
  const ranges = htmlRanges(fromMarkdown(text));
  let removed = 0;
  let rest = '';
  let offset = 0;
  for (const { start, end } of ranges) {
    const html = text.slice(start, end);
    const kept = html.replace(/<!--[\s\S]*?(?:-->|$)/g, () => {
      removed += 1;
      return '';
    });
    rest += text.slice(offset, start) + kept;
    offset = end;
  }
  return { text: rest + text.slice(offset), removed };
}

type Range = { readonly start: number; readonly end: number };

function htmlRanges(node: Nodes): readonly Range[] {
  if (node.type === 'html') {
    const start = node.position?.start.offset ?? 0;
    return [{ start, end: node.position?.end.offset ?? start }];
  }
  return 'children' in node ? node.children.flatMap(htmlRanges) : [];
}
