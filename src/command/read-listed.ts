import type { Intent, PullRef } from './intent.ts';
import { interpret } from './interpret.ts';
import type { Self } from './reader.ts';

/** A comment as GitHub lists it, in the form in which the webhook that told of it had it. Whatever it holds is unchecked. */
export type ListedComment = {
  readonly event: 'issue_comment' | 'pull_request_review_comment';
  readonly comment: {
    readonly id: number | bigint;
    readonly user: unknown;
    readonly created_at: string;
    readonly updated_at: string;
  };
};

/** What the webhook would have been stored as: the same intent, under an id of its own; null where it meant nothing. */
export type HeardAgain = { readonly id: string; readonly intent: Intent } | null;

/** Reads a listed comment as its webhook would be read; one that was edited since is an edit, which never decides (S60). */
export function readListed(ref: PullRef, { event, comment }: ListedComment, self: Self): HeardAgain {
  const action = comment.updated_at === comment.created_at ? 'created' : 'edited';
  const number = ref.number;
  const payload = {
    action,
    comment,
    installation: { id: ref.installationId },
    repository: { id: ref.repositoryId, name: ref.repo, owner: { login: ref.owner } },
    sender: comment.user,
    ...(event === 'issue_comment' ? { issue: { number, pull_request: {} } } : { pull_request: { number } }),
  };
  const meaning = interpret({ event, payload, self });
  return meaning.kind === 'intent'
    ? { id: `caught-up-${event}-${action}-${comment.id}`, intent: meaning.intent }
    : null;
}
