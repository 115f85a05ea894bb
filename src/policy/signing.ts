import type { BlobRef, Region } from '../change/change.ts';
import type { LineRange } from '../change/range.ts';
import type { Permission, Proposal } from '../run/proposal.ts';
import type { CommittedFile } from '../run/signal.ts';
import type { FileWrite } from './countersigned.ts';

/** A file as it stands at the head that the commit is to follow; `text` is null where it is not text. */
export type StandingFile = { readonly ref: BlobRef; readonly text: string | null };

/** The same by path; null where nothing stands and something may, absent where it is no plain file. */
export type StandingFiles = ReadonlyMap<string, StandingFile | null>;

/** One proposal, where its change stands at the head, and what its approvers may do now (by numeric id). */
export type Signing = {
  readonly proposal: Proposal;
  /** Null only for what has no lines. */
  readonly region: Region | null;
  readonly permissions: Readonly<Record<string, Permission>>;
};

/** What a commit is to do to some files, and to which lines of them, by proposal id. */
export type Written = {
  readonly writes: readonly FileWrite[];
  readonly files: readonly CommittedFile[];
  readonly ranges: ReadonlyMap<string, LineRange>;
};

/** The file at a path, which must be known. Throws where what stands there is no plain file. */
export function standingAt(path: string, files: StandingFiles): StandingFile | null {
  const file = files.get(path);
  if (file === undefined) throw new Error(`${path} is no plain file at the head`);
  return file;
}
