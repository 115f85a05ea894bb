import { OPERATIONS } from '../../simulator/world/operations.ts';
import { installationNow } from '../github/installation.ts';
import type { Hub } from '../hub.ts';
import type { Scene } from '../scene.ts';

/** What the account's owner does with the App. */
type Ownership = { readonly hub: Hub; readonly scene: Scene };

const SUSPENDED = '(the App is suspended)';
const REMOVED = '(the App is removed)';
/** What is said of a deed after which the App cannot act. */
export const ABSENT: ReadonlySet<string> = new Set([SUSPENDED, REMOVED]);

/** GitHub refuses the App everything, and tells it nothing, until it may act again. */
export function suspends({ hub, scene }: Ownership): string | null {
  const installation = installationNow(hub.world, scene);
  if (installation === undefined || installation.suspendedAt !== null) return null;
  hub.apply(OPERATIONS.suspendApp, { installationId: installation.id, suspended: true });
  return SUSPENDED;
}

export function removes({ hub, scene }: Ownership): string | null {
  const installation = installationNow(hub.world, scene);
  if (installation === undefined) return null;
  hub.apply(OPERATIONS.uninstallApp, { installationId: installation.id });
  return REMOVED;
}

/** The App acts again: the same installation, or, where it was removed, another; null where it does already. */
export function restores({ hub, scene }: Ownership): string | null {
  const installation = installationNow(hub.world, scene);
  if (installation === undefined) {
    hub.apply(OPERATIONS.installApp, { appId: scene.appId, accountId: scene.people.acme });
    return '(the App is installed anew)';
  }
  if (installation.suspendedAt === null) return null;
  hub.apply(OPERATIONS.suspendApp, { installationId: installation.id, suspended: false });
  return '(the App may act again)';
}
