import type { SearchQuery } from '../../../../../src/core/agent/tools/search.ts';

/** A search for literal text, without context. */
export function literal(query: string): SearchQuery {
  return { query, regex: false, ignoreCase: false, context: 0 };
}
