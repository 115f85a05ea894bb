import { readBlob } from '../simulator/git/blob.ts';
import { readCommit } from '../simulator/git/commit-object.ts';
import { entryAt } from '../simulator/git/trees.ts';
import { ROWS_PATH, shownRow } from './rows.ts';
import type { Site, SitePull } from './site.ts';

/** A proposal as it stands on the page now; `threadId` is its comment where it has a thread. */
export type Shown = {
  readonly id: string;
  readonly threadId: number | null;
  readonly body: string;
  readonly row: number;
  readonly task: number;
};

const PROPOSAL = /^<!-- countersign:proposal:([a-z0-9]+) -->/;

/** The proposals of a pull request, once for each comment that shows them. */
export function proposalsOn({ github }: Site, pull: SitePull): readonly Shown[] {
  const { comments, reviewComments } = pull.now();
  const said = [
    ...[...comments.values()].map((comment) => ({ comment, threadId: null })),
    ...[...reviewComments.values()].map((comment) => ({ comment, threadId: comment.id })),
  ];
  return said.flatMap(({ comment: { authorId, body }, threadId }) => {
    const id = PROPOSAL.exec(body)?.[1];
    const shown = shownRow(body);
    return authorId === github.app.botId && id !== undefined && shown !== null
      ? [{ id, threadId, body, ...shown }]
      : [];
  });
}

/** How often each proposal is named by a commit of the branch. */
export function committedOn(site: Site, pull: SitePull): ReadonlyMap<string, number> {
  return new Map([...commitsOn(site, pull)].map(([id, shas]) => [id, shas.length]));
}

/** The commits of the branch that name each proposal, as often as they do. */
export function commitsOn({ github }: Site, pull: SitePull): ReadonlyMap<string, readonly string[]> {
  const { store } = github.world();
  const named = new Map<string, readonly string[]>();
  for (let sha: string | undefined = pull.now().head.sha; sha !== undefined; ) {
    const commit = readCommit(store, sha);
    for (const [, id = ''] of commit?.message.matchAll(/^Countersign-Proposal: (\S+)$/gm) ?? [])
      named.set(id, [...(named.get(id) ?? []), sha]);
    sha = commit?.parents[0];
  }
  return named;
}

/** The file of rows at the head. */
export function rowsOn({ github }: Site, pull: SitePull): string {
  const { store } = github.world();
  const tree = readCommit(store, pull.now().head.sha)?.tree ?? '';
  const entry = entryAt(store, tree, ROWS_PATH);
  return Buffer.from((entry === undefined ? undefined : readBlob(store, entry.sha)) ?? []).toString('utf8');
}
