import { z } from 'zod';
import { type AppAccount, GitHubError } from '../../core/state/ports.ts';
import type { GitHubClient } from './client.ts';
import { toGitHubError } from './errors.ts';
import { InstallationToken } from './installation-token.ts';

/** Creates a client with this token, or an anonymous one for null. */
type CreateClient = (token: string | null) => GitHubClient;

/**
 * Creates the lookup of the App's slug, owner and bot account. The bot's id comes from its public profile, because Apps
 * cannot use `GET /user`. The result is cached; a failure is not.
 */
export function createIdentityLookup(
  app: GitHubClient,
  createClient: CreateClient,
  now: () => number,
): () => Promise<AppAccount> {
  let cached: Promise<AppAccount> | null = null;
  return () => {
    cached ??= fetchAccount(app, createClient).catch((error: unknown) => {
      cached = null;
      throw toGitHubError(error, now());
    });
    return cached;
  };
}

const AppResponse = z.object({
  slug: z.string(),
  owner: z.union([
    z.object({ login: z.string() }).transform(({ login }) => login),
    z.object({ slug: z.string() }).transform(({ slug }) => slug),
  ]),
});

const BOT_NOT_VISIBLE =
  'GitHub requires a sign-in to show the bot account of this App, so install the App on a repository first';

function isAccessDenied(error: unknown): boolean {
  return error instanceof Error && 'status' in error && (error.status === 401 || error.status === 403);
}

async function fetchAccount(app: GitHubClient, createClient: CreateClient): Promise<AppAccount> {
  const { data } = await app.rest.apps.getAuthenticated();
  const parsed = AppResponse.safeParse(data);
  if (!parsed.success) throw new GitHubError('GitHub returned the App in an unknown form', null, null);
  const { slug, owner } = parsed.data;
  const login = `${slug}[bot]`;
  const botId = await fetchUserId(createClient(null), login).catch(async (error: unknown) => {
    const token = await fetchAnyInstallationToken(app);
    if (token !== null) return fetchUserId(createClient(token), login);
    // No status, because the refusal is temporary: the first installation of the App solves it.
    if (isAccessDenied(error)) throw new GitHubError(BOT_NOT_VISIBLE, null, null, { cause: error });
    throw error;
  });
  return { slug, owner, botId };
}

/**
 * Creates a token for requests that GitHub refuses without one: on an Enterprise Server in private mode, or from a
 * shared IP address above its rate limit. Null if the App is not installed anywhere.
 */
async function fetchAnyInstallationToken(app: GitHubClient): Promise<string | null> {
  const { data } = await app.rest.apps.listInstallations({ per_page: 1 });
  const [installation] = data;
  if (installation === undefined) return null;
  const permissions = { metadata: 'read' };
  return InstallationToken.parse(
    await app.auth({ type: 'installation', installationId: Number(installation.id), permissions }),
  ).token;
}

async function fetchUserId(client: GitHubClient, username: string): Promise<number> {
  const { data } = await client.rest.users.getByUsername({ username });
  return Number(data.id);
}
