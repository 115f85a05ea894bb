/** The largest file that is edited or written, in bytes. */
export const MOST_FILE_BYTES = 2_000_000;

/** The largest file that is deleted or moved, in bytes: it has to be read to know whether it is text. */
export const MOST_WHOLE_FILE_BYTES = 20_000_000;

/** The most bytes of unified diff that are put before people, in parts if need be; nobody approves what is not on the page. */
export const MOST_DIFF_BYTES = 240_000;

/**
 * The most bytes that a comment has room for beside what it says of the change that its part of a diff belongs to. A line is
 * never cut, so none of a diff may take more.
 */
export const MOST_PART_BYTES = 57_000;

/** Letters of a diff beyond which it is not made, even to tell how long it is. */
export const MOST_MEASURED_LETTERS = 2 * MOST_DIFF_BYTES;

/** How many lines of a written file its preview has. */
export const PREVIEW_LINES = 50;

/** The most lines from the first to the last difference, before and after together: all of them are stored and digested. */
export const MOST_REGION_LINES = 50_000;

/** Matches beyond which nobody is told their exact number. */
export const MOST_COUNTED = 100_000;

/** How many matches are named by their lines. */
export const MOST_LINES_NAMED = 50;
