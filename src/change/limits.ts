/** The largest file that is edited or written, in bytes. */
export const MOST_FILE_BYTES = 2_000_000;

/** The most bytes of unified diff that people can review in one proposal. */
export const MOST_DIFF_BYTES = 240_000;

/** How many lines of a written file its preview has. */
export const PREVIEW_LINES = 50;
