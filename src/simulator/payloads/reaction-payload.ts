import type { World } from '../world/state.ts';
import type { Reaction, ReactionContent } from '../world/talk.ts';
import { simpleUser } from './account-payload.ts';
import type { Json } from './json.ts';

/** The eight reactions GitHub knows. */
export const REACTIONS = [
  '+1',
  '-1',
  'laugh',
  'confused',
  'heart',
  'hooray',
  'rocket',
  'eyes',
] as const satisfies readonly ReactionContent[];

/** One reaction. */
export function reactionPayload(world: World, reaction: Reaction): Json {
  const { id, content, createdAt } = reaction;
  const user = simpleUser(world, reaction.authorId);
  return { id, node_id: `REA_${id}`, user, content, created_at: createdAt };
}

/** The counts a comment carries. */
export function reactionRollup(url: string, reactions: readonly Reaction[]): Json {
  const counts = REACTIONS.map((content) => [content, reactions.filter((one) => one.content === content).length]);
  return { url, total_count: reactions.length, ...Object.fromEntries(counts) };
}
