import { maySign } from '../policy/roles.ts';
import type { PullFacts } from '../run/facts.ts';
import type { Permission } from '../run/proposal.ts';
import type { GitHub } from '../worker/ports.ts';
import { allPages, PAGE_SIZE } from './all-pages.ts';
import { type Connection, cacheKey, repositoryOf } from './connection.ts';
import { RequestFault } from './faults.ts';

const PERMISSIONS: Readonly<Record<string, Permission>> = { admin: 'admin', write: 'write', read: 'read' };
const NOBODY = { permission: 'none', userId: null } as const;

/** The pull request as GitHub has it now. */
export async function fetchPull({ ref, read }: Connection): Promise<PullFacts> {
  const { data } = await read((client) =>
    client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { ...repositoryOf(ref), pull_number: ref.number }),
  );
  return {
    state: data.merged ? 'merged' : data.state,
    draft: data.draft ?? false,
    title: data.title,
    // The description promises an author; a deleted account's place is empty all the same.
    author: data.user ? { id: Number(data.user.id), login: data.user.login } : null,
    baseRef: data.base.ref,
    baseSha: data.base.sha,
    headRef: data.head.ref,
    headSha: data.head.sha,
    // A deleted fork's head has no repository.
    fork: data.head.repo?.id !== ref.repositoryId,
    changedFiles: data.changed_files,
  };
}

/**
 * Other open pull requests from the same branch. GitHub finds them by the owner's name; the repository is checked here.
 */
export async function fetchOthersOn({ ref, read }: Connection, branch: string): Promise<readonly number[]> {
  const pulls = await read((client) =>
    allPages((page) =>
      client.request('GET /repos/{owner}/{repo}/pulls', {
        ...repositoryOf(ref),
        state: 'open',
        head: `${ref.owner}:${branch}`,
        per_page: PAGE_SIZE,
        page,
      }),
    ),
  );
  const same = pulls.filter(({ head }) => head.ref === branch && head.repo?.id === ref.repositoryId);
  return same.map(({ number }) => number).filter((number) => number !== ref.number);
}

/** So long an outsider's next words cost GitHub no question; whoever is granted access waits no longer than that. */
const REFUSAL_MS = 60_000;

/**
 * What a person may do here now. Whom GitHub does not know as a person (Apps answer 404) has no permission. Only a
 * refusal is remembered, for a minute: it can let nobody do anything.
 */
export async function fetchPermission(connection: Connection, login: string): ReturnType<GitHub['permission']> {
  const { ref, caches, now } = connection;
  const key = cacheKey(ref, login.toLowerCase());
  const known = caches.refusals.get(key);
  if (known !== undefined && known.until > now()) return known.answer;
  const answer = await askPermission(connection, login);
  if (!maySign(answer.permission)) caches.refusals.set(key, { until: now() + REFUSAL_MS, answer });
  return answer;
}

async function askPermission({ ref, read }: Connection, username: string): ReturnType<GitHub['permission']> {
  try {
    const { data } = await read((client) =>
      client.request('GET /repos/{owner}/{repo}/collaborators/{username}/permission', {
        ...repositoryOf(ref),
        username,
      }),
    );
    // Without a numeric id nobody can tell whose permission it is.
    if (!data.user) return NOBODY;
    // The endpoint calls maintainers writers; only the role's name tells them apart.
    const maintains = data.permission === 'write' && data.role_name === 'maintain';
    const permission = maintains ? 'maintain' : (PERMISSIONS[data.permission] ?? 'none');
    return { permission, userId: Number(data.user.id) };
  } catch (error) {
    if (error instanceof RequestFault && error.status === 404) return NOBODY;
    throw error;
  }
}
