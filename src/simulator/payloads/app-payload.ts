import { fullName } from '../world/lookup.ts';
import type { App, Installation, Repository, World } from '../world/state.ts';
import { simpleUser } from './account-payload.ts';
import type { Json } from './json.ts';

/** An App, as `GET /app` and `performed_via_github_app` show it. */
export function appPayload(world: World, app: App): Json {
  return {
    id: app.id,
    client_id: app.clientId,
    slug: app.slug,
    node_id: app.nodeId,
    owner: simpleUser(world, app.ownerId),
    name: app.name,
    description: null,
    external_url: world.site.html,
    html_url: `${world.site.html}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: app.permissions,
    events: app.events,
  };
}

/** An installation, as its endpoints and its own events show it. */
export function installationPayload(world: World, installation: Installation): Json {
  const account = world.accounts.get(installation.accountId);
  const app = world.apps.get(installation.appId);
  const url = `${world.site.api}/app/installations/${installation.id}`;
  return {
    id: installation.id,
    client_id: app?.clientId ?? '',
    account: simpleUser(world, installation.accountId),
    repository_selection: installation.repositories === 'all' ? 'all' : 'selected',
    access_tokens_url: `${url}/access_tokens`,
    repositories_url: `${world.site.api}/installation/repositories`,
    html_url: `${world.site.html}/settings/installations/${installation.id}`,
    app_id: installation.appId,
    app_slug: app?.slug ?? '',
    target_id: installation.accountId,
    target_type: account?.type ?? 'User',
    permissions: installation.permissions,
    events: installation.events,
    created_at: installation.createdAt,
    updated_at: installation.createdAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: installation.suspendedAt === null ? null : simpleUser(world, installation.accountId),
    suspended_at: installation.suspendedAt,
  };
}

/** A repository in the lists that installation events carry. */
export function installedRepository(world: World, repository: Repository): Json {
  const { id, nodeId, name } = repository;
  return { id, node_id: nodeId, name, full_name: fullName(world, repository), private: repository.private };
}
