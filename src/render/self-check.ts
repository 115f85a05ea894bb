import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

/** The suggestion blocks that a reader of GitHub would be offered a button for; lines carry no terminators. */
export type SuggestionsFound =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly lines: readonly string[] }
  | { readonly kind: 'unclear'; readonly blocks: number };

/** Every node of a body, in order. */
export function nodesOf(body: string): readonly Nodes[] {
  const found: Nodes[] = [];
  const pending: Nodes[] = [fromMarkdown(body)];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    found.push(node);
    if ('children' in node) pending.push(...node.children.toReversed());
  }
  return found;
}

/** The lines between a block's fences, from the source: the tree cannot tell no line from one empty line. */
export function blockLines(body: string, node: Nodes): readonly string[] | null {
  const { position } = node;
  if (node.type !== 'code' || position === undefined) return null;
  const lines = body.split(/\r\n|\n|\r/).slice(position.start.line - 1, position.end.line);
  const open = /^`{3,}/.exec(lines[0] ?? '')?.[0];
  const closed = lines.length >= 2 && open !== undefined && lines.at(-1) === open;
  const content = lines.slice(1, -1);
  return closed && content.join('\n') === node.value ? content : null;
}

/** Reads the suggestion block back out of a body, as GitHub would when somebody presses its button; `nodes` are the body's. */
export function suggestionIn(body: string, nodes: readonly Nodes[] = nodesOf(body)): SuggestionsFound {
  const found = nodes.filter((node) => node.type === 'code' && /^suggestion/i.test(node.lang ?? ''));
  const [only] = found;
  if (only === undefined) return { kind: 'none' };
  const lines = found.length === 1 ? blockLines(body, only) : null;
  return lines === null ? { kind: 'unclear', blocks: found.length } : { kind: 'one', lines };
}

/** Whether a body that is about to be posted offers exactly these lines, or no suggestion at all where they are null. */
export function checkSuggestion(
  body: string,
  expectedLines: readonly string[] | null,
  nodes: readonly Nodes[] = nodesOf(body),
): boolean {
  const found = suggestionIn(body, nodes);
  if (expectedLines === null) return found.kind === 'none';
  if (found.kind !== 'one' || found.lines.length !== expectedLines.length) return false;
  return found.lines.every((line, index) => line === expectedLines[index]);
}
