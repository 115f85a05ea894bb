/** Calls of one response that are served; a model that asks for more would keep everybody else waiting. */
export const MOST_CALLS = 50;

/** What a call beyond that is answered, without any work. */
export const BEYOND_MOST_CALLS = `Not executed: only the first ${MOST_CALLS} calls of a response are served. Call it again in a later response.`;

/**
 * Letters that the changes of one response may span together: they are stored at once, and the process answers nobody while it writes
 * them out. The largest change by itself is about as long.
 */
export const MOST_CHANGED_LETTERS = 4_000_000;

/** What a change beyond that is answered. */
export const BEYOND_MOST_LETTERS =
  'Not proposed: the changes of this response are too large together. Call it again in a later response.';
