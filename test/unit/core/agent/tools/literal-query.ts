import { createFileSearch, formatSearchResults, type SearchQuery } from '../../../../../src/core/agent/tools/search.ts';

/** A search for literal text, without context. */
export function literal(query: string): SearchQuery {
  return { query, regex: false, ignoreCase: false, context: 0 };
}

/** The output of a search of these files. */
export function searched(
  query: SearchQuery,
  ...files: readonly { readonly path: string; readonly bytes: Uint8Array }[]
): string {
  const searchFile = createFileSearch(query);
  const results = files.map(({ path, bytes }) => ({ path, result: searchFile({ path, bytes }) }));
  const found = results.flatMap(({ result }) => (typeof result === 'string' || result === null ? [] : [result]));
  const skipped = results.flatMap(({ path, result }) => (typeof result === 'string' ? [{ path, reason: result }] : []));
  return formatSearchResults(query, null, { found, skipped, isComplete: true });
}
