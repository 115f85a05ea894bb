import { accountOf } from '../world/lookup.ts';
import { addressOf } from '../world/signatures.ts';
import type { Account, World } from '../world/state.ts';
import type { Suggestion } from './check-suggestion.ts';

/** The message GitHub writes: a subject, and a trailer for every suggester but the one who clicks. */
export function suggestionMessage(world: World, clicker: Account, suggestions: readonly Suggestion[]): string {
  const ids = new Set(suggestions.map(({ comment }) => comment.authorId));
  const suggesters = [...ids].flatMap((id) => accountOf(world, id) ?? []);
  const trailers = suggesters
    .filter(({ id }) => id !== clicker.id)
    .map((account) => `Co-authored-by: ${account.login} <${addressOf(world, account)}>`);
  return [subject(suggestions.length, suggesters), ...(trailers.length === 0 ? [] : ['', ...trailers])].join('\n');
}

function subject(count: number, suggesters: readonly Account[]): string {
  if (count > 1) return 'Apply suggestions from code review';
  return `Apply suggestion from @${suggesters[0]?.login ?? 'ghost'}`;
}
