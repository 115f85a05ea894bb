import { installationEvent, repositoriesRemovedEvent } from '../payloads/events.ts';
import type { Actor } from './access.ts';
import type {
  AcceptPermissions,
  AddAccount,
  AddApp,
  InstallApp,
  RemoveFromInstallation,
  SuspendApp,
  UninstallApp,
} from './inputs.ts';
import type { Operation, Outcome, WebhookEvent } from './outcome.ts';
import { NOT_FOUND, validationFailed } from './refusals.ts';
import type { Account, AccountType, App, Installation, World } from './state.ts';
import { timestamp } from './timestamp.ts';
import { done, nodeId, recorded, refused, takeId, withEntry, withoutEntry } from './update.ts';

const PREFIXES: Readonly<Record<AccountType, string>> = { User: 'U', Bot: 'BOT', Organization: 'O', Mannequin: 'M' };

/** Adds an account. A login is taken in any spelling of its letters. */
export const addAccount: Operation<AddAccount, Account> = (world, input, now) => {
  const login = input.login.toLowerCase();
  for (const other of world.accounts.values()) {
    if (other.login.toLowerCase() === login || other.id === input.id) {
      return refused(world, validationFailed({ resource: 'User', code: 'already_exists', field: 'login' }));
    }
  }
  const [fresh, counted] = takeId(world);
  const id = input.id ?? fresh;
  const type = input.type ?? 'User';
  const account = { id, nodeId: nodeId(PREFIXES[type], id), login: input.login, type, createdAt: timestamp(now) };
  const state = { ...counted, accounts: withEntry(counted.accounts, id, account) };
  return done(recorded(state, 'account-added', null, now, { id }), account);
};

/** Registers an App and makes its bot account `<slug>[bot]`. */
export const addApp: Operation<AddApp, App> = (world, input, now) => {
  const bot = addAccount(world, { login: `${input.slug}[bot]`, type: 'Bot' }, now);
  if (!bot.ok) return bot;
  const [fresh, counted] = takeId(bot.state);
  const id = input.id ?? fresh;
  const app: App = {
    id,
    nodeId: nodeId('A', id),
    slug: input.slug,
    name: input.name ?? input.slug,
    ownerId: input.ownerId,
    botId: bot.value.id,
    clientId: `Iv23li${id.toString(36).padStart(14, '0')}`,
    permissions: input.permissions,
    events: input.events,
    createdAt: timestamp(now),
  };
  return done({ ...counted, apps: withEntry(counted.apps, id, app) }, app);
};

/** Installs an App on an account with the permissions and events it asks for now. */
export const installApp: Operation<InstallApp, Installation> = (world, input, now) => {
  const app = world.apps.get(input.appId);
  if (app === undefined || !world.accounts.has(input.accountId)) return refused(world, NOT_FOUND);
  const [id, counted] = takeId(world);
  const installation: Installation = {
    id,
    appId: app.id,
    accountId: input.accountId,
    repositories: input.repositories ?? 'all',
    permissions: app.permissions,
    events: app.events,
    createdAt: timestamp(now),
    suspendedAt: null,
  };
  const actor = { accountId: input.accountId, viaAppId: null };
  const state = { ...counted, installations: withEntry(counted.installations, id, installation) };
  const event = installationEvent(state, installation, 'created', actor);
  return done(recorded(state, 'app-installed', actor, now, { id }), installation, [event]);
};

/** Removes an installation; from here on its App sees nothing of the account. */
export const uninstallApp: Operation<UninstallApp, null> = (world, input, now) => {
  const installation = world.installations.get(input.installationId);
  if (installation === undefined) return refused(world, NOT_FOUND);
  const actor = { accountId: installation.accountId, viaAppId: null };
  const event = installationEvent(world, installation, 'deleted', actor);
  const state = { ...world, installations: withoutEntry(world.installations, installation.id) };
  return done(recorded(state, 'app-uninstalled', actor, now, { id: installation.id }), null, [event]);
};

/** Suspends an installation, or lets it act again; a suspended App hears of nothing else and may do nothing. */
export const suspendApp: Operation<SuspendApp, Installation> = (world, { installationId, suspended }, now) =>
  changed(world, installationId, { suspendedAt: suspended ? timestamp(now) : null }, now, (state, next, actor) =>
    installationEvent(state, next, suspended ? 'suspend' : 'unsuspend', actor),
  );

/** The account's owner grants what the App asks for now. */
export const acceptPermissions: Operation<AcceptPermissions, Installation> = (world, input, now) =>
  changed(world, input.installationId, { permissions: input.permissions }, now, (state, next, actor) =>
    installationEvent(state, next, 'new_permissions_accepted', actor),
  );

/** Takes repositories out of an installation; of one on all it becomes one on the others. */
export const removeFromInstallation: Operation<RemoveFromInstallation, Installation> = (world, input, now) => {
  const { installationId, repositoryIds } = input;
  const before = world.installations.get(installationId);
  const all = [...world.repositories.values()].filter(({ ownerId }) => ownerId === before?.accountId);
  const reached = before?.repositories === 'all' ? all.map(({ id }) => id) : (before?.repositories ?? []);
  const repositories = reached.filter((id) => !repositoryIds.includes(id));
  return changed(world, installationId, { repositories }, now, (state, next, actor) =>
    repositoriesRemovedEvent(state, next, repositoryIds, actor),
  );
};

function changed(
  world: World,
  installationId: number,
  fields: Partial<Installation>,
  now: number,
  eventOf: (state: World, next: Installation, actor: Actor) => WebhookEvent,
): Outcome<Installation> {
  const before = world.installations.get(installationId);
  if (before === undefined) return refused(world, NOT_FOUND);
  const next = { ...before, ...fields };
  const actor = { accountId: before.accountId, viaAppId: null };
  const kept = { ...world, installations: withEntry(world.installations, before.id, next) };
  const state = recorded(kept, 'installation-changed', actor, now, { id: before.id });
  return done(state, next, [eventOf(state, next, actor)]);
}
