import type { Pull } from './run.ts';
import type { Signal } from './signal.ts';

/**
 * The pull request under the names that its owner and repository have now, as GitHub's own words about it tell. What is
 * stored goes by numbers, which outlive a renaming and a transfer.
 */
export function withCurrentNames(pull: Pull, signal: Signal): Pull {
  if (signal.type !== 'intent' || !('pull' in signal.intent)) return pull;
  const { owner, repo } = signal.intent.pull;
  if (owner === pull.ref.owner && repo === pull.ref.repo) return pull;
  return { ...pull, ref: { ...pull.ref, owner, repo } };
}
