import type { PostedComment } from '../run/proposal.ts';
import { type FoundComment, GitHubFault } from '../worker/ports.ts';
import { allPages, PAGE_SIZE } from './all-pages.ts';
import { type Connection, repositoryOf } from './connection.ts';
import { firstLine, hashOf, plainBody, postedComment, type RestComment } from './posted-comment.ts';

type ListedComment = RestComment & {
  readonly body?: string;
  readonly updated_at: string;
  readonly user: { readonly id: number | bigint } | null;
  readonly subject_type?: 'line' | 'file';
};
type Lister = (
  connection: Connection,
  since: string | null,
  enough: (comments: readonly ListedComment[]) => boolean,
) => Promise<readonly ListedComment[]>;
type Surface = { readonly list: Lister; readonly kindOf: (comment: ListedComment) => FoundComment['kind'] };

/** Both places where comments of a pull request stand. */
const SURFACES: readonly Surface[] = [
  {
    list: listReviewComments,
    kindOf: ({ subject_type }) => (subject_type === 'file' ? 'file-comment' : 'review-comment'),
  },
  { list: listIssueComments, kindOf: () => 'issue-comment' },
];

/** GitHub's times come from many machines. */
const SKEW_MS = 60_000;

/**
 * Comments of the App itself whose first line is one of these markers; the oldest where one stands twice. With `since` what was
 * not touched since then is not listed: a pull request may hold hundreds of comments of earlier runs.
 */
export async function findByMarker(
  connection: Connection,
  markers: readonly string[],
  since: string | null,
): Promise<ReadonlyMap<string, FoundComment>> {
  const wanted = new Set(markers);
  const found = new Map<string, FoundComment>();
  const botId = await connection.botId();
  const from = since === null ? null : new Date(Date.parse(since) - SKEW_MS).toISOString();
  for (const { list, kindOf } of SURFACES) {
    const isMarked = ({ user, body = '' }: ListedComment): boolean =>
      Number(user?.id) === botId && wanted.has(firstLine(body));
    const isLast = (comments: readonly ListedComment[]): boolean =>
      found.size + new Set(comments.filter(isMarked).map(({ body = '' }) => firstLine(body))).size >= wanted.size;
    if (found.size === wanted.size) return found;
    for (const comment of (await list(connection, from, isLast)).filter(isMarked)) {
      const body = comment.body ?? '';
      const marker = firstLine(body);
      if (!found.has(marker)) found.set(marker, { ...postedComment(kindOf(comment), comment, body), body });
    }
  }
  return found;
}

/** Whether the App itself already wrote this body on the pull request at or after `since` (ISO 8601, by our clock). */
export async function wroteSince(connection: Connection, body: string, since: string): Promise<boolean> {
  const botId = await connection.botId();
  // GitHub keeps whole seconds: a comment written within this one must not look older.
  const from = `${new Date(Date.parse(since) + connection.ahead()).toISOString().slice(0, 19)}Z`;
  const isIt = (comment: ListedComment): boolean =>
    Number(comment.user?.id) === botId &&
    comment.created_at >= from &&
    plainBody(comment.body ?? '') === plainBody(body);
  for (const { list } of SURFACES) {
    const comments = await list(connection, from, (some) => some.some(isIt));
    if (comments.some(isIt)) return true;
  }
  return false;
}

/** The hashes of comments of ours as they stand now; one alone is asked for by itself, several by what lists them. */
export async function fetchBodyHashes(
  connection: Connection,
  comments: readonly PostedComment[],
): Promise<Readonly<Record<string, string | null>>> {
  const [only, ...others] = comments;
  if (only !== undefined && others.length === 0) return { [only.id]: await fetchBodyHash(connection, only) };
  const hashes: Record<string, string | null> = Object.fromEntries(comments.map(({ id }) => [id, null]));
  for (const { list, kindOf } of SURFACES) {
    const wanted = new Set(comments.filter(({ kind }) => isOn(kind, kindOf)).map(({ id }) => id));
    if (wanted.size === 0) continue;
    for (const { id, body = '' } of await list(connection, null, () => false)) {
      if (wanted.has(Number(id))) hashes[Number(id)] = hashOf(body);
    }
  }
  return hashes;
}

function isOn(kind: FoundComment['kind'], kindOf: Surface['kindOf']): boolean {
  return (kind === 'issue-comment') === (kindOf === SURFACES[1]?.kindOf);
}

async function fetchBodyHash({ ref, read }: Connection, comment: PostedComment): Promise<string | null> {
  const at = { ...repositoryOf(ref), comment_id: comment.id };
  try {
    return hashOf(
      await read(async (client) => {
        const { data } =
          comment.kind === 'issue-comment'
            ? await client.request('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', at)
            : await client.request('GET /repos/{owner}/{repo}/pulls/comments/{comment_id}', at);
        return data.body ?? '';
      }),
    );
  } catch (error) {
    if (error instanceof GitHubFault && error.status === 404) return null;
    throw error;
  }
}

export function listReviewComments(...[{ ref, read }, since, enough]: Parameters<Lister>): ReturnType<Lister> {
  return read((client) =>
    allPages<ListedComment>(
      (page) =>
        client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', {
          ...repositoryOf(ref),
          pull_number: ref.number,
          per_page: PAGE_SIZE,
          page,
          ...(since === null ? {} : { since }),
        }),
      enough,
    ),
  );
}

export function listIssueComments(...[{ ref, read }, since, enough]: Parameters<Lister>): ReturnType<Lister> {
  return read((client) =>
    allPages<ListedComment>(
      (page) =>
        client.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
          ...repositoryOf(ref),
          issue_number: ref.number,
          per_page: PAGE_SIZE,
          page,
          ...(since === null ? {} : { since }),
        }),
      enough,
    ),
  );
}
