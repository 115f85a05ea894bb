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
  'pull_request_review_thread',
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

const ALL_REQUIRED: readonly RequiredPermission[] = [
  `contents: ${REQUIRED_PERMISSIONS.contents}`,
  `issues: ${REQUIRED_PERMISSIONS.issues}`,
  `metadata: ${REQUIRED_PERMISSIONS.metadata}`,
  `pull_requests: ${REQUIRED_PERMISSIONS.pull_requests}`,
];
