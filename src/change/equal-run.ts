import { type Letters, lettersOf } from './letters.ts';

/** A text, and its letters as numbers: those are quicker one by one, the text where many are compared at once. */
export type Lettered = { readonly text: string; readonly letters: Letters };

/** A text with its letters. */
export function lettered(text: string): Lettered {
  return { text, letters: lettersOf(text) };
}

/** Letters that are compared one by one before stretches are: most runs are short, and a stretch takes longer to begin. */
const NEAR = 32;

/**
 * How many letters two texts have alike, from an offset of either on. A long run takes next to nothing, because the engine
 * compares whole stretches, ever greater ones while they are alike.
 */
export function equalRun(left: Lettered, at: number, right: Lettered, other: number): number {
  const [letters, others] = [left.letters, right.letters];
  const most = Math.min(letters.length - at, others.length - other);
  const near = Math.min(most, NEAR);
  let same = 0;
  while (same < near && letters[at + same] === others[other + same]) same += 1;
  return same < near || same === most ? same : NEAR + longRun(left, at + NEAR, right, other + NEAR);
}

function longRun({ text }: Lettered, at: number, { text: other }: Lettered, from: number): number {
  const most = Math.min(text.length - at, other.length - from);
  let same = 0;
  let stride = NEAR;
  const alike = (): boolean =>
    same + stride <= most &&
    text.slice(at + same, at + same + stride) === other.slice(from + same, from + same + stride);
  for (; alike(); stride *= 2) same += stride;
  for (; stride >= 1; stride /= 2) if (alike()) same += stride;
  return same;
}
