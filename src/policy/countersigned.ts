declare const countersigned: unique symbol;

/** A value that only `policy/countersign.ts` can make, after it checked votes, freshness and digest again. */
export type Countersigned<T> = T & { readonly [countersigned]: true };

/** One file of a commit, as it is to be. */
export type FileWrite = {
  readonly path: string;
  readonly mode: '100644' | '100755';
  readonly content: FileContent;
};

export type FileContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** A blob that the repository has already, by its SHA: a moved file's bytes are never sent. */
  | { readonly kind: 'blob'; readonly sha: string }
  | { readonly kind: 'gone' };

/** A commit on the pull request's head branch, to be made only while `expectedHead` is its head. */
export type CommitPlan = {
  readonly branch: string;
  readonly expectedHead: string;
  /** Subject, trailers and co-authors. */
  readonly message: string;
  readonly files: readonly FileWrite[];
  readonly proposalIds: readonly string[];
};
