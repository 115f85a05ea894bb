import type { AccessLossCause, InstallationEvent } from '../state/intent.ts';
import { missingPermissions } from '../step/app-rights.ts';
import type { IgnoreReason } from '../step/reasons.ts';
import { InstallationPayload, RepositoriesRemovedPayload } from './payload-schemas.ts';

/** Converts the payload of one event and action that concern a whole installation. It never throws. */
export type InstallationEventReader = (payload: unknown) => InstallationEvent | IgnoreReason;

/**
 * Readers by event and action. A suspension needs none: GitHub refuses all requests during it, and pending work resumes
 * after it.
 */
export const INSTALLATION_EVENT_READERS: ReadonlyMap<string, ReadonlyMap<string, InstallationEventReader>> = new Map([
  [
    'installation',
    new Map<string, InstallationEventReader>([
      ['deleted', readUninstalled],
      ['new_permissions_accepted', readPermissionsChange],
      ['unsuspend', readUnsuspended],
    ]),
  ],
  ['installation_repositories', new Map([['removed', readRepositoriesRemoved]])],
]);

type Permissions = Readonly<Record<string, unknown>>;

function readUninstalled(payload: unknown): InstallationEvent | IgnoreReason {
  return readAccessChange(payload, () => 'uninstalled');
}

/** New permissions matter only if a required one is missing now. */
function readPermissionsChange(payload: unknown): InstallationEvent | IgnoreReason {
  return readAccessChange(payload, (permissions) =>
    missingPermissions(permissions).length > 0 ? 'permissions' : null,
  );
}

function readAccessChange(
  payload: unknown,
  causeOf: (permissions: Permissions) => AccessLossCause | null,
): InstallationEvent | IgnoreReason {
  const parsed = InstallationPayload.safeParse(payload);
  if (!parsed.success) return 'malformed';
  const { id, permissions } = parsed.data.installation;
  const cause = causeOf(permissions);
  return cause === null ? 'irrelevant-edit' : { kind: 'access-lost', installationId: id, repositoryIds: null, cause };
}

function readRepositoriesRemoved(payload: unknown): InstallationEvent | IgnoreReason {
  const parsed = RepositoriesRemovedPayload.safeParse(payload);
  if (!parsed.success) return 'malformed';
  const { installation, repositories_removed } = parsed.data;
  const repositoryIds = repositories_removed.map(({ id }) => id);
  return { kind: 'access-lost', installationId: installation.id, repositoryIds, cause: 'repository-removed' };
}

function readUnsuspended(payload: unknown): InstallationEvent | IgnoreReason {
  const parsed = InstallationPayload.safeParse(payload);
  if (!parsed.success) return 'malformed';
  return { kind: 'unsuspended', installationId: parsed.data.installation.id, repositoryIds: null };
}
