/** Characters of a reason that people see. A longer one is cut. */
export const MAX_REASON_CHARACTERS = 200;

/** A reason as people see it, cut between words where it is long; null for none. */
export function cutReason(written: string): string | null {
  const text = written.trim();
  const characters = [...text];
  if (characters.length <= MAX_REASON_CHARACTERS) return text || null;
  const kept = characters.slice(0, MAX_REASON_CHARACTERS - 1).join('');
  return `${kept.replace(/\s+\S{0,30}$/u, '')}…`;
}
