import type { Sha } from '../git/object-store.ts';

/** The kinds of writes checkers can look for. */
export type HistoryKind =
  | 'account-added'
  | 'app-installed'
  | 'app-uninstalled'
  | 'installation-changed'
  | 'repository-added'
  | 'repository-renamed'
  | 'permission-changed'
  | 'rule-added'
  | 'blob-created'
  | 'tree-created'
  | 'commit-created'
  | 'ref-created'
  | 'ref-updated'
  | 'ref-deleted'
  | 'issue-opened'
  | 'pull-opened'
  | 'pull-closed'
  | 'pull-reopened'
  | 'pull-merged'
  | 'pull-edited'
  | 'comment-created'
  | 'comment-edited'
  | 'comment-deleted'
  | 'review-created'
  | 'review-submitted'
  | 'review-edited'
  | 'review-dismissed'
  | 'review-deleted'
  | 'review-comment-created'
  | 'review-comment-edited'
  | 'review-comment-deleted'
  | 'thread-resolved'
  | 'thread-unresolved'
  | 'reaction-added';

/** One write: who, when (milliseconds), what, and the ids and shas it is about. */
export type HistoryEntry = {
  readonly kind: HistoryKind;
  readonly at: number;
  readonly actorId: number | null;
  readonly viaAppId: number | null;
  readonly repositoryId: number | null;
  readonly number: number | null;
  /** Id of the comment, review, thread or reaction; null when the write is about none. */
  readonly id: number | null;
  readonly ref: string | null;
  readonly before: Sha | null;
  readonly after: Sha | null;
};

/** A list that shares its past: appending costs the same however long it is. */
export type History = { readonly length: number; readonly newest: HistoryNode | null };

type HistoryNode = { readonly entry: HistoryEntry; readonly earlier: HistoryNode | null };

export const EMPTY_HISTORY: History = { length: 0, newest: null };

/** The history with one more entry. */
export function appendHistory(history: History, entry: HistoryEntry): History {
  return { length: history.length + 1, newest: { entry, earlier: history.newest } };
}

/** All entries, oldest first. */
export function historyEntries(history: History): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (let node = history.newest; node !== null; node = node.earlier) entries.push(node.entry);
  return entries.reverse();
}
