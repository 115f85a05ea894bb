import { isRecord } from '../../src/lib/trust.ts';
import type { KnownErrorName } from './known-errors.ts';
import type { WebhookEvent } from './state/operation.ts';
import { formatTimestamp } from './state/update.ts';

/**
 * A fault of one request. `applied`: the request is handled before the `reset` or `hang`. `truncate` sends half of the
 * response body. `alter-request` changes the request body before it is handled, and `alter-response` the JSON of the
 * response. `known-error` fails before anything is applied, in GitHub's own words. `lag` answers as of before the last
 * `writes` (default 1) to GitHub, unless the request changes something.
 */
export type InjectedFault =
  | {
      readonly kind: 'fail-before-apply' | 'fail-after-apply';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: FaultHeaders;
    }
  | { readonly kind: 'known-error'; readonly error: KnownErrorName }
  | { readonly kind: 'reset' | 'hang'; readonly applied: boolean }
  | { readonly kind: 'delay'; readonly until: Promise<unknown> }
  | { readonly kind: 'truncate' }
  | { readonly kind: 'lag'; readonly writes?: number }
  | { readonly kind: 'alter-request'; readonly alter: (sent: string) => string }
  | { readonly kind: 'alter-response'; readonly alter: (body: unknown) => unknown };

type FaultHeaders = Readonly<Record<string, string>>;

/** What a rule can look at. `route` is a route (`GET /repos/{owner}/{repo}`) or `graphql <name>`, see `nameOf`. */
export type FaultyRequest = {
  readonly route: string;
  /** The age (ms) of the caller's installation token; null without one. */
  readonly tokenAgeMs: number | null;
  /** The nodes that a GraphQL query asks for at most; 0 for REST. */
  readonly nodes: number;
};

/**
 * A fault and the requests that get it: those of a route, or all (`*`), for which `when` holds. The first `skip` matches
 * succeed, the next `times` (default 1) fail.
 */
type FaultRule = InjectedFault & {
  readonly route: string;
  readonly when?: (request: FaultyRequest) => boolean;
  readonly skip?: number;
  readonly times?: number;
};

/** Injects faults. The oldest matching rule with failures left applies. */
export type FaultInjector = {
  readonly add: (rule: FaultRule) => void;
  readonly clear: () => void;
  /** Lists the rules with failures left. */
  readonly pending: () => readonly FaultRule[];
  /** Returns the fault of one request and counts it. */
  readonly take: (request: FaultyRequest) => InjectedFault | undefined;
};

type PendingFault = { readonly rule: FaultRule; skip: number; remaining: number };

export function createFaultInjector(): FaultInjector {
  let pending: readonly PendingFault[] = [];
  const take = (request: FaultyRequest): InjectedFault | undefined => {
    for (const entry of pending) {
      const { rule } = entry;
      if (entry.remaining === 0 || (rule.route !== '*' && rule.route !== request.route)) continue;
      if (rule.when?.(request) === false) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      entry.remaining -= 1;
      return rule;
    }
    return undefined;
  };
  return {
    add: (rule) => {
      pending = [...pending, { rule, skip: rule.skip ?? 0, remaining: rule.times ?? 1 }];
    },
    clear: () => {
      pending = [];
    },
    pending: () => pending.filter((entry) => entry.remaining > 0).map((entry) => entry.rule),
    take,
  };
}

const ALWAYS = Number.POSITIVE_INFINITY;

/** GitHub refuses every token for its first seconds, as one that it does not know, or without its permissions. */
export function youngTokens(error: 'unknown-token' | 'unknown-scope', ms: number): FaultRule {
  const when = ({ tokenAgeMs }: FaultyRequest): boolean => tokenAgeMs !== null && tokenAgeMs < ms;
  return { route: '*', kind: 'known-error', error, when, times: ALWAYS };
}

/** GitHub refuses every GraphQL query that asks for more nodes. */
export function heavyQueries(
  error: 'resource-limits' | 'bad-gateway' | 'gateway-timeout',
  moreThanNodes: number,
): FaultRule {
  const when = ({ nodes }: FaultyRequest): boolean => nodes > moreThanNodes;
  return { route: '*', kind: 'known-error', error, when, times: ALWAYS };
}

/** The permission endpoint names the role in `permission` too, as recorded in 2023: `maintain` or `triage`. */
export const ROLES_AS_PERMISSIONS: FaultRule = {
  route: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
  kind: 'alter-response',
  alter: (body) => (isRecord(body) && 'role_name' in body ? { ...body, permission: body['role_name'] } : body),
  times: ALWAYS,
};

/** The `errors` of a refused request come as one string instead of a list. */
export function withErrorsAsText(body: unknown): unknown {
  if (!isRecord(body) || !Array.isArray(body['errors'])) return body;
  const texts = body['errors'].map((error: unknown) => (isRecord(error) ? error['message'] : error));
  return { ...body, errors: texts.join(', ') };
}

/** Each list of nodes begins with one that the caller may not see. */
export function withNullNodes(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withNullNodes);
  if (!isRecord(body)) return body;
  const entries = Object.entries(body).map(([name, value]) => {
    const altered = withNullNodes(value);
    return [name, name === 'nodes' && Array.isArray(altered) ? [null, ...altered] : altered];
  });
  return Object.fromEntries(entries);
}

/** The webhook of a comment or review whose times are some seconds from those of REST. */
export function withShiftedTimes(event: WebhookEvent, seconds: number): WebhookEvent {
  const payload = Object.entries(event.payload).map(([name, value]) => [
    name,
    (name === 'comment' || name === 'review') && isRecord(value) ? shiftTimes(value, seconds * 1000) : value,
  ]);
  return { ...event, payload: Object.fromEntries(payload) };
}

const TIMES: readonly string[] = ['created_at', 'updated_at', 'submitted_at'];

function shiftTimes(value: Readonly<Record<string, unknown>>, ms: number): Readonly<Record<string, unknown>> {
  const entries = Object.entries(value).map(([name, field]) => {
    const isTime = TIMES.includes(name) && typeof field === 'string';
    return [name, isTime ? formatTimestamp(Date.parse(field) + ms) : field];
  });
  return Object.fromEntries(entries);
}
