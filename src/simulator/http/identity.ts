import type { Actor } from '../world/access.ts';
import type { App, Repository } from '../world/state.ts';
import { verifyAppJwt } from './app-jwt.ts';
import type { GitHubState, InstallationToken } from './github-state.ts';

/** Who is calling. */
export type Identity =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'app'; readonly app: App }
  | { readonly kind: 'installation'; readonly app: App; readonly token: InstallationToken };

export type Identified =
  | { readonly ok: true; readonly identity: Identity }
  | { readonly ok: false; readonly message: string };

/** Reads the `authorization` header; a wrong one is an error with GitHub's 401 text, a missing one is anonymous. */
export function identify(state: GitHubState, header: string | undefined, now: number): Identified {
  if (header === undefined) return { ok: true, identity: { kind: 'anonymous' } };
  const secret = header.replace(/^(bearer|token)\s+/i, '');
  if (secret.startsWith('ghs_')) return identifyInstallation(state, secret, now);
  const verdict = verifyAppJwt(state, secret, now);
  return verdict.ok ? { ok: true, identity: { kind: 'app', app: verdict.app } } : verdict;
}

function identifyInstallation(state: GitHubState, secret: string, now: number): Identified {
  const token = state.tokens.get(secret);
  const app = token === undefined ? undefined : state.world.apps.get(token.appId);
  const installation = token === undefined ? undefined : state.world.installations.get(token.installationId);
  // Tokens of a suspended installation are void as those of a removed one are.
  const acting = installation !== undefined && installation.suspendedAt === null;
  const alive = token !== undefined && token.expiresAt > now && acting;
  if (token === undefined || app === undefined || !alive) return { ok: false, message: 'Bad credentials' };
  return { ok: true, identity: { kind: 'installation', app, token } };
}

/** The account that acts: the App's bot. Undefined for callers that may not write. */
export function actorOf(identity: Identity): Actor | undefined {
  if (identity.kind !== 'installation') return undefined;
  return { accountId: identity.app.botId, viaAppId: identity.app.id };
}

/** What of a repository a caller can see at all. `outside` is a token that was minted for other repositories. */
export type Reach = 'inside' | 'removed' | 'outside';

/** Whether a repository is within a token: named when it was minted, and still part of the installation. */
export function reachOf(state: GitHubState, token: InstallationToken, repository: Repository): Reach {
  const named = token.repositoryIds === 'all' || token.repositoryIds.includes(repository.id);
  if (!named) return 'outside';
  const installation = state.world.installations.get(token.installationId);
  if (installation === undefined || installation.accountId !== repository.ownerId) return 'removed';
  const installed = installation.repositories === 'all' || installation.repositories.includes(repository.id);
  return installed ? 'inside' : 'removed';
}
