import type { Sha } from '../git/objects.ts';

export type AuditAction =
  | 'account-added'
  | 'account-renamed'
  | 'app-installed'
  | 'app-uninstalled'
  | 'app-changed'
  | 'installation-changed'
  | 'repository-added'
  | 'repository-renamed'
  | 'repository-transferred'
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
  | 'reaction-added'
  | 'labels-changed'
  | 'check-button-pressed'
  | 'merge-queued'
  | 'check-suite-opened'
  | 'check-run-created'
  | 'check-run-updated'
  | 'status-created';

/** One write; `at` is in ms. */
export type AuditEntry = {
  readonly action: AuditAction;
  readonly at: number;
  readonly actorId: number | null;
  readonly viaAppId: number | null;
  readonly repositoryId: number | null;
  readonly number: number | null;
  /** Id of the comment, review, thread or reaction. */
  readonly id: number | null;
  readonly ref: string | null;
  readonly before: Sha | null;
  readonly after: Sha | null;
};

/** A linked list, so that states share their entries and appending takes constant time. */
export type AuditLog = { readonly length: number; readonly newest: AuditLogNode | null };

type AuditLogNode = { readonly entry: AuditEntry; readonly earlier: AuditLogNode | null };

export const EMPTY_AUDIT_LOG: AuditLog = { length: 0, newest: null };

export function appendAuditEntry(log: AuditLog, entry: AuditEntry): AuditLog {
  return { length: log.length + 1, newest: { entry, earlier: log.newest } };
}

/** Lists all entries, oldest first. */
export function listAuditEntries(log: AuditLog): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (let node = log.newest; node !== null; node = node.earlier) entries.push(node.entry);
  return entries.reverse();
}
