import { z } from 'zod';
import { GitHubFault, type GitHubs } from '../worker/ports.ts';
import { toFault } from './faults.ts';
import type { GitHubClient } from './octokit.ts';

type Identity = Awaited<ReturnType<GitHubs['self']>>;

/** A client with this token; null is a stranger's. */
type OpenClient = (token: string | null) => GitHubClient;

const Minted = z.object({ token: z.string() });
const App = z.object({
  slug: z.string(),
  owner: z.union([
    z.object({ login: z.string() }).transform(({ login }) => login),
    z.object({ slug: z.string() }).transform(({ slug }) => slug),
  ]),
});

/**
 * Who we are: the App itself says its slug and owner; its bot user's numeric id is public
 * (`GET /user` is closed to Apps). Asked once; a failure is not remembered.
 */
export function openIdentity(app: GitHubClient, open: OpenClient, now: () => number): () => Promise<Identity> {
  let known: Promise<Identity> | null = null;
  return () => {
    known ??= fetchIdentity(app, open).catch((error: unknown) => {
      known = null;
      throw toFault(error, now());
    });
    return known;
  };
}

const HIDDEN =
  'GitHub shows the bot of this App to nobody who is not signed in, and the App is not installed anywhere yet';

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'status' in error && (error.status === 401 || error.status === 403);
}

async function fetchIdentity(app: GitHubClient, open: OpenClient): Promise<Identity> {
  const { data } = await app.request('GET /app');
  const parsed = App.safeParse(data);
  if (!parsed.success) throw new GitHubFault('GitHub described the App in an unknown form', null, null);
  const { slug, owner } = parsed.data;
  const login = `${slug}[bot]`;
  const botId = await fetchUserId(open(null), login).catch(async (error: unknown) => {
    const token = await anyInstallationToken(app);
    if (token !== null) return fetchUserId(open(token), login);
    // No lasting refusal: the App is known, and its first installation will show it who it is.
    if (isRefusal(error)) throw new GitHubFault(HIDDEN, null, null, { cause: error });
    throw error;
  });
  return { slug, owner, botId };
}

/** Strangers may be refused (an Enterprise Server in private mode, a shared address out of requests). */
async function anyInstallationToken(app: GitHubClient): Promise<string | null> {
  const { data } = await app.request('GET /app/installations', { per_page: 1 });
  const [installation] = data;
  if (installation === undefined) return null;
  const permissions = { metadata: 'read' };
  return Minted.parse(await app.auth({ type: 'installation', installationId: Number(installation.id), permissions }))
    .token;
}

async function fetchUserId(client: GitHubClient, username: string): Promise<number> {
  const { data } = await client.request('GET /users/{username}', { username });
  return Number(data.id);
}
