import { z } from 'zod';

/** The largest file that can be edited or written, in bytes. */
export const MAX_FILE_BYTES = 512_000;

/** The largest file that can be deleted or moved, in bytes: we read it to find out whether it is text. */
export const MAX_WHOLE_FILE_BYTES = 20_000_000;

/**
 * The largest unified diff of one proposal, in bytes: it must fit one comment, because people approve only a diff they
 * can see.
 */
export const MAX_DIFF_BYTES = 55_000;

/** Lines that a page shows of a deleted file. */
const MAX_DELETED_LINES_SHOWN = 50;

/** Lines in the preview of a written file. */
export const MAX_PREVIEW_LINES = 50;

/** Modes of files that we can change. Links, submodules and trees are refused earlier. */
export type FileMode = '100644' | '100755';

/** A file in git's object store: blob SHA-1 in hex, and mode. */
export type BlobRef = { readonly blob: string; readonly mode: FileMode };

/** A file at a head commit. */
export type StoredFile = { readonly ref: BlobRef; readonly bytes: Uint8Array };

/**
 * The smallest run of lines in which two versions of a text differ, with up to three lines of context. Lines keep
 * their terminators. Starts are 1-based; a side of 0 lines has the number of the line before it (0 at the top).
 */
export type Region = {
  readonly oldStart: number;
  readonly newStart: number;
  readonly before: readonly string[];
  readonly old: readonly string[];
  readonly new: readonly string[];
  readonly after: readonly string[];
};

/** A file operation that needs approval, exactly as people saw it: all that is needed to check and apply it. */
export type FileChange = {
  readonly op: ChangePayload['type'];
  readonly path: string;
  /** The source of a move. */
  readonly from: string | null;
  /** The file when the change was built; null for a new file. */
  readonly base: BlobRef | null;
  /** The file after this change alone; null for deletions and reads. */
  readonly result: BlobRef | null;
  /** Null for moves that keep the text, and for files that are not text. */
  readonly region: Region | null;
  /** Separate places that the call replaced. An edit of several places cannot be relocated (S93). */
  readonly placeCount: number;
  /**
   * Whether the old lines with their context occurred once when the change was built. Only then does a single
   * occurrence elsewhere prove that they are the same lines.
   */
  readonly uniqueInBase: boolean;
  /** SHA-256 in hex of the canonical form of the displayed change. */
  readonly digest: string;
  readonly payload: ChangePayload;
};

/**
 * What one proposal is about: one file change, or several that only make sense together, with one decision, and one
 * commit or none. Members are in the order of their paths and lines; together they touch no place twice.
 */
export type Change = {
  /** The purpose of several changes together, in the model's words; null for a single one. */
  readonly summary: string | null;
  readonly members: readonly [FileChange, ...FileChange[]];
  /** That of a single member; of several, SHA-256 in hex of the canonical list of their digests. */
  readonly digest: string;
  /** The files that all members together leave; missing in undos, and where the one member says it. */
  readonly results?: readonly PathResult[];
};

/** A path after a whole change; `file` is null where it is gone. */
export type PathResult = { readonly path: string; readonly file: BlobRef | null };

const commonFields = {
  /** One line that describes the change on its own. */
  description: z.string(),
  path: z.string(),
  /** The name of the repository. */
  sandbox: z.string(),
};

const nonNegativeInteger = z.number().int().nonnegative();

/** The file at the time of the proposal; `file_lines` is null unless it is text. */
const fileSize = { file_lines: nonNegativeInteger.nullable(), file_bytes: nonNegativeInteger };

/** Replaced text in an existing file. */
export const EditPayload = z.strictObject({
  type: z.literal('edit'),
  ...commonFields,
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean(),
  unified_diff: z.string(),
  /** Number of lines of `unified_diff`. */
  diff_lines: nonNegativeInteger,
  /** 1-based line of the first match. */
  match_line: nonNegativeInteger,
  match_count: nonNegativeInteger,
  context_before: z.string(),
  context_after: z.string(),
  file_lines: nonNegativeInteger,
  file_bytes: nonNegativeInteger,
});

/**
 * A whole file, new or replaced. `content`, its line count, `preview` and `unified_diff` are null together for a
 * restored file that is not text.
 */
const WritePayload = z.strictObject({
  type: z.literal('write'),
  ...commonFields,
  content: z.string().nullable(),
  content_lines: nonNegativeInteger.nullable(),
  content_bytes: nonNegativeInteger,
  /** The first 50 lines. */
  preview: z.string().nullable(),
  preview_truncated: z.boolean(),
  file_exists: z.boolean(),
  existing_lines: nonNegativeInteger.nullable(),
  existing_bytes: nonNegativeInteger.nullable(),
  unified_diff: z.string().nullable(),
});

/** A deleted file; `unified_diff` is null unless it is text. */
const DeletePayload = z.strictObject({
  type: z.literal('delete'),
  ...commonFields,
  unified_diff: z.string().nullable(),
  ...fileSize,
});

/** A file moved from `from` to `path` with its mode. Only a move whose text changes as well has a `unified_diff`. */
const MovePayload = z.strictObject({
  type: z.literal('move'),
  ...commonFields,
  from: z.string(),
  ...fileSize,
  unified_diff: z.string().optional(),
});

/** A file that the model wants to read. It has no content, because people approve the access to it (S24). */
const ReadPayload = z.strictObject({
  type: z.literal('read'),
  ...commonFields,
  ...fileSize,
  file_exists: z.boolean(),
});

/** The data of a proposal. Messages are rendered from it alone (S28). */
export const ChangePayloadSchema = z.discriminatedUnion('type', [
  EditPayload,
  WritePayload,
  DeletePayload,
  MovePayload,
  ReadPayload,
]);

export type ChangePayload = z.infer<typeof ChangePayloadSchema>;

/** The unified diff of a payload; null for pure moves, reads and files that are not text. */
export function unifiedDiffOf(payload: ChangePayload): string | null {
  return 'unified_diff' in payload ? (payload.unified_diff ?? null) : null;
}

/** The change of one member. */
export function singleChange(member: FileChange): Change {
  return { summary: null, members: [member], digest: member.digest };
}

/** The member of a single change; null for a set. */
export function onlyMember(change: Change): FileChange | null {
  return isSet(change) ? null : change.members[0];
}

/** Whether several changes are decided as one. */
export function isSet({ members }: Change): boolean {
  return members.length > 1;
}

/** Whether a change only reads a file. */
export function isReading({ members }: Change): boolean {
  return members[0].op === 'read';
}

/** All unified diffs of a change, in order; null if it has none. */
export function changeDiff(change: Change): string | null {
  const diffs = change.members.flatMap(({ payload }) => unifiedDiffOf(payload) ?? []);
  return diffs.length === 0 ? null : diffs.join('');
}

/** The diff that a page shows of a payload: of a deletion the first lines. Null for a payload without one. */
export function shownDiffOf(payload: ChangePayload): string | null {
  const diff = unifiedDiffOf(payload);
  if (diff === null || payload.type !== 'delete') return diff;
  return diff
    .split(/(?<=\n)/)
    .slice(0, MAX_DELETED_LINES_SHOWN)
    .join('');
}

/** The diffs that a page shows of a change, in order; null if it has none. */
export function shownDiff(change: Change): string | null {
  const diffs = change.members.flatMap(({ payload }) => shownDiffOf(payload) ?? []);
  return diffs.length === 0 ? null : diffs.join('');
}

/** The path of a change and, for a move, its source. */
export function affectedPaths({ path, from }: Pick<FileChange, 'path' | 'from'>): readonly string[] {
  return from === null ? [path] : [from, path];
}

/** All paths that a change touches, each once. */
export function pathsOf(change: Change): readonly string[] {
  return [...new Set(change.members.flatMap(affectedPaths))];
}

/** The path that stands for a change where only one can: of a set, that of its first member. */
export function mainPath(change: Change): string {
  return change.members[0].path;
}

/** The path of the file before the change. */
export function sourcePath({ path, from }: Pick<FileChange, 'path' | 'from'>): string {
  return from ?? path;
}

/** Whether a change deletes, moves or restores a file instead of rewriting its text. */
export function isWholeFileChange(change: Pick<FileChange, 'op' | 'base' | 'region'>): boolean {
  return change.op === 'delete' || change.op === 'move' || isRestore(change);
}

/** Whether a change restores a deleted file that is not text, by its blob. */
export function isRestore({ op, base, region }: Pick<FileChange, 'op' | 'base' | 'region'>): boolean {
  return op === 'write' && base === null && region === null;
}
