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
export const MAX_DELETED_LINES_SHOWN = 50;

/** Lines in the preview of a written file. */
export const MAX_PREVIEW_LINES = 50;
