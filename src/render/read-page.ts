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
  const all = parsed(body, lines, [...lines.keys()]);
  if (all === null) throw new Error('No line is left out, so all of them are read.');
  return all;
}

/** The page from the lines of these indexes; null where others may mean something. */
function parsed(body: string, lines: readonly string[], kept: readonly number[]): Page | null {
  const source = kept.map((index) => lines[index] ?? '');
  const root = fromMarkdown(kept.length === lines.length ? body : source.join('\n'));
  const spans = root.children.flatMap((node) => fenceSpan(node, source) ?? []);
  const gaps = kept.flatMap((index, at) => (at > 0 && index !== (kept[at - 1] ?? 0) + 1 ? [at] : []));
  if (!areWithin(gaps, spans)) return null;
  const linesOf = (node: Nodes): readonly string[] | null => {
    const span = fenceSpan(node, source);
    return span === null ? null : lines.slice((kept[span.first] ?? 0) + 1, kept[span.last]);
  };
  return { body, nodes: nodesIn(root), linesOf };
}

/** 0-based indexes of the lines with a block's fences. */
type Span = { readonly first: number; readonly last: number };

/**
 * Where a block has its fences, which stand at the margin; null for anything else. The lines between must be its value:
 * the tree cannot tell no line from one empty line.
 */
function fenceSpan({ type, position, ...node }: Nodes, source: readonly string[]): Span | null {
  if (type !== 'code' || position === undefined || !('value' in node)) return null;
  const [first, last] = [position.start.line - 1, position.end.line - 1];
  const open = /^`{3,}/.exec(source[first] ?? '')?.[0];
  if (first === last || open === undefined || source[last] !== open) return null;
  return source.slice(first + 1, last).join('\n') === node.value ? { first, last } : null;
}

/**
 * Whether each gap before a kept line lies within a block: its line and the one before it are the block's, fences
 * included. Both are in order.
 */
function areWithin(gaps: readonly number[], spans: readonly Span[]): boolean {
  let at = 0;
  return gaps.every((gap) => {
    while ((spans[at]?.last ?? Number.POSITIVE_INFINITY) < gap) at += 1;
    return (spans[at]?.first ?? gap) < gap;
  });
}

/** What may end a block, or is read as another letter. */
const MEANING = /```|\0/;

/**
 * Every line but those that stand between what looks like fences of ours and can neither end a block nor be read as
 * other letters.
 */
function spareLines(lines: readonly string[]): readonly number[] {
  const kept: number[] = [];
  let open: string | null = null;
  for (const [index, line] of lines.entries()) {
    if (open !== null && !MEANING.test(line)) continue;
    kept.push(index);
    if (open === null) open = /^(`{3,})[a-z]*$/.exec(line)?.[1] ?? null;
    else if (line === open) open = null;
  }
  if (kept.at(-1) !== lines.length - 1) kept.push(lines.length - 1);
  return kept;
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
