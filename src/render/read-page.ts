import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

/**
 * A body as GitHub reads it: every node of it in order, and the lines between a block's fences, or null where it is
 * none with fences.
 */
export type Page = {
  readonly body: string;
  readonly nodes: readonly Nodes[];
  readonly linesOf: (node: Nodes) => readonly string[] | null;
};

/**
 * Parses a body. A parser of Markdown takes a tenth of a second for some thousand lines, so lines within fences that
 * say nothing to it are not given to it, and its answer is taken only where it proves that they stood within fences.
 */
export function readPage(body: string): Page {
  const lines = body.split(/\r\n|\n|\r/);
  const page = body.includes('\r') ? null : parsed(body, lines, spareLines(lines));
  if (page !== null) return page;
  const all = parsed(body, lines, { kept: [...lines.keys()], gaps: [] });
  if (all === null) throw new Error('No line is left out, so all of them are read.');
  return all;
}

/** Lines left out before the kept line at a position of the list of those: none of them holds `fence`. */
type Gap = { readonly at: number; readonly fence: string };

/** Indexes of the lines that are read, and where others are left out between them. */
type Spare = { readonly kept: readonly number[]; readonly gaps: readonly Gap[] };

/** The page from the kept lines; null where others may mean something. */
function parsed(body: string, lines: readonly string[], { kept, gaps }: Spare): Page | null {
  const source = kept.map((index) => lines[index] ?? '');
  const root = fromMarkdown(kept.length === lines.length ? body : source.join('\n'));
  const spans = root.children.flatMap((node) => fenceSpan(node, source) ?? []);
  if (!areWithin(gaps, spans)) return null;
  const linesOf = (node: Nodes): readonly string[] | null => {
    const span = fenceSpan(node, source);
    return span === null ? null : lines.slice((kept[span.first] ?? 0) + 1, kept[span.last]);
  };
  return { body, nodes: nodesIn(root), linesOf };
}

/** A block's fence, which opens and closes it, and the 0-based indexes of the lines with both. */
type Span = { readonly first: number; readonly last: number; readonly fence: string };

/**
 * Where a block has its fences, which stand at the margin; null for anything else. The lines between must be its value:
 * the tree cannot tell no line from one empty line.
 */
function fenceSpan({ type, position, ...node }: Nodes, source: readonly string[]): Span | null {
  if (type !== 'code' || position === undefined || !('value' in node)) return null;
  const [first, last] = [position.start.line - 1, position.end.line - 1];
  const open = /^`{3,}/.exec(source[first] ?? '')?.[0];
  if (first === last || open === undefined || source[last] !== open) return null;
  return source.slice(first + 1, last).join('\n') === node.value ? { first, last, fence: open } : null;
}

/**
 * Whether the lines of each gap would stand within a block too: the kept ones around them are the block's, fences included, and
 * none of them holds its fence, so that none could end it. Both are in order.
 */
function areWithin(gaps: readonly Gap[], spans: readonly Span[]): boolean {
  let next = 0;
  return gaps.every(({ at, fence }) => {
    while ((spans[next]?.last ?? Number.POSITIVE_INFINITY) < at) next += 1;
    const span = spans[next];
    return span !== undefined && span.first < at && span.fence === fence;
  });
}

/**
 * Every line but those that stand between what looks like fences of ours and can neither end such a block nor be read as
 * other letters: a diff may hold thousands of lines with shorter fences.
 */
function spareLines(lines: readonly string[]): Spare {
  const kept: number[] = [];
  const gaps: Gap[] = [];
  let open: string | null = null;
  for (const [index, line] of lines.entries()) {
    if (open !== null && index < lines.length - 1 && !line.includes(open) && !line.includes('\0')) continue;
    if (open !== null && index !== (kept.at(-1) ?? 0) + 1) gaps.push({ at: kept.length, fence: open });
    kept.push(index);
    if (open === null) open = /^(`{3,})[a-z]*$/.exec(line)?.[1] ?? null;
    else if (line === open) open = null;
  }
  return { kept, gaps };
}

function nodesIn(root: Nodes): readonly Nodes[] {
  const found: Nodes[] = [];
  const pending: Nodes[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    found.push(node);
    if ('children' in node) pending.push(...node.children.toReversed());
  }
  return found;
}
