import { type Answer, refused } from './answer.ts';
import type { GitHubState } from './github-state.ts';
import { type GrantedLimits, HOUR_MS, type Resource, type Usage, unused } from './usage.ts';

/** A request as the limits see it. */
export type Metered = { readonly installationId: number; readonly resource: Resource; readonly write: boolean };

/** The state with the request counted, what every answer says of the quota, and the refusal where one is due. */
export type Metering = {
  readonly state: GitHubState;
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: Answer | null;
};

const MINUTE_MS = 60_000;
/** What GitHub asks for after a secondary limit. */
const SECONDARY_WAIT_S = 60;

/** Counts one request of an installation, by GitHub's own rules: any 60 seconds and any hour, web requests left out. */
export function meter(before: GitHubState, request: Metered, now: number): Metering {
  const usage = current(before.usage.get(request.installationId), now);
  const { requestsPerHour } = before.limits;
  if (usage.used[request.resource] >= requestsPerHour) return quotaSpent(before, usage, request);
  if (usage.restUntil > now || isTooMuch(before.limits.secondary, usage.sent, request, now))
    return tooFast(before, usage, request, now);
  const used = { ...usage.used, [request.resource]: usage.used[request.resource] + 1 };
  const sent = before.limits.secondary === null ? [] : [...usage.sent, { at: now, write: request.write }];
  const after = { ...usage, used, sent };
  return { state: withUsage(before, request, after), headers: quotaHeaders(before, after, request), refusal: null };
}

/** What an answer says of the hourly quota. */
export function quotaHeaders(
  { limits: { requestsPerHour } }: Pick<GitHubState, 'limits'>,
  { used, hourEnds }: Pick<Usage, 'used' | 'hourEnds'>,
  { resource }: Pick<Metered, 'resource'>,
): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit': String(requestsPerHour),
    'x-ratelimit-remaining': String(requestsPerHour - used[resource]),
    'x-ratelimit-used': String(used[resource]),
    'x-ratelimit-reset': String(Math.ceil(hourEnds / 1000)),
    'x-ratelimit-resource': resource,
  };
}

function current(known: Usage | undefined, now: number): Usage {
  if (known === undefined) return unused(now);
  const sent = known.sent.filter(({ at }) => at > now - HOUR_MS);
  return known.hourEnds > now ? { ...known, sent } : { ...unused(now), sent, restUntil: known.restUntil };
}

function withUsage(state: GitHubState, { installationId }: Metered, usage: Usage): GitHubState {
  return { ...state, usage: new Map([...state.usage, [installationId, usage]]) };
}

function isTooMuch(granted: GrantedLimits['secondary'], sent: Usage['sent'], { write }: Metered, now: number): boolean {
  if (granted === null) return false;
  const minute = sent.filter(({ at }) => at > now - MINUTE_MS);
  const points = [...minute, { write }].reduce((sum, one) => sum + (one.write ? 5 : 1), 0);
  if (points > granted.pointsPerMinute) return true;
  const writes = (among: Usage['sent']): number => among.filter((one) => one.write).length;
  return write && (writes(minute) >= granted.writesPerMinute || writes(sent) >= granted.writesPerHour);
}

function quotaSpent(state: GitHubState, usage: Usage, request: Metered): Metering {
  const message = `API rate limit exceeded for installation ID ${request.installationId}.`;
  const headers = quotaHeaders(state, usage, request);
  const errors = [{ type: 'RATE_LIMITED', message }];
  const answer = refused(state, 403, message);
  const refusal: Answer =
    request.resource === 'core' ? answer : { ...answer, status: 200, body: { kind: 'json', value: { errors } } };
  return { state, headers, refusal };
}

/** Whoever comes again before the time that GitHub named has not listened. */
function tooFast(before: GitHubState, usage: Usage, request: Metered, now: number): Metering {
  const restUntil = Math.max(usage.restUntil, now + SECONDARY_WAIT_S * 1000);
  const state = withUsage(before, request, { ...usage, restUntil });
  const answer = refused(
    state,
    403,
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
  );
  const headers = { ...quotaHeaders(before, usage, request), 'retry-after': String(SECONDARY_WAIT_S) };
  const early = usage.restUntil > now;
  const violation = { violation: `asked ${usage.restUntil - now} ms before GitHub said` };
  return { state, headers, refusal: early ? { ...answer, ...violation } : answer };
}
