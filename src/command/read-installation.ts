import type { IgnoreReason } from './ignore-reason.ts';
import type { AccessLoss, Notice } from './notice.ts';
import { InstallationEvent, RemovedEvent } from './payloads.ts';

/** Reads what concerns a whole installation. It never throws. */
export type NoticeReader = (payload: unknown) => Notice | IgnoreReason;

/** What the App needs to work at all; more is never asked for. */
const NEEDED = { contents: ['write'], pull_requests: ['write'], issues: ['read', 'write'] } as const;

function isShort(permissions: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(NEEDED).some(([name, levels]) => !levels.some((level) => level === permissions[name]));
}

function ofWhole(
  payload: unknown,
  loses: (permissions: Readonly<Record<string, unknown>>) => AccessLoss | null,
): Notice | IgnoreReason {
  const read = InstallationEvent.safeParse(payload);
  if (!read.success) return 'malformed';
  const { id, permissions } = read.data.installation;
  const loss = loses(permissions);
  return loss === null ? 'access-stands' : { kind: 'access-lost', installationId: id, repositoryIds: null, loss };
}

const readUninstalled: NoticeReader = (payload) => ofWhole(payload, () => 'uninstalled');

/** Somebody accepted other permissions; what matters is whether they still suffice. */
const readPermissions: NoticeReader = (payload) => ofWhole(payload, (now) => (isShort(now) ? 'permissions' : null));

const readRemoved: NoticeReader = (payload) => {
  const read = RemovedEvent.safeParse(payload);
  if (!read.success) return 'malformed';
  const { installation, repositories_removed } = read.data;
  const repositoryIds = repositories_removed.map(({ id }) => id);
  return { kind: 'access-lost', installationId: installation.id, repositoryIds, loss: 'repository-removed' };
};

const readUnsuspended: NoticeReader = (payload) => {
  const read = InstallationEvent.safeParse(payload);
  if (!read.success) return 'malformed';
  return { kind: 'unsuspended', installationId: read.data.installation.id, repositoryIds: null };
};

/**
 * By event and action. That an installation is suspended needs no reading: GitHub refuses everything meanwhile, and what
 * waits goes on afterwards.
 */
export const NOTICE_READERS: ReadonlyMap<string, ReadonlyMap<string, NoticeReader>> = new Map([
  [
    'installation',
    new Map([
      ['deleted', readUninstalled],
      ['new_permissions_accepted', readPermissions],
      ['unsuspend', readUnsuspended],
    ]),
  ],
  ['installation_repositories', new Map([['removed', readRemoved]])],
]);
