import type { Payload } from './payload.ts';

/** Modes a file that we change may have; links, submodules and trees are refused before a change is built. */
export type FileMode = '100644' | '100755';

/** A file's place in git's object store: blob SHA-1 in hex, and mode. */
export type BlobRef = { readonly blob: string; readonly mode: FileMode };

/**
 * The smallest run of lines in which two versions of a text differ, with up to three lines around it.
 * Every line keeps its terminator; a line ends after LF, so CR belongs to its line.
 * `oldStart` and `newStart` are 1-based; a side of 0 lines has the number of the line before it (0 at the top).
 */
export type Region = {
  readonly oldStart: number;
  readonly newStart: number;
  readonly before: readonly string[];
  readonly old: readonly string[];
  readonly new: readonly string[];
  readonly after: readonly string[];
};

/** One gated file operation as it was shown to people: everything that is needed to check and to apply it. */
export type Change = {
  readonly op: Payload['type'];
  readonly path: string;
  /** The source of a move. */
  readonly from: string | null;
  /** What stood there when the change was built; null where the file is new. */
  readonly base: BlobRef | null;
  /** What stands there afterwards if the change came alone; null for a deletion and for a read. */
  readonly result: BlobRef | null;
  /** Null for moves and for files that are not text. */
  readonly region: Region | null;
  /** How many separate places the call replaced; an edit of more than one cannot be shifted (S93). */
  readonly places: number;
  /**
   * Whether the region's old lines stood with their context once when the change was built. Only then can finding them
   * once elsewhere prove that they are the same ones.
   */
  readonly standsOnce: boolean;
  /** SHA-256 in hex over the canonical form of what the person sees. */
  readonly digest: string;
  readonly payload: Payload;
};
