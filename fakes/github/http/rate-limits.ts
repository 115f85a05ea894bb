import { type ApiResponse, errorResponse } from './http-messages.ts';
import {
  createUsage,
  type FakeRateLimits,
  HOUR_MS,
  type RateLimitResource,
  type RateLimitUsage,
  type ServerState,
} from './server-state.ts';

type CountedRequest = {
  readonly installationId: number;
  readonly resource: RateLimitResource;
  readonly write: boolean;
};

/** The state after counting, the rate limit headers, and an error response if a limit is exceeded. */
export type CountingResult = {
  readonly state: ServerState;
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: ApiResponse | null;
};

const MINUTE_MS = 60_000;

/** The `retry-after` of a secondary limit. */
const SECONDARY_WAIT_SECONDS = 60;

/**
 * Counts a request of an installation: by the hour for the primary limit, and over sliding windows of a minute and an
 * hour for the secondary limits. Actions in the browser do not count.
 */
export function countRequest(before: ServerState, request: CountedRequest, now: number): CountingResult {
  const usage = currentUsage(before.rateLimitUsage.get(request.installationId), now);
  const { requestsPerHour } = before.rateLimits;
  if (usage.used[request.resource] >= requestsPerHour) return refuseForPrimaryLimit(before, usage, request);
  if (
    usage.blockedUntil > now ||
    exceedsSecondaryLimit(before.rateLimits.secondary, usage.recentRequests, request, now)
  )
    return refuseForSecondaryLimit(before, usage, request, now);
  const used = { ...usage.used, [request.resource]: usage.used[request.resource] + 1 };
  const recentRequests =
    before.rateLimits.secondary === null ? [] : [...usage.recentRequests, { at: now, write: request.write }];
  const after = { ...usage, used, recentRequests };
  return { state: withUsage(before, request, after), headers: rateLimitHeaders(before, after, request), refusal: null };
}

export function rateLimitHeaders(
  { rateLimits: { requestsPerHour } }: Pick<ServerState, 'rateLimits'>,
  { used, hourEndsAt }: Pick<RateLimitUsage, 'used' | 'hourEndsAt'>,
  { resource }: Pick<CountedRequest, 'resource'>,
): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit': String(requestsPerHour),
    'x-ratelimit-remaining': String(requestsPerHour - used[resource]),
    'x-ratelimit-used': String(used[resource]),
    'x-ratelimit-reset': String(Math.ceil(hourEndsAt / 1000)),
    'x-ratelimit-resource': resource,
  };
}

function currentUsage(known: RateLimitUsage | undefined, now: number): RateLimitUsage {
  if (known === undefined) return createUsage(now);
  const recentRequests = known.recentRequests.filter(({ at }) => at > now - HOUR_MS);
  return known.hourEndsAt > now
    ? { ...known, recentRequests }
    : { ...createUsage(now), recentRequests, blockedUntil: known.blockedUntil };
}

function withUsage(state: ServerState, { installationId }: CountedRequest, usage: RateLimitUsage): ServerState {
  return { ...state, rateLimitUsage: new Map([...state.rateLimitUsage, [installationId, usage]]) };
}

function exceedsSecondaryLimit(
  limits: FakeRateLimits['secondary'],
  sent: RateLimitUsage['recentRequests'],
  { write }: CountedRequest,
  now: number,
): boolean {
  if (limits === null) return false;
  const minute = sent.filter(({ at }) => at > now - MINUTE_MS);
  const points = [...minute, { write }].reduce((sum, one) => sum + (one.write ? 5 : 1), 0);
  if (points > limits.pointsPerMinute) return true;
  const writes = (among: RateLimitUsage['recentRequests']): number => among.filter((one) => one.write).length;
  return write && (writes(minute) >= limits.writesPerMinute || writes(sent) >= limits.writesPerHour);
}

function refuseForPrimaryLimit(state: ServerState, usage: RateLimitUsage, request: CountedRequest): CountingResult {
  const message = `API rate limit exceeded for installation ID ${request.installationId}.`;
  const headers = rateLimitHeaders(state, usage, request);
  const errors = [{ type: 'RATE_LIMITED', message }];
  const forbidden = errorResponse(state, 403, message);
  const refusal: ApiResponse =
    request.resource === 'core' ? forbidden : { ...forbidden, status: 200, body: { kind: 'json', value: { errors } } };
  return { state, headers, refusal };
}

/** A request before the end of `retry-after` is a violation. */
function refuseForSecondaryLimit(
  before: ServerState,
  usage: RateLimitUsage,
  request: CountedRequest,
  now: number,
): CountingResult {
  const blockedUntil = Math.max(usage.blockedUntil, now + SECONDARY_WAIT_SECONDS * 1000);
  const state = withUsage(before, request, { ...usage, blockedUntil });
  const forbidden = errorResponse(
    state,
    403,
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
  );
  const headers = { ...rateLimitHeaders(before, usage, request), 'retry-after': String(SECONDARY_WAIT_SECONDS) };
  const isEarly = usage.blockedUntil > now;
  const violation = { violation: `retried ${usage.blockedUntil - now} ms before the end of retry-after` };
  return { state, headers, refusal: isEarly ? { ...forbidden, ...violation } : forbidden };
}
