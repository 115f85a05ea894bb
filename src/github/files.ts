import type { PullFile } from '../worker/ports.ts';
import { allPages, PAGE_SIZE } from './all-pages.ts';
import { type Connection, cacheKey, repositoryOf } from './connection.ts';

/**
 * The files of the pull request's diff, at the head that GitHub has now; where that is the head that is asked for, the
 * list is cached by it. Of more than 3,000 GitHub lists the first 3,000, without a word about the rest.
 */
export async function fetchFiles(connection: Connection, head: string): Promise<readonly PullFile[]> {
  const { files } = connection.caches;
  const key = cacheKey(connection.ref, `${connection.ref.number}:${head}`);
  const cached = files.get(key);
  if (cached !== undefined) return cached;
  const listed = await list(connection);
  const fresh = listed.map(({ filename, status, patch }) => ({ path: filename, status, patch: patch ?? null }));
  if (isAtHead(listed, head)) files.set(key, fresh);
  return fresh;
}

type ListedFile = { filename: string; status: string; patch?: string; contents_url?: string };

function list({ ref, read }: Connection): Promise<readonly ListedFile[]> {
  return read((client) =>
    allPages<ListedFile>((page) =>
      client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', {
        ...repositoryOf(ref),
        pull_number: ref.number,
        per_page: PAGE_SIZE,
        page,
      }),
    ),
  );
}

/**
 * The list does not say which head it is of, but the address of each file does: a push can come before or between
 * pages.
 */
function isAtHead(files: readonly ListedFile[], head: string): boolean {
  const standing = files.filter(({ status }) => status !== 'removed');
  return standing.length > 0 && standing.every((file) => file.contents_url?.endsWith(`?ref=${head}`));
}
