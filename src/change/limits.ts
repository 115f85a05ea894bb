/** The largest file that is edited or written, in bytes. */
export const MOST_FILE_BYTES = 2_000_000;

/** The most bytes of unified diff that one comment can show beside everything else; nobody approves what is not on the page. */
export const MOST_DIFF_BYTES = 50_000;

/** How many lines of a written file its preview has. */
export const PREVIEW_LINES = 50;
