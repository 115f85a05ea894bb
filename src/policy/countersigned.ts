declare const countersigned: unique symbol;

/** A value that only `policy/countersign.ts` can make, after it checked votes, freshness and digest again. */
export type Countersigned<T> = T & { readonly [countersigned]: true };

/** One file of a commit: its new bytes, or null where it is deleted. */
export type FileWrite = {
  readonly path: string;
  readonly bytes: Uint8Array | null;
  readonly mode: '100644' | '100755';
};

/** A commit on the pull request's head branch, to be made only while `expectedHead` is its head. */
export type CommitPlan = {
  readonly branch: string;
  readonly expectedHead: string;
  /** Subject, trailers and co-authors. */
  readonly message: string;
  readonly files: readonly FileWrite[];
  readonly proposalIds: readonly string[];
};
