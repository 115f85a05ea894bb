/** The rights that an App asks for, or that an installation of it was granted. */
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

/** Something that the App needs and lacks, so that it works not at all or only in part. */
export type SetupProblem =
  | { readonly kind: 'not-installed' }
  /** Accounts installed it, and all of them suspended it or are left out by ALLOWED_OWNERS, or both. */
  | {
      readonly kind: 'nobody-served';
      readonly suspended: readonly Installation[];
      readonly leftOut: readonly Installation[];
    }
  | { readonly kind: 'app-lacks-permission'; readonly permission: RequiredPermission }
  | { readonly kind: 'app-lacks-event'; readonly event: string }
  /** The App asks for it, and these accounts have not accepted it. */
  | {
      readonly kind: 'installations-lack-permission';
      readonly permission: RequiredPermission;
      readonly installations: readonly Installation[];
    }
  | {
      readonly kind: 'installations-lack-event';
      readonly event: string;
      readonly installations: readonly Installation[];
    };

/** The installations that can work: neither suspended nor left out by ALLOWED_OWNERS. */
export function servedInstallations(
  { installations }: AppSetup,
  isServedOwner: (owner: string) => boolean,
): readonly Installation[] {
  return installations.filter(({ account, isSuspended }) => isServedOwner(account) && !isSuspended);
}

/**
 * Finds one problem for each missing permission and event, among the served installations, and one if none is served.
 */
export function findSetupProblems(setup: AppSetup, isServedOwner: (owner: string) => boolean): readonly SetupProblem[] {
  const served = servedInstallations(setup, isServedOwner);
  const permissions = missingPermissions(setup.permissions);
  const events = missingEvents(setup.events);
  const lacked = lacksOf(served, (one) => missingPermissions(one.permissions), permissions);
  const unheard = lacksOf(served, (one) => missingEvents(one.events), events);
  return [
    ...(served.length === 0 ? [whyNobodyIsServed(setup, isServedOwner)] : []),
    ...permissions.map((permission) => ({ kind: 'app-lacks-permission', permission }) as const),
    ...events.map((event) => ({ kind: 'app-lacks-event', event }) as const),
    ...lacked.map(([permission, lacking]) => {
      return { kind: 'installations-lack-permission', permission, installations: lacking } as const;
    }),
    ...unheard.map(([event, lacking]) => {
      return { kind: 'installations-lack-event', event, installations: lacking } as const;
    }),
  ];
}

function whyNobodyIsServed({ installations }: AppSetup, isServedOwner: (owner: string) => boolean): SetupProblem {
  if (installations.length === 0) return { kind: 'not-installed' };
  return {
    kind: 'nobody-served',
    suspended: installations.filter(({ isSuspended }) => isSuspended),
    leftOut: installations.filter(({ account }) => !isServedOwner(account)),
  };
}

/** The installations by the name that they lack. Without the names that the App itself lacks: it must ask first. */
function lacksOf<Name extends string>(
  installations: readonly Installation[],
  missing: (installation: Installation) => readonly Name[],
  lackedByApp: readonly Name[],
): readonly (readonly [Name, readonly Installation[]])[] {
  const byName = new Map<Name, Installation[]>();
  for (const installation of installations) {
    for (const name of missing(installation)) {
      if (lackedByApp.includes(name)) continue;
      const lacking = byName.get(name) ?? [];
      lacking.push(installation);
      byName.set(name, lacking);
    }
  }
  return [...byName];
}

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

const ALL_REQUIRED: readonly RequiredPermission[] = [
  `contents: ${REQUIRED_PERMISSIONS.contents}`,
  `issues: ${REQUIRED_PERMISSIONS.issues}`,
  `metadata: ${REQUIRED_PERMISSIONS.metadata}`,
  `pull_requests: ${REQUIRED_PERMISSIONS.pull_requests}`,
];

/** The events that are not subscribed. */
export function missingEvents(subscribed: readonly string[]): readonly string[] {
  return SUBSCRIBED_EVENTS.filter((event) => !subscribed.includes(event));
}
