import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { ownComments } from '../github/own-words.ts';
import { standingsOf } from '../github/port.ts';
import { SITE } from '../scene.ts';
import type { Check } from './evidence.ts';

/** HTML that is the App's own. */
const OWN_HTML = /^(?:<!-- countersign:[a-z0-9:/-]+ -->|<details>\n<summary>[^<>]*<\/summary>|<\/details>)$/i;
const MENTION = /(?:^|[^\w`])@evil/;

/** V6: what models and people wrote does nothing on the page: no image, no link elsewhere, no HTML, nobody is called. */
export const wordsStayWords: Check = ({ played }) =>
  standingsOf(played.hub, played.scene)
    .flatMap((standing) => ownComments(standing, played.scene))
    .filter(({ body }) => body.includes('evil'))
    .flatMap(({ id, body }) => activeNodes(fromMarkdown(body)).map((what) => `V6: comment ${id} holds ${what}`));

function activeNodes(node: Nodes): readonly string[] {
  const below = 'children' in node ? node.children.flatMap(activeNodes) : [];
  switch (node.type) {
    case 'image':
    case 'imageReference':
    case 'linkReference':
    case 'definition':
      return [node.type, ...below];
    case 'html':
      return OWN_HTML.test(node.value) ? below : [`html ${node.value}`, ...below];
    case 'link':
      return node.url.startsWith(SITE) ? below : [`a link to ${node.url}`, ...below];
    case 'text':
      return MENTION.test(node.value) ? [`a mention in ${JSON.stringify(node.value)}`] : [];
    default:
      return below;
  }
}
