import type { LineRange } from '../change/range.ts';
import { findTrailers } from '../render/commit-message.ts';
import type { Proposal } from '../run/proposal.ts';
import type { CommittedFile, Signal } from '../run/signal.ts';
import type { CommitNote, GitHub } from './ports.ts';

type Committed = Extract<Signal, { type: 'committed' }>;
/** A change of ours as a commit's trailers tell of it. */
type Landed = { readonly proposal: Proposal; readonly range: LineRange | null };

/** A commit on the branch that carries trailers of these proposals: an earlier attempt whose answer was lost. */
export async function findLanded(
  github: GitHub,
  mine: readonly Proposal[],
  { headSha, botId }: { readonly headSha: string; readonly botId: number },
): Promise<Committed | null> {
  const [first] = mine;
  if (first === undefined) return null;
  for (const note of await github.commits(first.head, headSha)) {
    // Anybody may copy trailers; only our own commits prove that an attempt landed.
    const landed = note.authorId === botId ? landedIn(note, mine) : [];
    if (landed.length === 0) continue;
    const proposalIds = landed.map(({ proposal }) => proposal.id);
    const files = await filesOf(github, note, landed);
    return { type: 'committed', runId: first.runId, sha: note.sha, proposalIds, files };
  }
  return null;
}

function landedIn({ message }: CommitNote, mine: readonly Proposal[]): readonly Landed[] {
  return findTrailers(message).flatMap(({ proposalId, range }) => {
    const proposal = mine.find((one) => one.id === proposalId);
    return proposal === undefined ? [] : [{ proposal, range }];
  });
}

/** What the commit did to each path, so that it makes no other proposal of the file stale. */
async function filesOf(github: GitHub, note: CommitNote, landed: readonly Landed[]): Promise<readonly CommittedFile[]> {
  if (note.parent === null) return [];
  const [before, after] = [await github.tree(note.parent), await github.tree(note.sha)];
  return [...Map.groupBy(landed, ({ proposal }) => proposal.change.path)].flatMap(([path, changes]) => {
    const blob = after.get(path)?.sha;
    const ranges = changes.flatMap(({ range }) => range ?? []);
    if (blob === undefined || ranges.length < changes.length) return [];
    return [{ path, before: before.get(path)?.sha ?? null, after: blob, ranges }];
  });
}
