import { findSecretRanges, type SecretRange } from '../../../lib/credentials.ts';
import { isWithinSecret } from '../../../lib/redaction.ts';
import type { TextReplacement } from './replacements.ts';

/** A file's text before and after some replacements, and the secrets of the text before. */
type ReplacedText = {
  readonly before: string;
  readonly after: string;
  readonly replacements: readonly Pick<TextReplacement, 'start' | 'end' | 'text'>[];
  readonly secrets: readonly SecretRange[];
};

/**
 * Whether a secret is still in the text but no longer recognized: a change beside it can take away the signs that it is
 * recognized by. Then the model would see it.
 */
export function uncoversSecret({ before, after, replacements, secrets }: ReplacedText): boolean {
  if (secrets.length === 0) return false;
  const hidden = findSecretRanges(after);
  const rewritten: SecretRange[] = [];
  let [next, shift] = [0, 0];
  for (const secret of secrets) {
    const { start, end } = secret;
    let replacement = replacements[next];
    while (replacement !== undefined && replacement.end <= start) {
      shift += replacement.text.length - (replacement.end - replacement.start);
      next += 1;
      replacement = replacements[next];
    }
    if (replacement !== undefined && replacement.start < end) rewritten.push(secret);
    else if (!isWithinSecret(hidden, start + shift, end + shift)) return true;
  }
  return showsRewritten({ before, after, replacements, secrets: rewritten }, hidden);
}

/** Rows of a key, or a value without its name. */
const LONG_PARTS = /[A-Za-z0-9+/=]{32,}/g;

/** Whether secrets that a person rewrote are still there, as a whole or in part, where the model would see them. */
function showsRewritten(
  { before, after, replacements, secrets }: ReplacedText,
  hidden: readonly SecretRange[],
): boolean {
  const [first, last] = [secrets[0], secrets.at(-1)];
  if (first === undefined || last === undefined) return false;
  const start = Math.min(first.start, replacements[0]?.start ?? 0);
  const unchangedEnd = before.length - Math.max(last.end, replacements.at(-1)?.end ?? 0);
  const rewritten = after.slice(start, after.length - unchangedEnd);
  const texts = secrets.map((secret) => before.slice(secret.start, secret.end));
  for (const part of new Set(texts.flatMap((text) => [text, ...(text.match(LONG_PARTS) ?? [])]))) {
    for (let at = rewritten.indexOf(part); at !== -1; at = rewritten.indexOf(part, at + part.length))
      if (!isWithinSecret(hidden, start + at, start + at + part.length)) return true;
  }
  return false;
}
