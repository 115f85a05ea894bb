import { z } from 'zod';

const common = {
  /** One line that says what would happen, readable on its own. */
  description: z.string(),
  path: z.string(),
  /** The repository's name. */
  sandbox: z.string(),
};

const count = z.number().int().nonnegative();

/** The file as it stands when the change is proposed; `file_lines` is null where it is not text. */
const standing = { file_lines: count.nullable(), file_bytes: count };

/** A replacement of text inside an existing file. */
export const EditPayload = z.strictObject({
  type: z.literal('edit'),
  ...common,
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean(),
  unified_diff: z.string(),
  /** Number of lines of `unified_diff`. */
  diff_lines: count,
  /** 1-based line of the first match. */
  match_line: count,
  match_count: count,
  context_before: z.string(),
  context_after: z.string(),
  file_lines: count,
  file_bytes: count,
});

/**
 * A whole file, new or replaced. `content`, its lines, `preview` and `unified_diff` are null together: then the file is
 * not text, and comes back as the blob that a deletion took away.
 */
export const WritePayload = z.strictObject({
  type: z.literal('write'),
  ...common,
  content: z.string().nullable(),
  content_lines: count.nullable(),
  content_bytes: count,
  /** The first 50 lines. */
  preview: z.string().nullable(),
  preview_truncated: z.boolean(),
  file_exists: z.boolean(),
  existing_lines: count.nullable(),
  existing_bytes: count.nullable(),
  unified_diff: z.string().nullable(),
});

/** A file that goes. Without `unified_diff` it is not text. */
export const DeletePayload = z.strictObject({
  type: z.literal('delete'),
  ...common,
  unified_diff: z.string().nullable(),
  ...standing,
});

/** A file that gets another path and keeps its bytes and mode; `path` is where it goes. */
export const MovePayload = z.strictObject({ type: z.literal('move'), ...common, from: z.string(), ...standing });

/** A file that the model wants to see. Holds no content: access to it is what people are asked for. */
export const ReadPayload = z.strictObject({
  type: z.literal('read'),
  ...common,
  ...standing,
  file_exists: z.boolean(),
});

/** The structured data that a proposal carries; rendering is separate and knows nothing else. */
export const Payload = z.discriminatedUnion('type', [
  EditPayload,
  WritePayload,
  DeletePayload,
  MovePayload,
  ReadPayload,
]);
export type Payload = z.infer<typeof Payload>;

/** The payload's diff in lines; null for what changes none (moves, reads, files that are not text) and for unknown types. */
export function diffOf(payload: Payload): string | null {
  return 'unified_diff' in payload ? payload.unified_diff : null;
}
