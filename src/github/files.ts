import { GitHubFault, type PullFile } from '../worker/ports.ts';
import { allPages, PAGE_SIZE } from './all-pages.ts';
import { type Connection, repositoryOf } from './connection.ts';

/** GitHub lists no more than this, without a word about the rest. */
const MOST_FILES = 3000;

/**
 * All files of the pull request's diff, at the head that GitHub has now.
 * Where the list may have been cut at GitHub's bound it is an error.
 */
export async function fetchFiles({ ref, read }: Connection): Promise<readonly PullFile[]> {
  const files = await read((client) =>
    allPages((page) =>
      client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', {
        ...repositoryOf(ref),
        pull_number: ref.number,
        per_page: PAGE_SIZE,
        page,
      }),
    ),
  );
  if (files.length >= MOST_FILES) {
    throw new GitHubFault(`The pull request changes ${MOST_FILES} files or more; GitHub lists no further`, null, null);
  }
  return files.map(({ filename, status, patch }) => ({ path: filename, status, patch: patch ?? null }));
}
