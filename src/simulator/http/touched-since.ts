import type { RepositoryCall } from './call.ts';

/** Those that were written or edited at or after the time that the query names as `since`; all where it names none. */
export function touchedSince<Comment extends { readonly updatedAt: string }>(
  { query }: Pick<RepositoryCall, 'query'>,
  comments: Iterable<Comment>,
): readonly Comment[] {
  const since = Date.parse(query['since'] ?? '');
  return [...comments].filter(({ updatedAt }) => Number.isNaN(since) || Date.parse(updatedAt) >= since);
}
