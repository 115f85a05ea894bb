/** The largest file that can be edited or written, in bytes. */
export const MAX_FILE_BYTES = 2_000_000;

/** The largest file that can be deleted or moved, in bytes: we read it to find out whether it is text. */
export const MAX_WHOLE_FILE_BYTES = 20_000_000;

/**
 * The largest unified diff of one proposal, in bytes. A longer one is refused, because people approve only a diff they
 * can see.
 */
export const MAX_DIFF_BYTES = 240_000;

/**
 * The largest part of a diff in one comment, in bytes; the rest of the comment needs room too. No line is ever split.
 */
export const MAX_DIFF_PART_BYTES = 57_000;

/** Diffs that must be longer than this are not even built to measure them. */
export const MAX_MEASURED_DIFF_CHARACTERS = 2 * MAX_DIFF_BYTES;

/** Lines in the preview of a written file. */
export const MAX_PREVIEW_LINES = 50;

/** The most lines in a region, old and new together: all of them are stored and digested. */
export const MAX_REGION_LINES = 50_000;

/** More matches than this are not counted exactly. */
export const MAX_COUNTED_MATCHES = 100_000;

/** Matches whose lines the model is told. */
export const MAX_LISTED_MATCHES = 50;
