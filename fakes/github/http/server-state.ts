import type { AppPermissions, GitHubState } from '../state/github-state.ts';

/** An installation token; its times are in ms. */
export type InstallationToken = {
  readonly token: string;
  readonly appId: number;
  readonly installationId: number;
  readonly repositoryIds: 'all' | readonly number[];
  readonly permissions: AppPermissions;
  readonly createdAt: number;
  readonly expiresAt: number;
};

/** The log of webhook deliveries, shared with the sender. */
type WebhookLog = {
  readonly attempts: readonly FakeDeliveryAttempt[];
  /** Sends a delivery again. */
  readonly redeliver: (delivery: FakeDeliveryAttempt['delivery']) => void;
  /** What the App's page says of its webhook. Tests change it. */
  readonly hook: WebhookConfig;
};

/** The webhook of an App, as `GET /app/hook/config` shows it. */
export type WebhookConfig = { url: string; content_type: 'json' | 'form'; insecure_ssl: '0' | '1' };

export function createWebhookConfig(): WebhookConfig {
  return { url: 'https://countersign.example/api/github/webhooks', content_type: 'json', insecure_ssl: '0' };
}

const EMPTY_WEBHOOK_LOG: WebhookLog = { attempts: [], redeliver: () => {}, hook: createWebhookConfig() };

/** The state of the API server. `publicKeys` are in PEM, by App id. */
export type ServerState = {
  readonly github: GitHubState;
  readonly publicKeys: ReadonlyMap<number, string>;
  readonly tokens: ReadonlyMap<string, InstallationToken>;
  readonly webhookLog: WebhookLog;
  readonly rateLimits: FakeRateLimits;
  /** By installation id. */
  readonly rateLimitUsage: ReadonlyMap<number, RateLimitUsage>;
};

/** Creates a state without tokens. It has the primary limit, but no secondary limits. */
export function createServerState(
  github: GitHubState,
  publicKeys: ReadonlyMap<number, string>,
  webhookLog: WebhookLog = EMPTY_WEBHOOK_LOG,
): ServerState {
  return {
    github,
    publicKeys,
    tokens: new Map(),
    webhookLog,
    rateLimits: PRIMARY_LIMITS,
    rateLimitUsage: new Map(),
  };
}

/** The limits of each installation. `secondary` is null without secondary limits. */
export type FakeRateLimits = {
  readonly requestsPerHour: number;
  readonly secondary: {
    readonly writesPerMinute: number;
    readonly writesPerHour: number;
    readonly pointsPerMinute: number;
  } | null;
};

const PRIMARY_LIMITS: FakeRateLimits = { requestsPerHour: 5_000, secondary: null };

export const GITHUB_COM_LIMITS: FakeRateLimits = {
  requestsPerHour: 5_000,
  secondary: { writesPerMinute: 80, writesPerHour: 500, pointsPerMinute: 900 },
};

export type RateLimitResource = 'core' | 'graphql';

/** The usage of an installation; times are in ms. */
export type RateLimitUsage = {
  readonly hourEndsAt: number;
  readonly used: Readonly<Record<RateLimitResource, number>>;
  /** Accepted requests of the last hour, oldest first; empty without secondary limits. */
  readonly recentRequests: readonly { readonly at: number; readonly write: boolean }[];
  /** End of the last `retry-after`. */
  readonly blockedUntil: number;
};

export const HOUR_MS = 3_600_000;

export function createUsage(now: number): RateLimitUsage {
  return { hourEndsAt: now + HOUR_MS, used: { core: 0, graphql: 0 }, recentRequests: [], blockedUntil: 0 };
}

/** One attempt to send a delivery. `statusCode` is 0 if there was no response; `at` is in ms. */
export type FakeDeliveryAttempt = {
  readonly id: number;
  readonly delivery: FakeDelivery;
  readonly at: number;
  readonly statusCode: number;
  readonly redelivery: boolean;
};

/** A delivery with the status of each attempt, null if there was no response. */
export type FakeDelivery = {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly action: string | null;
  readonly repositoryId: number | null;
  readonly installationId: number | null;
  readonly request: WebhookRequest;
  readonly statuses: (number | null)[];
};

/** A webhook request; the signature in `headers` covers `body`. */
export type WebhookRequest = { readonly headers: Readonly<Record<string, string>>; readonly body: string };
