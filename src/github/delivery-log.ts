import { z } from 'zod';
import type { DeliveryLog, LogPage } from '../sweep/delivery-log.ts';
import { isRecord } from '../trust.ts';
import { GitHubFault } from '../worker/ports.ts';
import { PAGE_SIZE } from './all-pages.ts';
import { RequestFault, toFault } from './faults.ts';
import type { GitHubClient } from './octokit.ts';

/** Numbers beyond 2^53 arrive as `bigint`. */
const Id = z.union([z.number(), z.bigint()]).transform(String);

const Attempt = z
  .object({
    id: Id,
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
    answered: status_code >= 200 && status_code < 300,
    event,
    action: action ?? null,
    repositoryId: repositoryId == null ? null : Number(repositoryId),
  }));
const Attempts = z.array(Attempt);
const Sent = z.object({ request: z.object({ payload: z.unknown() }) });

/** What GitHub says of a delivery that it cannot show, however often it is asked. */
const GONE: readonly (number | null)[] = [404, 410, 422];

/** The log of this App's webhooks, which only the App itself may read. */
export function openDeliveryLog(app: GitHubClient, now: () => number): DeliveryLog {
  const call = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    ask().catch((error: unknown) => {
      throw toFault(error, now());
    });
  return {
    page: (cursor, which) => call(() => fetchPage(app, cursor, which)),
    payload: (id) =>
      call(() => fetchPayload(app, id)).catch((error: unknown) => {
        if (error instanceof RequestFault && error.retryAt === null && GONE.includes(error.status)) return null;
        throw error;
      }),
  };
}

async function fetchPage(app: GitHubClient, cursor: string | null, which: 'all' | 'failed'): Promise<LogPage> {
  const { data, headers } = await app.request('GET /app/hook/deliveries', {
    per_page: PAGE_SIZE,
    ...(cursor === null ? {} : { cursor }),
    ...(which === 'failed' ? { status: 'failure' } : {}),
  });
  const deliveries = Attempts.safeParse(data);
  if (!deliveries.success) throw new GitHubFault('GitHub listed deliveries in an unknown form', null, null);
  return { deliveries: deliveries.data, next: nextCursor(headers.link) };
}

function nextCursor(link: string | undefined): string | null {
  const address = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return address !== undefined && URL.canParse(address) ? new URL(address).searchParams.get('cursor') : null;
}

async function fetchPayload(app: GitHubClient, id: string): Promise<Readonly<Record<string, unknown>> | null> {
  // As text, because the number may be beyond what a number holds.
  const { data } = await app.request(`GET /app/hook/deliveries/${encodeURIComponent(id)}`);
  const sent = Sent.safeParse(data);
  return sent.success && isRecord(sent.data.request.payload) ? sent.data.request.payload : null;
}
