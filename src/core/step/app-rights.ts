/** The permissions and events that an App asks for, or that an installation of it was granted. */
type AppRights = { readonly permissions: Readonly<Record<string, unknown>>; readonly events: readonly string[] };

/** The App as it is registered on GitHub, with all of its installations. */
export type AppSetup = AppRights & {
  /** The page where its owner changes permissions and events. */
  readonly settingsUrl: string;
  /** The page where people install it. */
  readonly installUrl: string;
  readonly installations: readonly Installation[];
};

/** The installation on one account. `url` is the page where its owner accepts new permissions. */
export type Installation = AppRights & {
  readonly account: string;
  readonly url: string;
  readonly isSuspended: boolean;
};

/** The App's webhook as it is registered on GitHub. */
export type AppWebhook = {
  /** Empty if it has none. */
  readonly url: string;
  /** `json` or `form`. */
  readonly contentType: string;
  readonly checksCertificate: boolean;
  /** The newest attempts at deliveries, newest first; null where GitHub shows no log. */
  readonly attempts: readonly WebhookAttempt[] | null;
};

/** One attempt of GitHub to deliver a webhook. */
export type WebhookAttempt = {
  /** The same for all attempts of one webhook. */
  readonly guid: string;
  /** GitHub's time (ms since the epoch). */
  readonly deliveredAt: number;
  /** The status of the answer; 0 without one. */
  readonly statusCode: number;
  /** GitHub's words, such as `OK` or `timed out`. */
  readonly status: string;
};

/** The permissions that the App cannot work without. `app.yml` asks for them and for the optional ones. */
export const REQUIRED_PERMISSIONS = {
  contents: 'write',
  issues: 'read',
  metadata: 'read',
  pull_requests: 'write',
} as const satisfies Readonly<Record<string, 'read' | 'write'>>;

/** The permissions for the checks of a pull request. Everything else works without them. */
const OPTIONAL_PERMISSIONS = {
  actions: 'read',
  checks: 'write',
  merge_queues: 'read',
  statuses: 'read',
} as const satisfies Readonly<Record<string, 'read' | 'write'>>;

/** The events that the App cannot work without. Each has a reader in `core/webhooks`. */
export const SUBSCRIBED_EVENTS = [
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
] as const;

/** The events of the optional permissions. */
const OPTIONAL_EVENTS = ['check_run', 'check_suite', 'merge_group', 'status'] as const;

/** What `app.yml` asks for. */
export const REGISTERED_PERMISSIONS = { ...REQUIRED_PERMISSIONS, ...OPTIONAL_PERMISSIONS } as const;

/** What `app.yml` subscribes to. */
export const REGISTERED_EVENTS = [...SUBSCRIBED_EVENTS, ...OPTIONAL_EVENTS] as const;

/** GitHub's name of a permission with the level that the App needs, such as `contents: write`. */
export type RequiredPermission = {
  readonly [Name in keyof typeof REQUIRED_PERMISSIONS]: `${Name}: ${(typeof REQUIRED_PERMISSIONS)[Name]}`;
}[keyof typeof REQUIRED_PERMISSIONS];

/** Every App can read metadata. */
const ALWAYS_GRANTED = { metadata: 'read' };

const LEVELS: readonly unknown[] = ['read', 'write', 'admin'];

/** The permissions that are missing or too low. `granted` is GitHub's record of levels by name. */
export function missingPermissions(granted: Readonly<Record<string, unknown>>): readonly RequiredPermission[] {
  return ALL_REQUIRED.filter((permission) => !grants(granted, permission));
}

function grants(granted: Readonly<Record<string, unknown>>, permission: string): boolean {
  const levels: Readonly<Record<string, unknown>> = { ...granted, ...ALWAYS_GRANTED };
  const [name = '', level] = permission.split(': ');
  return LEVELS.indexOf(levels[name]) >= LEVELS.indexOf(level);
}

export const ALL_REQUIRED: readonly RequiredPermission[] = [
  `contents: ${REQUIRED_PERMISSIONS.contents}`,
  `issues: ${REQUIRED_PERMISSIONS.issues}`,
  `metadata: ${REQUIRED_PERMISSIONS.metadata}`,
  `pull_requests: ${REQUIRED_PERMISSIONS.pull_requests}`,
];

/** The events that are not subscribed. */
export function missingEvents(subscribed: readonly string[]): readonly string[] {
  return SUBSCRIBED_EVENTS.filter((event) => !subscribed.includes(event));
}

/** The optional permissions, such as `checks: write`, and events that are missing. */
export function missingOptions({ permissions, events }: AppRights): readonly string[] {
  const all = Object.entries(OPTIONAL_PERMISSIONS).map(([name, level]) => `${name}: ${level}`);
  return [
    ...all.filter((permission) => !grants(permissions, permission)),
    ...OPTIONAL_EVENTS.filter((event) => !events.includes(event)),
  ];
}
