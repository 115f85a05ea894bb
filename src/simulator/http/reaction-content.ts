import type { ReactionContent } from '../world/talk.ts';

const CONTENTS: readonly ReactionContent[] = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'];

/** One of the eight reactions, or undefined. */
export function reactionContent(value: unknown): ReactionContent | undefined {
  return CONTENTS.find((content) => content === value);
}
