import { nodesOf } from './markdown-tree.ts';

/** The suggestion that GitHub would offer a button for, found without product code. */
type SuggestionFound =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly lines: readonly string[] }
  | { readonly kind: 'several' };

/** The suggestion block of a body with LF endings, without its fence lines. */
export function suggestionIn(body: string): SuggestionFound {
  const [only, ...others] = nodesOf(body).filter(
    (node) => node.type === 'code' && /^suggestion/i.test(node.lang ?? ''),
  );
  if (only?.position === undefined) return { kind: 'none' };
  const { start, end } = only.position;
  const lines = body.split('\n').slice(start.line, end.line - 1);
  return others.length > 0 ? { kind: 'several' } : { kind: 'one', lines };
}
