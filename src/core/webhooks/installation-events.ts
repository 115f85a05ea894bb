import { z } from 'zod';
import type { InstallationEvent } from '../state/intent.ts';
import { missingPermissions } from '../step/app-rights.ts';
import type { IgnoreReason } from '../step/reasons.ts';
import { PositiveId } from './payload-schemas.ts';

/** Converts the payload of one event and action that concern a whole installation. It never throws. */
export type InstallationEventReader = (payload: unknown) => InstallationEvent | IgnoreReason;

const About = z.object({
  installation: z.object({ id: PositiveId, permissions: z.record(z.string(), z.unknown()) }),
});

function createReader<Payload>(
  schema: z.ZodType<Payload>,
  read: (payload: Payload) => InstallationEvent | IgnoreReason,
): InstallationEventReader {
  return (payload) => {
    const parsed = schema.safeParse(payload);
    return parsed.success ? read(parsed.data) : 'malformed';
  };
}

const readUninstalled = createReader(About, ({ installation: { id: installationId } }) => {
  return { kind: 'access-lost', installationId, repositoryIds: null, cause: 'uninstalled' };
});

/** New permissions matter only if a required one is missing now. */
const readPermissionsChange = createReader(About, ({ installation: { id: installationId, permissions } }) => {
  return missingPermissions(permissions).length === 0
    ? 'irrelevant-edit'
    : { kind: 'access-lost', installationId, repositoryIds: null, cause: 'permissions' };
});

const readUnsuspended = createReader(About, ({ installation: { id: installationId } }) => {
  return { kind: 'unsuspended', installationId, repositoryIds: null };
});

const RepositoriesRemoved = About.extend({ repositories_removed: z.array(z.object({ id: PositiveId })).min(1) });

const readRepositoriesRemoved = createReader(RepositoriesRemoved, ({ installation, repositories_removed }) => {
  const repositoryIds = repositories_removed.map(({ id }) => id);
  return { kind: 'access-lost', installationId: installation.id, repositoryIds, cause: 'repository-removed' };
});

/**
 * Readers by event and action. A suspension needs none: GitHub refuses all requests during it, and pending work resumes
 * after it.
 */
export const INSTALLATION_EVENT_READERS: ReadonlyMap<string, ReadonlyMap<string, InstallationEventReader>> = new Map([
  [
    'installation',
    new Map([
      ['deleted', readUninstalled],
      ['new_permissions_accepted', readPermissionsChange],
      ['unsuspend', readUnsuspended],
    ]),
  ],
  ['installation_repositories', new Map([['removed', readRepositoriesRemoved]])],
]);
