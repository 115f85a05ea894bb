import { nodesOf } from './markdown-tree.ts';

/** What a reader of GitHub would be offered a button for: told without the product's own reading of pages. */
export type SuggestionFound =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly lines: readonly string[] }
  | { readonly kind: 'several' };

/** The suggestion block of a body that has LF alone, without the lines of its fences. */
export function suggestionIn(body: string): SuggestionFound {
  const [only, ...others] = nodesOf(body).filter(
    (node) => node.type === 'code' && /^suggestion/i.test(node.lang ?? ''),
  );
  if (only?.position === undefined) return { kind: 'none' };
  const { start, end } = only.position;
  const lines = body.split('\n').slice(start.line, end.line - 1);
  return others.length > 0 ? { kind: 'several' } : { kind: 'one', lines };
}
