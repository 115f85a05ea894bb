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
import type { RepoLinks } from './words.ts';

/**
 * What comments about to be posted must show: the stored change, on the text that it was made for (empty for a new
 * file).
 */
export type Meant = Stored & { readonly baseText: string };

/** The change and its place, as they are stored. */
type Stored = { readonly change: Change; readonly placement: Placement };

/**
 * Whether comments, read as GitHub reads them, show exactly the stored change: the block applied as its button does, or
 * the diff read back and applied to the base, gives the stored bytes, and the page `saysExactly` that.
 */
export function showsExactly(rendered: RenderedProposal, meant: Meant): boolean {
  const { change, placement, baseText } = meant;
  if (!saysExactly(rendered, meant)) return false;
  if (placement.kind === 'suggestion') {
    const { startLine, line, lines } = placement;
    return isResult(change, applySuggestion(baseText, startLine, line, lines));
  }
  const diff = diffOf(change.payload);
  return diff === null || isResult(change, patched(baseText, diff));
}

/**
 * Whether comments, read as GitHub reads them, say the stored lines or diff, nothing else on the page can be pressed or leads
 * elsewhere, and no other block says anything else: a preview how the diff begins, a wrapped line what is added.
 */
export function saysExactly({ body, parts, links }: RenderedProposal, { change, placement }: Stored): boolean {
  const first = readPage(body);
  const pages = [first, ...parts.map(readPage)];
  if (!pages.every((page) => isOurs(page, links) && hasOwnBlocks(page))) return false;
  if (placement.kind === 'suggestion') {
    const says = checkSuggestion(first, placement.lines);
    return says && pages.every((page) => blocksIn(page, 'diff').length === 0) && areCopies(pages, placement.lines);
  }
  if (!pages.every((page) => hasNoButton(page) && beginAlike(blocksIn(page, 'diff')))) return false;
  const shown = pages.flatMap((page) => blocksIn(page, 'diff').at(-1) ?? []);
  if (!areCopies(pages, shown.map(addedLine))) return false;
  const diff = diffOf(change.payload);
  return diff === null ? shown.length === 0 : sameAsStored(shown, diff, body);
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

/** Words outside code of which GitHub makes a link or a mention by itself. */
const LIVE = /:\/\/|\bwww\.[a-z\d]|@[a-z\d]/i;

/**
 * Whether a body holds nothing that only somebody else's words could have brought in: other HTML, images, headings,
 * mentions, links elsewhere.
 */
function isOurs({ nodes }: Page, { repository }: RepoLinks): boolean {
  return nodes.every((node) => {
    if (node.type === 'html') return OWN_HTML.test(node.value);
    if (node.type === 'link') return node.url.startsWith(`${repository}/`);
    if (node.type === 'text') return !LIVE.test(node.value);
    return !FOREIGN.has(node.type);
  });
}

function hasNoButton({ nodes }: Page): boolean {
  return !nodes.some((node) => node.type === 'code' && /^suggestion/i.test(node.lang ?? ''));
}

/** The lines of each block of a language in a body, in order. */
function blocksIn({ nodes, linesOf }: Page, lang: 'diff' | 'text'): readonly (readonly string[])[] {
  return nodes.filter((node) => node.type === 'code' && node.lang === lang).map((node) => linesOf(node) ?? []);
}

/** Whether each diff says how the last one begins: where a preview stands, the whole diff stands below it. */
function beginAlike(diffs: readonly (readonly string[])[]): boolean {
  const whole = diffs.at(-1) ?? [];
  return diffs.every((lines) => lines.every((line, index) => line === whole[index]));
}

/** Whether every block of plain text is one of these lines once more, wrapped. */
function areCopies(pages: readonly Page[], lines: readonly string[]): boolean {
  const copies = pages.flatMap((page) => blocksIn(page, 'text'));
  const known = new Set(copies.length === 0 ? [] : lines);
  return copies.every((rows) => known.has(rows.join('')));
}

/** A row of a diff without its mark; as it is where it adds no line. */
function addedLine(row: string): string {
  return row.startsWith('+') ? row.slice(1) : row;
}

const OWN_BLOCK = /^(?:diff|text|suggestion)$/;

/** Whether all code of a body stands between fences of ours. */
function hasOwnBlocks({ nodes, linesOf }: Page): boolean {
  return nodes.every((node) => node.type !== 'code' || (OWN_BLOCK.test(node.lang ?? '') && linesOf(node) !== null));
}

/** Whether these are the bytes that the change would leave; a file that is gone has none. */
function isResult({ result }: Change, text: string | null): boolean {
  if (text === null) return false;
  return result === null ? text === '' : blobSha(encodeText(text)) === result.blob;
}
