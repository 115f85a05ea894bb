import type { Page } from './read-page.ts';

/** The suggestion blocks that a reader of GitHub would be offered a button for; lines carry no terminators. */
type SuggestionsFound =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly lines: readonly string[] }
  | { readonly kind: 'unclear'; readonly blocks: number };

/** Reads the suggestion block back, as GitHub would when somebody presses its button. */
function suggestionOn({ nodes, linesOf }: Page): SuggestionsFound {
  const found = nodes.filter((node) => node.type === 'code' && /^suggestion/i.test(node.lang ?? ''));
  const [only] = found;
  if (only === undefined) return { kind: 'none' };
  const lines = found.length === 1 ? linesOf(only) : null;
  return lines === null ? { kind: 'unclear', blocks: found.length } : { kind: 'one', lines };
}

/**
 * Whether a page that is about to be posted offers exactly these lines, or no suggestion at all where they are null.
 */
export function checkSuggestion(page: Page, expectedLines: readonly string[] | null): boolean {
  const found = suggestionOn(page);
  if (expectedLines === null) return found.kind === 'none';
  if (found.kind !== 'one' || found.lines.length !== expectedLines.length) return false;
  return found.lines.every((line, index) => line === expectedLines[index]);
}
