import { parseJson } from '../../trust.ts';
import { timestamp } from '../world/timestamp.ts';
import { type Answer, notFound, refused, shown } from './answer.ts';
import { type Call, numberParam } from './call.ts';
import type { Attempt } from './deliveries.ts';
import { globalRoute, type Route } from './route.ts';

/** The App's own view of its webhooks. */
export const HOOK_ROUTES: readonly Route[] = [
  globalRoute('GET /app/hook/deliveries', 'app', listDeliveries),
  globalRoute('GET /app/hook/deliveries/{delivery_id}', 'app', showDelivery),
  globalRoute('POST /app/hook/deliveries/{delivery_id}/attempts', 'app', redeliver),
];

/** So long GitHub keeps what it sent. */
const KEPT_MS = 3 * 24 * 60 * 60 * 1000;
const DEFAULT_SIZE = 30;
const LARGEST_SIZE = 100;

function kept({ state, now }: Call): readonly Attempt[] {
  return state.hook.attempts.filter(({ at }) => at > now - KEPT_MS);
}

function isSuccess({ statusCode }: Attempt): boolean {
  return statusCode >= 200 && statusCode < 400;
}

/** Newest first, in pages that begin at the attempt which `cursor` names. */
function listDeliveries(call: Call): Answer {
  const { per_page: size, cursor, status } = call.query;
  const from = cursor === undefined ? Number.POSITIVE_INFINITY : Number(/^v1_(\d+)$/.exec(cursor)?.[1]);
  if (Number.isNaN(from)) return refused(call.state, 422, 'Invalid cursor');
  const wanted = kept(call)
    .filter((attempt) => status === undefined || isSuccess(attempt) === (status === 'success'))
    .filter(({ id }) => id <= from)
    .toReversed();
  const most = Math.min(Number(size ?? DEFAULT_SIZE), LARGEST_SIZE);
  const answer = shown(call.state, wanted.slice(0, most).map(itemOf));
  const next = wanted[most];
  return next === undefined ? answer : { ...answer, headers: { link: linkTo(call, `v1_${next.id}`) } };
}

function linkTo({ state, query }: Call, cursor: string): string {
  const search = new URLSearchParams({ ...query, cursor });
  return `<${state.world.site.api}/app/hook/deliveries?${search}>; rel="next"`;
}

function found(call: Call): Attempt | undefined {
  return kept(call).find(({ id }) => id === numberParam(call, 'delivery_id'));
}

function showDelivery(call: Call): Answer {
  const attempt = found(call);
  if (attempt === undefined) return notFound(call.state);
  const { headers, body } = attempt.delivery.request;
  const request = { headers, payload: parseJson(body) };
  const url = 'https://countersign.example/api/github/webhooks';
  const response = attempt.statusCode === 0 ? { headers: null, payload: null } : { headers: {}, payload: '' };
  return shown(call.state, { ...itemOf(attempt), url, request, response });
}

function redeliver(call: Call): Answer {
  const attempt = found(call);
  if (attempt === undefined) return notFound(call.state);
  call.state.hook.redeliver(attempt.delivery);
  return { ...shown(call.state, {}), status: 202 };
}

function itemOf({ id, delivery, at, statusCode, redelivery }: Attempt): Readonly<Record<string, unknown>> {
  const { guid, event, action, installationId, repositoryId } = delivery;
  return {
    id,
    guid,
    delivered_at: timestamp(at),
    redelivery,
    duration: 0.1,
    status: statusCode === 0 ? 'failed to connect to host' : statusCode < 300 ? 'OK' : 'Invalid HTTP Response',
    status_code: statusCode,
    event,
    action,
    installation_id: installationId,
    repository_id: repositoryId,
    throttled_at: null,
  };
}
