import { createInstallationEvent, createRepositoriesRemovedEvent } from '../payloads/webhook-events.ts';
import type {
  AppPermissionLevel,
  AppPermissions,
  FakeAccount,
  FakeAccountType,
  FakeActor,
  FakeApp,
  FakeInstallation,
  GitHubState,
} from '../state/github-state.ts';
import { isInstalledOn } from '../state/lookup.ts';
import {
  NOT_FOUND_ERROR,
  type Operation,
  type OperationResult,
  validationError,
  type WebhookEvent,
} from '../state/operation.ts';
import {
  allocateId,
  createNodeId,
  formatTimestamp,
  mapWithEntry,
  mapWithoutEntry,
  refuseWith,
  succeedWith,
  withAuditEntry,
} from '../state/update.ts';
import type {
  AcceptPermissionsInput,
  AddAccountInput,
  AddAppInput,
  ChangeAppInput,
  InstallAppInput,
  RemoveFromInstallationInput,
  RenameAccountInput,
  SuspendAppInput,
  UninstallAppInput,
} from './inputs.ts';

const NODE_ID_PREFIXES: Readonly<Record<FakeAccountType, string>> = {
  User: 'U',
  Bot: 'BOT',
  Organization: 'O',
  Mannequin: 'M',
};

/** Adds an account. Logins are unique, ignoring case. */
export const addAccount: Operation<AddAccountInput, FakeAccount> = (github, input, now) => {
  const login = input.login.toLowerCase();
  for (const other of github.accounts.values()) {
    if (other.login.toLowerCase() === login || other.id === input.id) {
      return refuseWith(github, validationError({ resource: 'User', code: 'already_exists', field: 'login' }));
    }
  }
  const [fresh, allocated] = allocateId(github);
  const id = input.id ?? fresh;
  const type = input.type ?? 'User';
  const account = {
    id,
    nodeId: createNodeId(NODE_ID_PREFIXES[type], id),
    login: input.login,
    type,
    createdAt: formatTimestamp(now),
  };
  const state = { ...allocated, accounts: mapWithEntry(allocated.accounts, id, account) };
  return succeedWith(withAuditEntry(state, 'account-added', null, now, { id }), account);
};

/** Gives an account another login. Nothing leads from the old one to it. */
export const renameAccount: Operation<RenameAccountInput, FakeAccount> = (github, { id, login }, now) => {
  const account = github.accounts.get(id);
  if (account === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const renamed = { ...account, login };
  const state = { ...github, accounts: mapWithEntry(github.accounts, id, renamed) };
  return succeedWith(withAuditEntry(state, 'account-renamed', null, now, { id }), renamed);
};

/** Registers an App and creates its bot account `<slug>[bot]`. */
export const addApp: Operation<AddAppInput, FakeApp> = (github, input, now) => {
  const bot = addAccount(github, { login: `${input.slug}[bot]`, type: 'Bot' }, now);
  if (!bot.ok) return bot;
  const [fresh, allocated] = allocateId(bot.state);
  const id = input.id ?? fresh;
  const app: FakeApp = {
    id,
    nodeId: createNodeId('A', id),
    slug: input.slug,
    name: input.name ?? input.slug,
    ownerId: input.ownerId,
    botId: bot.value.id,
    clientId: `Iv23li${id.toString(36).padStart(14, '0')}`,
    permissions: input.permissions,
    events: input.events,
    createdAt: formatTimestamp(now),
  };
  return succeedWith({ ...allocated, apps: mapWithEntry(allocated.apps, id, app) }, app);
};

/**
 * Changes what an App asks for. Installations get its events at once and lose what it no longer asks for; more
 * permissions wait for `acceptPermissions`.
 */
export const changeApp: Operation<ChangeAppInput, FakeApp> = (github, { appId, permissions, events }, now) => {
  const before = github.apps.get(appId);
  if (before === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const app = { ...before, permissions: permissions ?? before.permissions, events: events ?? before.events };
  const installations = new Map(github.installations);
  for (const [id, installation] of installations) {
    if (installation.appId !== appId) continue;
    const granted = lowerOf(installation.permissions, app.permissions);
    installations.set(id, { ...installation, permissions: granted, events: app.events });
  }
  const state = { ...github, apps: mapWithEntry(github.apps, appId, app), installations };
  return succeedWith(withAuditEntry(state, 'app-changed', null, now, { id: appId }), app);
};

const LEVELS = ['read', 'write', 'admin'] as const satisfies readonly AppPermissionLevel[];

/** The permissions that both sides have, with the lower level. */
function lowerOf(left: AppPermissions, right: AppPermissions): AppPermissions {
  return Object.fromEntries(
    Object.entries(left).flatMap(([name, level]) => {
      const other = right[name];
      return other === undefined ? [] : [[name, LEVELS.indexOf(other) < LEVELS.indexOf(level) ? other : level]];
    }),
  );
}

/** Installs an App with the permissions and events that it currently requests. */
export const installApp: Operation<InstallAppInput, FakeInstallation> = (github, input, now) => {
  const app = github.apps.get(input.appId);
  if (app === undefined || !github.accounts.has(input.accountId)) return refuseWith(github, NOT_FOUND_ERROR);
  const [id, allocated] = allocateId(github);
  const installation: FakeInstallation = {
    id,
    appId: app.id,
    accountId: input.accountId,
    repositories: input.repositories ?? 'all',
    permissions: app.permissions,
    events: app.events,
    createdAt: formatTimestamp(now),
    suspendedAt: null,
  };
  const actor = { accountId: input.accountId, viaAppId: null };
  const state = { ...allocated, installations: mapWithEntry(allocated.installations, id, installation) };
  const event = createInstallationEvent(state, installation, 'created', actor);
  return succeedWith(withAuditEntry(state, 'app-installed', actor, now, { id }), installation, [event]);
};

/** Removes an installation. The App loses its access to the account. */
export const uninstallApp: Operation<UninstallAppInput, null> = (github, input, now) => {
  const installation = github.installations.get(input.installationId);
  if (installation === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const actor = { accountId: installation.accountId, viaAppId: null };
  const event = createInstallationEvent(github, installation, 'deleted', actor);
  const state = { ...github, installations: mapWithoutEntry(github.installations, installation.id) };
  return succeedWith(withAuditEntry(state, 'app-uninstalled', actor, now, { id: installation.id }), null, [event]);
};

/** Suspends or unsuspends an installation. While suspended, the App has no access and gets only installation webhooks. */
export const suspendApp: Operation<SuspendAppInput, FakeInstallation> = (github, { installationId, suspended }, now) =>
  updateInstallation(
    github,
    installationId,
    { suspendedAt: suspended ? formatTimestamp(now) : null },
    now,
    (state, next, actor) => createInstallationEvent(state, next, suspended ? 'suspend' : 'unsuspend', actor),
  );

/** Accepts new permissions on behalf of the account’s owner. */
export const acceptPermissions: Operation<AcceptPermissionsInput, FakeInstallation> = (github, input, now) =>
  updateInstallation(github, input.installationId, { permissions: input.permissions }, now, (state, next, actor) =>
    createInstallationEvent(state, next, 'new_permissions_accepted', actor),
  );

/** Removes repositories from an installation. An installation on all repositories changes to selected repositories. */
export const removeFromInstallation: Operation<RemoveFromInstallationInput, FakeInstallation> = (
  github,
  input,
  now,
) => {
  const { installationId, repositoryIds } = input;
  const before = github.installations.get(installationId);
  if (before === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const installed = [...github.repositories.values()].filter((repository) => isInstalledOn(before, repository));
  const repositories = installed.map(({ id }) => id).filter((id) => !repositoryIds.includes(id));
  return updateInstallation(github, installationId, { repositories }, now, (state, next, actor) =>
    createRepositoriesRemovedEvent(state, next, repositoryIds, actor),
  );
};

function updateInstallation(
  github: GitHubState,
  installationId: number,
  fields: Partial<FakeInstallation>,
  now: number,
  createEvent: (state: GitHubState, next: FakeInstallation, actor: FakeActor) => WebhookEvent,
): OperationResult<FakeInstallation> {
  const before = github.installations.get(installationId);
  if (before === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const next = { ...before, ...fields };
  const actor = { accountId: before.accountId, viaAppId: null };
  const updated = { ...github, installations: mapWithEntry(github.installations, before.id, next) };
  const state = withAuditEntry(updated, 'installation-changed', actor, now, { id: before.id });
  return succeedWith(state, next, [createEvent(state, next, actor)]);
}
