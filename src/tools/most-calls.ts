/** Calls of one response that are served; a model that asks for more would keep everybody else waiting. */
export const MOST_CALLS = 50;

/** What a call beyond that is answered, without any work. */
export const BEYOND_MOST_CALLS = `Not executed: only the first ${MOST_CALLS} calls of a response are served. Call it again in a later response.`;
