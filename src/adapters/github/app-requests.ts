import { z } from 'zod';
import type { AppSetup } from '../../core/step/app-rights.ts';
import { type AppAccount, type DeliveryLog, type DeliveryLogPage, GitHubError } from '../../core/step/ports.ts';
import { isRecord } from '../../lib/trust.ts';
import type { GitHubClient } from './requests/client.ts';
import { allItems, PAGE_SIZE, PAGES } from './requests/connection.ts';
import { GitHubRequestError, toGitHubError } from './requests/errors.ts';
import { InstallationToken } from './requests/tokens.ts';

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

/** Creates the reader of the App's registration and installations: one request, and one per 100 installations. */
export function createSetupReader(app: GitHubClient, site: string, now: () => number): () => Promise<AppSetup> {
  return async () => {
    try {
      return await fetchSetup(app, site);
    } catch (error) {
      throw toGitHubError(error, now());
    }
  };
}

const AppRights = z.object({ permissions: z.record(z.string(), z.unknown()), events: z.array(z.string()) });

/** An organization, a person, or an enterprise, which has no login. */
const Account = z.union([
  z.object({ login: z.string(), type: z.string().catch('User') }),
  z.object({ slug: z.string() }).transform(({ slug }) => ({ login: slug, type: 'Enterprise' })),
]);

const RegisteredApp = AppRights.extend({ slug: z.string(), html_url: z.string(), owner: Account });

const ListedInstallation = AppRights.extend({
  account: Account.nullable(),
  html_url: z.string(),
  suspended_at: z.string().nullish(),
}).transform(({ account, html_url: url, suspended_at: suspendedAt, ...grant }) => ({
  ...grant,
  account: account?.login ?? '',
  url,
  isSuspended: suspendedAt != null,
}));

async function fetchSetup(app: GitHubClient, site: string): Promise<AppSetup> {
  const { data } = await app.rest.apps.getAuthenticated();
  const registered = RegisteredApp.safeParse(data);
  const listed: unknown = await app.paginate(app.rest.apps.listInstallations, PAGES, allItems());
  const installations = z.array(ListedInstallation).safeParse(listed);
  if (!registered.success || !installations.success)
    throw new GitHubError('GitHub returned the App or its installations in an unknown form', null, null);
  const { permissions, events, html_url: appUrl } = registered.data;
  return {
    ...{ permissions, events },
    settingsUrl: settingsUrl(registered.data, site),
    installUrl: `${appUrl}/installations/new`,
    installations: installations.data,
  };
}

function settingsUrl({ slug, html_url: appUrl, owner }: z.infer<typeof RegisteredApp>, site: string): string {
  if (owner.type === 'Enterprise') return appUrl;
  const prefix = owner.type === 'Organization' ? `/organizations/${owner.login}` : '';
  return `${site}${prefix}/settings/apps/${slug}/permissions`;
}

/** Statuses for a delivery that GitHub no longer has. */
const GONE_STATUSES: readonly (number | null)[] = [404, 410, 422];

/** The log of this App's webhooks. */
export function createDeliveryLog(app: GitHubClient, now: () => number): DeliveryLog {
  const withErrors = <Result>(send: () => Promise<Result>): Promise<Result> =>
    send().catch((error: unknown) => {
      throw toGitHubError(error, now());
    });
  return {
    fetchPage: (cursor, which) => withErrors(() => fetchLogPage(app, cursor, which)),
    fetchPayload: (id) =>
      withErrors(() => fetchDeliveryPayload(app, id)).catch((error: unknown) => {
        if (error instanceof GitHubRequestError && error.retryAt === null && GONE_STATUSES.includes(error.status))
          return null;
        throw error;
      }),
  };
}

/** Ids above 2^53 are `bigint`. */
const DeliveryId = z.union([z.number(), z.bigint()]).transform(String);

const DeliveryAttempt = z
  .object({
    id: DeliveryId,
    guid: z.string(),
    delivered_at: z.iso.datetime({ offset: true }),
    // Only for the log, so that a server without it can still be read.
    status: z.string().catch(''),
    status_code: z.number(),
    event: z.string(),
    action: z.string().nullish(),
    repository_id: z.union([z.number(), z.bigint()]).nullish(),
  })
  .transform(({ id, guid, delivered_at, status, status_code, event, action, repository_id: repositoryId }) => ({
    id,
    guid,
    deliveredAt: Date.parse(delivered_at),
    acknowledged: status_code >= 200 && status_code < 300,
    status,
    event,
    action: action ?? null,
    repositoryId: repositoryId == null ? null : Number(repositoryId),
  }));

const DeliveryAttempts = z.array(DeliveryAttempt);

async function fetchLogPage(
  app: GitHubClient,
  cursor: string | null,
  which: 'all' | 'failed',
): Promise<DeliveryLogPage> {
  const { data, headers } = await app.rest.apps.listWebhookDeliveries({
    per_page: PAGE_SIZE,
    ...(cursor === null ? {} : { cursor }),
    ...(which === 'failed' ? { status: 'failure' } : {}),
  });
  const deliveries = DeliveryAttempts.safeParse(data);
  if (!deliveries.success) throw new GitHubError('GitHub returned deliveries in an unknown form', null, null);
  return { deliveries: deliveries.data, nextCursor: nextCursor(headers.link) };
}

function nextCursor(link: string | undefined): string | null {
  const address = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return address !== undefined && URL.canParse(address) ? new URL(address).searchParams.get('cursor') : null;
}

const SentDelivery = z.object({ request: z.object({ payload: z.unknown() }) });

async function fetchDeliveryPayload(app: GitHubClient, id: string): Promise<Readonly<Record<string, unknown>> | null> {
  // The typed method takes a number, but the id can exceed 2^53.
  const { data } = await app.request(`GET /app/hook/deliveries/${encodeURIComponent(id)}`);
  const sent = SentDelivery.safeParse(data);
  return sent.success && isRecord(sent.data.request.payload) ? sent.data.request.payload : null;
}
