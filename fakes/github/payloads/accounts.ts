import type { JsonObject } from '../../lib/json.ts';
import type {
  CollaboratorRole,
  FakeAccount,
  FakeApp,
  FakeInstallation,
  FakePullRequest,
  FakeRepository,
  GitHubHost,
  GitHubState,
} from '../state/github-state.ts';
import { findAccountById, fullNameOf } from '../state/lookup.ts';

const USER_URL_SUFFIXES = {
  followers_url: '/followers',
  following_url: '/following{/other_user}',
  gists_url: '/gists{/gist_id}',
  starred_url: '/starred{/owner}{/repo}',
  subscriptions_url: '/subscriptions',
  organizations_url: '/orgs',
  repos_url: '/repos',
  events_url: '/events{/privacy}',
  received_events_url: '/received_events',
} as const;

/** An account inside other payloads; null for a deleted account. */
export function simpleUserPayload(github: GitHubState, id: number | null): JsonObject | null {
  const account = findAccountById(github, id);
  return account === undefined ? null : userFields(github, account);
}

/** The response of `GET /users/{login}`. */
export function publicUserPayload(github: GitHubState, account: FakeAccount): JsonObject {
  const unknown = { company: null, location: null, email: null, hireable: null, bio: null, twitter_username: null };
  const counts = { public_repos: 0, public_gists: 0, followers: 0, following: 0 };
  const dates = { created_at: account.createdAt, updated_at: account.createdAt };
  return { ...userFields(github, account), name: null, blog: '', ...unknown, ...counts, ...dates };
}

/** An organization in webhooks. */
export function organizationPayload(github: GitHubState, account: FakeAccount): JsonObject {
  const url = `${github.host.apiUrl}/orgs/${account.login}`;
  return {
    login: account.login,
    id: account.id,
    node_id: account.nodeId,
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: avatarUrl(github.host, account),
    description: null,
  };
}

/** The response of the collaborator permission endpoint. */
export function permissionPayload(github: GitHubState, account: FakeAccount, role: CollaboratorRole): JsonObject {
  const push = role.permission === 'admin' || role.permission === 'write';
  const permissions = {
    pull: role.permission !== 'none',
    triage: push || role.roleName === 'triage',
    push,
    maintain: role.permission === 'admin' || role.roleName === 'maintain',
    admin: role.permission === 'admin',
  };
  const user = { ...userFields(github, account), permissions, role_name: role.roleName };
  return { permission: role.permission, role_name: role.roleName, user };
}

const userFieldsByHost = new WeakMap<GitHubHost, WeakMap<FakeAccount, JsonObject>>();

/** Cached, because most payloads contain several accounts, and an account never changes. */
function userFields({ host }: GitHubState, account: FakeAccount): JsonObject {
  const known = userFieldsByHost.get(host) ?? new WeakMap<FakeAccount, JsonObject>();
  userFieldsByHost.set(host, known);
  const fields = known.get(account) ?? createUserFields(host, account);
  known.set(account, fields);
  return fields;
}

function createUserFields(host: GitHubHost, account: FakeAccount): JsonObject {
  const name = encodeURIComponent(account.login);
  const url = `${host.apiUrl}/users/${name}`;
  const pagePath = account.type === 'Bot' ? `apps/${account.login.replace('[bot]', '')}` : name;
  return {
    login: account.login,
    id: account.id,
    node_id: account.nodeId,
    avatar_url: avatarUrl(host, account),
    gravatar_id: '',
    url,
    html_url: `${host.webUrl}/${pagePath}`,
    ...Object.fromEntries(Object.entries(USER_URL_SUFFIXES).map(([field, suffix]) => [field, `${url}${suffix}`])),
    type: account.type,
    user_view_type: 'public',
    site_admin: false,
  };
}

function avatarUrl(host: GitHubHost, account: FakeAccount): string {
  return `${host.webUrl}/avatars/u/${account.id}?v=4`;
}

/** An App in `GET /app` and `performed_via_github_app`. */
export function appPayload(github: GitHubState, app: FakeApp): JsonObject {
  return {
    id: app.id,
    client_id: app.clientId,
    slug: app.slug,
    node_id: app.nodeId,
    owner: simpleUserPayload(github, app.ownerId),
    name: app.name,
    description: null,
    external_url: github.host.webUrl,
    html_url: `${github.host.webUrl}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: app.permissions,
    events: app.events,
    installations_count: [...github.installations.values()].filter(({ appId }) => appId === app.id).length,
  };
}

/** An installation in its endpoints and events. */
export function installationPayload(github: GitHubState, installation: FakeInstallation): JsonObject {
  const account = github.accounts.get(installation.accountId);
  const app = github.apps.get(installation.appId);
  const url = `${github.host.apiUrl}/app/installations/${installation.id}`;
  return {
    id: installation.id,
    client_id: app?.clientId ?? '',
    account: simpleUserPayload(github, installation.accountId),
    repository_selection: installation.repositories === 'all' ? 'all' : 'selected',
    access_tokens_url: `${url}/access_tokens`,
    repositories_url: `${github.host.apiUrl}/installation/repositories`,
    html_url: `${github.host.webUrl}/settings/installations/${installation.id}`,
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
    suspended_by: installation.suspendedAt === null ? null : simpleUserPayload(github, installation.accountId),
    suspended_at: installation.suspendedAt,
  };
}

/** A repository in installation events. */
export function installedRepositoryPayload(github: GitHubState, repository: FakeRepository): JsonObject {
  const { id, nodeId, name } = repository;
  return { id, node_id: nodeId, name, full_name: fullNameOf(github, repository), private: repository.private };
}

type AuthorAssociation = 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'NONE';

/** The `author_association`. It does not show permissions: a collaborator with read access is also a COLLABORATOR. */
export function authorAssociationOf(
  github: GitHubState,
  repository: FakeRepository,
  accountId: number | null,
): AuthorAssociation {
  if (accountId === null || !github.accounts.has(accountId)) return 'NONE';
  if (repository.ownerId === accountId) return 'OWNER';
  if (repository.collaborators.has(accountId)) {
    return github.accounts.get(repository.ownerId)?.type === 'Organization' ? 'MEMBER' : 'COLLABORATOR';
  }
  return hasMergedPull(repository.pulls.values(), accountId) ? 'CONTRIBUTOR' : 'NONE';
}

function hasMergedPull(pulls: Iterable<FakePullRequest>, accountId: number): boolean {
  for (const pull of pulls) if (pull.merge !== null && pull.authorId === accountId) return true;
  return false;
}
