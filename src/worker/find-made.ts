import type { PullFacts } from '../run/facts.ts';
import type { Proposal } from '../run/proposal.ts';
import type { Signal } from '../run/signal.ts';
import { landedBefore, parentOf } from './find-landed.ts';
import { type GitHub, GitHubFault } from './ports.ts';

type Made = Extract<Signal, { type: 'committed' | 'commit-differs' }>;

/** Tries after which a commit that GitHub made, and shows no more, is taken for what was asked for. */
const MOST_TRIES = 12;

/**
 * The commit that GitHub said it made for some of these, whether or not the branch still holds it: none of them is made
 * again. Null where none is known; throws where GitHub does not show it yet.
 */
export async function findMade(
  github: GitHub,
  mine: readonly Proposal[],
  { pull, botId, attempts }: { readonly pull: PullFacts; readonly botId: number; readonly attempts: number },
): Promise<Made | null> {
  const sha = mine.find(({ commit }) => commit !== null)?.commit ?? null;
  const made = mine.filter(({ commit }) => commit === sha);
  const [first] = made;
  if (sha === null || first === undefined) return null;
  const told = { runId: first.runId, sha, proposalIds: made.map(({ id }) => id) };
  const away = { type: 'committed', files: [], away: true } as const;
  try {
    const found = await landedBefore(github, { mine: made, all: made }, sha, botId);
    if (found !== null) return { ...found, ...away };
    const notes = await github.commits(first.head, sha);
    const note = notes.find((one) => one.sha === sha);
    if (note === undefined) throw new GitHubFault('GitHub does not list the commit', 404, null);
    return { ...told, ...parentOf(note), type: 'commit-differs', differences: [] };
  } catch (error) {
    const isGone = error instanceof GitHubFault && error.status === 404 && attempts > MOST_TRIES;
    if (!isGone || pull.headSha === sha) throw error;
    return { ...told, ...away, made: {} };
  }
}
