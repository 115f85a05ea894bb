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

/** The permissions that the App's registration asks for, as in `app.yml`. */
export const REQUIRED_PERMISSIONS = {
  contents: 'write',
  issues: 'read',
  metadata: 'read',
  pull_requests: 'write',
} as const satisfies Readonly<Record<string, 'read' | 'write'>>;

/** The events that the App's registration subscribes to, as in `app.yml`. Each has a reader in `core/webhooks`. */
export const SUBSCRIBED_EVENTS = [
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
] as const;

/** GitHub's name of a permission with the level that the App needs, such as `contents: write`. */
export type RequiredPermission = {
  readonly [Name in keyof typeof REQUIRED_PERMISSIONS]: `${Name}: ${(typeof REQUIRED_PERMISSIONS)[Name]}`;
}[keyof typeof REQUIRED_PERMISSIONS];

/** Every App can read metadata. */
const ALWAYS_GRANTED = { metadata: 'read' };

const LEVELS: readonly unknown[] = ['read', 'write', 'admin'];

/** The permissions that are missing or too low. `granted` is GitHub's record of levels by name. */
export function missingPermissions(granted: Readonly<Record<string, unknown>>): readonly RequiredPermission[] {
  const levels: Readonly<Record<string, unknown>> = { ...granted, ...ALWAYS_GRANTED };
  return ALL_REQUIRED.filter((permission) => {
    const [name = '', level] = permission.split(': ');
    return LEVELS.indexOf(levels[name]) < LEVELS.indexOf(level);
  });
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
