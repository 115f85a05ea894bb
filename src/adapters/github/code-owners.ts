import { z } from 'zod';
import { CODEOWNERS_PATHS, MAX_CODEOWNERS_BYTES } from '../../core/policy/code-owners.ts';
import type { CodeOwnersLookup, TeamMembership } from '../../core/step/ports.ts';
import { fetchDefaultBranchFile } from './default-branch-file.ts';
import { fetchBlob } from './repository.ts';
import type { PullConnection } from './requests/connection.ts';
import { GitHubRequestError, isNotFound } from './requests/errors.ts';
import { isNotGranted } from './requests/tokens.ts';

/** `CODEOWNERS` on the default branch, at the first of GitHub's places that has one; null if none has. */
export async function fetchCodeOwnersFile(connection: PullConnection): Promise<CodeOwnersLookup | null> {
  for (const path of CODEOWNERS_PATHS) {
    const file = await fetchDefaultBranchFile(connection, path);
    if (file === null || file.kind === 'no-file') continue;
    if (file.kind === 'link') return { path, bytes: 'link' };
    if (file.kind === 'file') return { path, bytes: file.bytes };
    const { sha, size } = file;
    return { path, bytes: size > MAX_CODEOWNERS_BYTES ? 'too-large' : await fetchBlob(connection, sha) };
  }
  return null;
}

const Membership = z.object({ state: z.string() });

/** Whether a person is a member of `@org/team`, also through a team below it. An invitation is no membership. */
export async function fetchTeamMembership(
  { readMembers }: PullConnection,
  team: string,
  username: string,
): Promise<TeamMembership> {
  const [org = '', slug = ''] = team.slice(1).split('/');
  try {
    const { data } = await readMembers((client) =>
      client.rest.teams.getMembershipForUserInOrg({ org, team_slug: slug, username }),
    );
    return Membership.parse(data).state === 'active' ? 'member' : 'not-member';
  } catch (error) {
    if (isNotFound(error)) return 'not-member';
    if (isNotGranted(error) || isForbidden(error)) return 'unreadable';
    throw error;
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof GitHubRequestError && error.status === 403 && error.retryAt === null;
}
