import { z } from 'zod';
import { type DeliveryLog, type DeliveryLogPage, GitHubError } from '../../core/state/ports.ts';
import { isRecord } from '../../lib/trust.ts';
import type { GitHubClient } from './client.ts';
import { PAGE_SIZE } from './connection.ts';
import { GitHubRequestError, toGitHubError } from './errors.ts';

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
    status_code: z.number(),
    event: z.string(),
    action: z.string().nullish(),
    repository_id: z.union([z.number(), z.bigint()]).nullish(),
  })
  .transform(({ id, guid, delivered_at, status_code, event, action, repository_id: repositoryId }) => ({
    id,
    guid,
    deliveredAt: Date.parse(delivered_at),
    acknowledged: status_code >= 200 && status_code < 300,
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
