import type { Role } from '../world/access.ts';
import { accountOf } from '../world/lookup.ts';
import type { Account, Site, World } from '../world/state.ts';
import type { Json } from './json.ts';

const SUFFIXES = {
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

/** An account as others' objects name it; null for a deleted one. */
export function simpleUser(world: World, id: number | null): Json | null {
  const account = accountOf(world, id);
  return account === undefined ? null : userFields(world, account);
}

/** The answer of `GET /users/{login}`. */
export function publicUser(world: World, account: Account): Json {
  const unknown = { company: null, location: null, email: null, hireable: null, bio: null, twitter_username: null };
  const counts = { public_repos: 0, public_gists: 0, followers: 0, following: 0 };
  const dates = { created_at: account.createdAt, updated_at: account.createdAt };
  return { ...userFields(world, account), name: null, blog: '', ...unknown, ...counts, ...dates };
}

/** An organization as webhooks name it. */
export function organizationPayload(world: World, account: Account): Json {
  const url = `${world.site.api}/orgs/${account.login}`;
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
    avatar_url: avatarUrl(world.site, account),
    description: null,
  };
}

/** The answer of the collaborator-permission endpoint. */
export function permissionPayload(world: World, account: Account, role: Role): Json {
  const push = role.permission === 'admin' || role.permission === 'write';
  const permissions = {
    pull: role.permission !== 'none',
    triage: push || role.roleName === 'triage',
    push,
    maintain: role.permission === 'admin' || role.roleName === 'maintain',
    admin: role.permission === 'admin',
  };
  const user = { ...userFields(world, account), permissions, role_name: role.roleName };
  return { permission: role.permission, role_name: role.roleName, user };
}

const fieldsBySite = new WeakMap<Site, WeakMap<Account, Json>>();

/** Worked out once for each account: nearly every object names several, and an account never changes. */
function userFields({ site }: World, account: Account): Json {
  const known = fieldsBySite.get(site) ?? new WeakMap<Account, Json>();
  fieldsBySite.set(site, known);
  const fields = known.get(account) ?? newUserFields(site, account);
  known.set(account, fields);
  return fields;
}

function newUserFields(site: Site, account: Account): Json {
  const name = encodeURIComponent(account.login);
  const url = `${site.api}/users/${name}`;
  const page = account.type === 'Bot' ? `apps/${account.login.replace('[bot]', '')}` : name;
  return {
    login: account.login,
    id: account.id,
    node_id: account.nodeId,
    avatar_url: avatarUrl(site, account),
    gravatar_id: '',
    url,
    html_url: `${site.html}/${page}`,
    ...Object.fromEntries(Object.entries(SUFFIXES).map(([field, suffix]) => [field, `${url}${suffix}`])),
    type: account.type,
    user_view_type: 'public',
    site_admin: false,
  };
}

function avatarUrl(site: Site, account: Account): string {
  return `${site.html}/avatars/u/${account.id}?v=4`;
}
