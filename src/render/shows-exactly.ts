import type { Nodes } from 'mdast';
import { blobSha } from '../change/blob.ts';
import type { Change } from '../change/change.ts';
import { patched } from '../change/patched.ts';
import { diffOf } from '../change/payload.ts';
import type { Placement } from '../change/placement.ts';
import { applySuggestion } from '../change/suggestion.ts';
import { encodeText } from '../change/text.ts';
import { sameAsStored } from './diff-read-back.ts';
import type { RenderedProposal } from './proposal.ts';
import { type Page, readPage } from './read-page.ts';
import { checkSuggestion } from './self-check.ts';

/** What comments about to be posted must show: the stored change, on the text that it was made for (empty for a new file). */
export type Meant = { readonly change: Change; readonly placement: Placement; readonly baseText: string };

/**
 * Whether comments, read as GitHub reads them, show exactly the stored change: the block applied as its button does, or
 * the diff read back and applied to the base, gives the stored bytes, and nothing else on the page can be pressed.
 */
export function showsExactly({ body, parts }: RenderedProposal, meant: Meant): boolean {
  const first = readPage(body);
  const pages = [first, ...parts.map(readPage)];
  if (!pages.every(isOurs)) return false;
  const { change, placement, baseText } = meant;
  if (placement.kind === 'suggestion') {
    const { startLine, line, lines } = placement;
    return checkSuggestion(first, lines) && isResult(change, applySuggestion(baseText, startLine, line, lines));
  }
  if (!pages.every(hasNoButton)) return false;
  const diff = diffOf(change.payload);
  if (diff === null) return true;
  return sameAsStored(pages.flatMap(lastDiffIn), diff, body) && isResult(change, patched(baseText, diff));
}

/** HTML that our own templates write. */
const OWN_HTML = /^(?:<!-- countersign:[a-z0-9:/-]+ -->|<details>\n<summary>[^<>]*<\/summary>|<\/details>)$/i;

const FOREIGN: ReadonlySet<Nodes['type']> = new Set<Nodes['type']>([
  'image',
  'imageReference',
  'linkReference',
  'definition',
  'heading',
]);

/** Whether a body holds nothing that only somebody else's words could have brought in: other HTML, images, headings. */
function isOurs({ nodes }: Page): boolean {
  return nodes.every((node) => (node.type === 'html' ? OWN_HTML.test(node.value) : !FOREIGN.has(node.type)));
}

function hasNoButton({ nodes }: Page): boolean {
  return !nodes.some((node) => node.type === 'code' && /^suggestion/i.test(node.lang ?? ''));
}

/** The lines of the last diff block of a body: where a preview stands, the whole diff stands below it. */
function lastDiffIn({ nodes, linesOf }: Page): readonly string[] {
  const node = nodes.findLast((one) => one.type === 'code' && one.lang === 'diff');
  return (node === undefined ? null : linesOf(node)) ?? [];
}

/** Whether these are the bytes that the change would leave; a file that is gone has none. */
function isResult({ result }: Change, text: string | null): boolean {
  if (text === null) return false;
  return result === null ? text === '' : blobSha(encodeText(text)) === result.blob;
}
