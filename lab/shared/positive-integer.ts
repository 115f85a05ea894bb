/** The text of a whole number from 1 to 999,999,999. */
export const POSITIVE_INTEGER = /^[1-9]\d{0,8}$/;
