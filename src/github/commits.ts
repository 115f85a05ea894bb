import { type CommitNote, GitHubFault } from '../worker/ports.ts';
import { PAGE_SIZE } from './all-pages.ts';
import { type Connection, repositoryOf } from './connection.ts';

type Part = { readonly notes: readonly CommitNote[]; readonly total: number };

/** Commits reachable from `head` and not from `base`, newest first; complete or an error. */
export async function fetchCommits(connection: Connection, base: string, head: string): Promise<readonly CommitNote[]> {
  if (base === head) return [];
  const notes: CommitNote[] = [];
  for (let page = 1; ; page += 1) {
    const part = await fetchPart(connection, `${base}...${head}`, page);
    notes.push(...part.notes);
    if (notes.length >= part.total) return notes.reverse();
    if (part.notes.length === 0) {
      throw new GitHubFault(`GitHub listed ${notes.length} of ${part.total} commits`, null, null);
    }
  }
}

/** A page of the comparison, oldest commit first. */
async function fetchPart({ ref, read }: Connection, range: string, page: number): Promise<Part> {
  const { data } = await read((client) =>
    client.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...repositoryOf(ref),
      basehead: range,
      per_page: PAGE_SIZE,
      page,
    }),
  );
  return {
    notes: data.commits.map(({ sha, parents, commit, author }) => ({
      sha,
      parent: parents[0]?.sha ?? null,
      message: commit.message,
      authorId: authorIdOf(author),
    })),
    total: data.total_commits,
  };
}

/** Null where the commit's author is nobody that GitHub knows; GitHub then sends nothing or an empty object. */
function authorIdOf(author: object | null | undefined): number | null {
  return author != null && 'id' in author ? Number(author.id) : null;
}
