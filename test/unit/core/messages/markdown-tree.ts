import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

/** The last body with its nodes: a test asks for those of one body several times. */
let last: { readonly body: string; readonly nodes: readonly Nodes[] } = { body: '', nodes: [] };

/** Every node of a body in order, without the root. */
export function nodesOf(body: string): readonly Nodes[] {
  if (body !== last.body) last = { body, nodes: parse(body) };
  return last.nodes;
}

function parse(body: string): readonly Nodes[] {
  const all: Nodes[] = [];
  const walk = (node: Nodes): void => {
    all.push(node);
    if ('children' in node) for (const child of node.children) walk(child);
  };
  walk(fromMarkdown(body));
  return all.slice(1);
}

/**
 * The text outside code, where GitHub looks for mentions and references, each with the mark that follows it: GitHub
 * reads an address that begins with `www.` before it reads code, so that the mark becomes a part of the address.
 */
export function liveText(body: string): readonly string[] {
  return nodesOf(body).flatMap((node) => {
    if (node.type !== 'text') return [];
    const mark = body.charAt(node.position?.end.offset ?? body.length);
    return [`${node.value}${mark.trim()}`];
  });
}

/** Text that GitHub links or acts on after it has rendered Markdown. */
export const ACTIVE = /@|#\d|\bgh-\d|:\/\/|\bwww\.\S|\$|:[a-z0-9_+-]+:|\b[0-9a-f]{7,40}\b|<|&|[a-z0-9]-\d|\]\(/i;
