import { nodesOf } from './markdown-tree.ts';

/** HTML that our own templates write; everything else of that kind is foreign. */
const OWN_HTML = /^(?:<!-- countersign:[a-z0-9:/-]+ -->|<details>\n<summary>[^<>]*<\/summary>|<\/details>)$/i;

/**
 * What stands in a body that none of our templates writes: HTML, images, headings of others, links elsewhere than to
 * `origin` (such as `https://github.com/`). Empty for everything we may post.
 */
export function foreignNodes(body: string, origin: string): readonly string[] {
  return nodesOf(body).flatMap((node) => {
    switch (node.type) {
      case 'html':
        return OWN_HTML.test(node.value) ? [] : [`html ${node.value}`];
      case 'link':
        return node.url.startsWith(origin) ? [] : [`link ${node.url}`];
      case 'image':
      case 'imageReference':
      case 'linkReference':
      case 'definition':
      case 'footnoteDefinition':
      case 'footnoteReference':
      case 'heading':
      case 'thematicBreak':
        return [node.type];
      default:
        return [];
    }
  });
}
