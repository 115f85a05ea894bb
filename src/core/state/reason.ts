import { cutAtWord } from '../../lib/format.ts';

/** Characters of a reason that people see. A longer one is cut. */
export const MAX_REASON_CHARACTERS = 200;

/** A reason as people see it; null for none. */
export function cutReason(written: string): string | null {
  return cutAtWord(written.trim(), MAX_REASON_CHARACTERS) || null;
}
