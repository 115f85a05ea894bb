import { nodesOf } from './markdown-tree.ts';

/** The HTML of the product's templates; all other HTML is foreign. */
const OWN_HTML = /^(?:<!-- countersign:[a-z0-9:/-]+ -->|<details>\n<summary>[^<>]*<\/summary>|<\/details>)$/i;

/**
 * Content that no template of the product writes: HTML, images, other headings, and links to sites other than `origin`
 * (such as `https://github.com/`). Empty for every body that the App is allowed to post.
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
