import { z } from 'zod';
import type { AppSetup, AppWebhook } from '../../core/step/app-rights.ts';
import { type AppAccount, type DeliveryLog, type DeliveryLogPage, GitHubError, means } from '../../core/step/ports.ts';
import { isRecord } from '../../lib/trust.ts';
import type { GitHubClient } from './requests/client.ts';
import { PAGE_SIZE, PAGES } from './requests/connection.ts';
import { GitHubRequestError } from './requests/errors.ts';

/**
 * Creates the lookup of the App's slug, owner and bot account. The bot's id comes from its public profile, because Apps
 * cannot use `GET /user`. The result is cached; a failure is not.
 */
export function createIdentityLookup(app: GitHubClient, anonymous: GitHubClient): () => Promise<AppAccount> {
  let cached: Promise<AppAccount> | null = null;
  return () => {
    cached ??= fetchAccount(app, anonymous).catch((error: unknown) => {
      cached = null;
      throw error;
    });
    return cached;
  };
}

/** An organization, a person, or an enterprise, which has no login. */
const Account = z.union([
  z.object({ login: z.string(), type: z.string().catch('User') }),
  z.object({ slug: z.string() }).transform(({ slug }) => ({ login: slug, type: 'Enterprise' })),
]);

const AppRights = z.object({ permissions: z.record(z.string(), z.unknown()), events: z.array(z.string()) });

const AppName = z.object({
  slug: z.string(),
  owner: Account,
  installations_count: z.number().optional().catch(undefined),
});

const RegisteredApp = AppName.extend({ ...AppRights.shape, html_url: z.string() });

async function fetchAccount(app: GitHubClient, anonymous: GitHubClient): Promise<AppAccount> {
  const { data } = await app.rest.apps.getAuthenticated().catch(throwUnknownApp);
  const { slug, owner, installations_count: installations } = parse(AppName, data);
  const username = `${slug}[bot]`;
  const profile = await anonymous.rest.users.getByUsername({ username }).catch(async (error: unknown) => {
    const authorization = await authorizeAnywhere(app);
    // GitHub can refuse a token that is new. And the first installation of the App solves a refusal without one.
    if (authorization !== null)
      return anonymous.rest.users.getByUsername({ username, headers: { authorization } }).catch(throwTemporary);
    return throwTemporary(error, BOT_NOT_VISIBLE);
  });
  return { slug, owner: owner.login, botId: profile.data.id, installations };
}

/** GitHub does not know the App. No server lags here: it was registered before this process began. */
function throwUnknownApp(error: unknown): never {
  if (!(error instanceof GitHubRequestError) || (error.status !== 401 && error.status !== 404)) throw error;
  const { message, status, detail } = error;
  throw new GitHubError(message, status, null, { meaning: 'not-allowed', detail, cause: error });
}

/** A refusal that ends by itself. */
function throwTemporary(error: unknown, message?: string): never {
  if (!(error instanceof GitHubRequestError) || (error.status !== 401 && error.status !== 403)) throw error;
  throw new GitHubError(message ?? error.message, null, null, { cause: error });
}

const BOT_NOT_VISIBLE =
  'GitHub requires a sign-in to show the bot account of this App, so install the App on a repository first';

/**
 * Authorizes requests that GitHub refuses anonymously: on an Enterprise Server in private mode, or from a shared IP
 * address above its rate limit. Null if the App is not installed anywhere.
 */
async function authorizeAnywhere(app: GitHubClient): Promise<string | null> {
  const [installation] = (await app.rest.apps.listInstallations({ per_page: 1 })).data;
  if (installation === undefined) return null;
  const permissions = { metadata: 'read' };
  const minted = await app.auth({ type: 'installation', installationId: installation.id, permissions });
  return `token ${z.object({ token: z.string() }).parse(minted).token}`;
}

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

/** The App's registration and installations: one request, and one per 100 installations. */
export async function fetchSetup(app: GitHubClient, site: string): Promise<AppSetup> {
  const registered = parse(RegisteredApp, (await app.rest.apps.getAuthenticated()).data);
  const listed: unknown = await app.paginate(app.rest.apps.listInstallations, PAGES);
  const { permissions, events, html_url: appUrl } = registered;
  return {
    ...{ permissions, events },
    settingsUrl: settingsUrl(registered, site),
    installUrl: `${appUrl}/installations/new`,
    installations: parse(z.array(ListedInstallation), listed),
  };
}

function settingsUrl({ slug, html_url: appUrl, owner }: z.infer<typeof RegisteredApp>, site: string): string {
  if (owner.type === 'Enterprise') return appUrl;
  const prefix = owner.type === 'Organization' ? `/organizations/${owner.login}` : '';
  return `${site}${prefix}/settings/apps/${slug}/permissions`;
}

const WebhookConfig = z.object({
  url: z.string().catch(''),
  content_type: z.string().catch('json'),
  insecure_ssl: z.union([z.string(), z.number()]).catch('0'),
});

const WebhookAttempt = z
  .object({
    guid: z.string(),
    delivered_at: z.iso.datetime({ offset: true }),
    status: z.string(),
    status_code: z.int(),
  })
  .transform(({ guid, delivered_at, status, status_code: statusCode }) => ({
    ...{ guid, status, statusCode },
    deliveredAt: Date.parse(delivered_at),
  }));

/** The App's webhook, and the newest page of GitHub's delivery log: two requests. */
export async function fetchWebhook(app: GitHubClient): Promise<AppWebhook> {
  const [config, attempts] = await Promise.all([
    nullIfMissing(app.rest.apps.getWebhookConfigForApp()),
    nullIfMissing(app.rest.apps.listWebhookDeliveries({ per_page: PAGE_SIZE })),
  ]);
  const { url, content_type: contentType, insecure_ssl: insecure } = parse(WebhookConfig, config?.data ?? {});
  return {
    ...{ url, contentType, checksCertificate: String(insecure) !== '1' },
    attempts: attempts === null ? null : parse(z.array(WebhookAttempt), attempts.data),
  };
}

/** Null where this server of GitHub has no such thing. */
async function nullIfMissing<Answer>(request: Promise<Answer>): Promise<Answer | null> {
  return request.catch((error: unknown) => {
    if (means(error, 'gone')) return null;
    throw error;
  });
}

/** GitHub's time in ms since the epoch, to the second; null if it tells none. */
export async function fetchTime(app: GitHubClient): Promise<number | null> {
  const { date } = (await app.rest.apps.getAuthenticated()).headers;
  const time = Date.parse(date ?? '');
  return Number.isNaN(time) ? null : time;
}

/** The log of webhooks that nobody took, or of all, where this server hears from the log alone. */
export function createDeliveryLog(app: GitHubClient, listed: 'failed' | 'all'): DeliveryLog {
  return {
    fetchPage: (cursor) => fetchLogPage(app, cursor, listed),
    fetchPayload: (id) =>
      fetchDeliveryPayload(app, id).catch((error: unknown) => {
        // GitHub refuses an id that its log no longer has.
        if (means(error, 'gone', 'our-mistake')) return null;
        throw error;
      }),
  };
}

const DeliveryAttempt = z
  .object({
    // Octokit reads numbers above 2^53 as `bigint`.
    id: z.union([z.number(), z.bigint()]),
    guid: z.string(),
    delivered_at: z.iso.datetime({ offset: true }),
    event: z.string(),
    action: z.string().nullish(),
    repository_id: z.number().nullish(),
  })
  .transform(({ id, guid, delivered_at, event, action = null, repository_id: repositoryId = null }) => ({
    ...{ guid, event, action, repositoryId },
    id: String(id),
    deliveredAt: Date.parse(delivered_at),
  }));

async function fetchLogPage(
  app: GitHubClient,
  cursor: string | null,
  listed: 'failed' | 'all',
): Promise<DeliveryLogPage> {
  const { data, headers } = await app.rest.apps.listWebhookDeliveries({
    per_page: PAGE_SIZE,
    ...(listed === 'all' ? {} : { status: 'failure' }),
    ...(cursor === null ? {} : { cursor }),
  });
  return { deliveries: parse(z.array(DeliveryAttempt), data), nextCursor: nextCursor(headers.link) };
}

function nextCursor(link: string | undefined): string | null {
  const address = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return address !== undefined && URL.canParse(address) ? new URL(address).searchParams.get('cursor') : null;
}

const SentDelivery = z.object({ request: z.object({ payload: z.unknown() }) });

async function fetchDeliveryPayload(app: GitHubClient, id: string): Promise<Readonly<Record<string, unknown>> | null> {
  // The typed method takes a number, but the id can exceed 2^53.
  const { data } = await app.request(`GET /app/hook/deliveries/${encodeURIComponent(id)}`);
  const { payload } = SentDelivery.safeParse(data).data?.request ?? {};
  return isRecord(payload) ? payload : null;
}

/** An answer in this form. Its words are a hint for the operator: another server than GitHub could be asked. */
function parse<Form extends z.ZodType>(form: Form, data: unknown): z.output<Form> {
  const parsed = form.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new GitHubError('GitHub answered a request of the App in an unknown form', null, null);
}
