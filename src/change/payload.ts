import { z } from 'zod';

const common = {
  /** One line that says what would happen, readable on its own. */
  description: z.string(),
  path: z.string(),
  /** The repository's name. */
  sandbox: z.string(),
};

/** A replacement of text inside an existing file. */
export const EditPayload = z.strictObject({
  type: z.literal('edit'),
  ...common,
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean(),
  unified_diff: z.string(),
  /** Number of lines of `unified_diff`. */
  diff_lines: z.number().int(),
  /** 1-based line of the first match. */
  match_line: z.number().int(),
  match_count: z.number().int(),
  context_before: z.string(),
  context_after: z.string(),
  file_lines: z.number().int(),
  file_bytes: z.number().int(),
});

/** A whole file, new or replaced. */
export const WritePayload = z.strictObject({
  type: z.literal('write'),
  ...common,
  content: z.string(),
  content_lines: z.number().int(),
  content_bytes: z.number().int(),
  /** The first 50 lines. */
  preview: z.string(),
  preview_truncated: z.boolean(),
  file_exists: z.boolean(),
  existing_lines: z.number().int().nullable(),
  existing_bytes: z.number().int().nullable(),
  unified_diff: z.string(),
});

/** The structured data that a proposal carries; rendering is separate and knows nothing else. */
export const Payload = z.discriminatedUnion('type', [EditPayload, WritePayload]);
export type Payload = z.infer<typeof Payload>;
