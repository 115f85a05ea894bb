import type { Change, FileChange } from '../edits/change.ts';
import type { LineRange } from '../edits/region.ts';
import type { FileAtHead } from '../state/head-changes.ts';
import type { AppCommit } from '../state/run.ts';
import type { UndoRefusal } from './refusals.ts';

/** Everything needed to compute the reverse of an applied change, or of one member of a set. */
export type UndoContext = {
  /** Proposal id of the applied change. */
  readonly id: string;
  readonly change: FileChange;
  readonly commitSha: string;
  /** Lines of the change in its commit; null for a change without lines. */
  readonly range: LineRange | null;
  /** The run's own commits to the path, oldest first. */
  readonly appCommits: readonly AppCommit[];
  readonly files: UndoFiles;
};

/** The files that an undo reads. `sourceAtHead` is the file at the source path of a move. */
export type UndoFiles = {
  readonly atCommit: FileAtHead | null | 'commit-missing';
  readonly atHead: FileAtHead | null;
  readonly sourceAtHead: FileAtHead | null;
};

/** The reverse of an applied change, or the reason why it cannot be undone. */
export type UndoResult = { readonly kind: 'change'; readonly change: Change } | UndoRefusal;

/** The reverse of one member. */
export type MemberUndo = { readonly kind: 'change'; readonly change: FileChange } | UndoRefusal;
