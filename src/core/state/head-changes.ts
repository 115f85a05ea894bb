import type { ChangePayload, FileChange, Region } from '../edits/change.ts';
import type { AppCommit } from './run.ts';

/** A file at a head commit; `text` is null for a file that is not text. */
export type FileAtHead = { readonly blob: string; readonly mode: string; readonly text: string | null };

/** A change without the parts that only people read. */
export type AssessableChange = Omit<FileChange, 'digest' | 'payload'> & {
  readonly payload:
    | { readonly type: 'write'; readonly content: string | null }
    | { readonly type: Exclude<ChangePayload['type'], 'write'> };
};

/** A pending change by its proposal id. */
export type PendingChange = { readonly id: string; readonly change: AssessableChange };

/**
 * Whether a change still applies to a file at a head. `region` is its place there with the current context, an empty
 * region for a change without lines. `sameDigest` is true if this region has the digest that people saw.
 */
export type StalenessVerdict =
  | { readonly kind: 'applies'; readonly region: Region; readonly sameDigest: boolean }
  | { readonly kind: 'already-applied' }
  /** `path` is the path that changed, absent if it is the change's own. */
  | { readonly kind: 'stale'; readonly path?: string };

/** A pending change and its verdict. */
export type AssessedChange = { readonly id: string; readonly verdict: StalenessVerdict };

/** The pending changes to assess after the head moved: by path, and moves separately because they touch two paths. */
export type StalenessInput = {
  readonly paths: readonly PathStalenessInput[];
  readonly moves: readonly PendingChange[];
};

export type PathStalenessInput = {
  readonly path: string;
  readonly pending: readonly PendingChange[];
  /** The run's own commits to the path, oldest first. */
  readonly appCommits: readonly AppCommit[];
};

/** The result, in the order in which it is processed. Paths that did not change are left out. */
export type Staleness = { readonly paths: readonly PathStaleness[]; readonly moves: readonly AssessedChange[] };

export type PathStaleness = PushAssessment & { readonly path: string };

/** The effect of a push on one path. */
export type PushAssessment = {
  /** Ids of the pending changes that the push contains; empty if it also changed anything else in the file. */
  readonly contained: readonly string[];
  /** The push as a commit of the run, if its lines are known; null otherwise. */
  readonly appCommit: AppCommit | null;
  /** Every other pending change after the push. */
  readonly others: readonly AssessedChange[];
};
