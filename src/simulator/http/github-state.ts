import type { Permissions, World } from '../world/state.ts';

/** A minted installation token and what it may do. `expiresAt` is in milliseconds. */
export type InstallationToken = {
  readonly token: string;
  readonly appId: number;
  readonly installationId: number;
  readonly repositoryIds: 'all' | readonly number[];
  readonly permissions: Permissions;
  readonly expiresAt: number;
};

/** The world and what only the transport needs: keys of Apps (public, PEM, by App id) and live tokens. */
export type GitHubState = {
  readonly world: World;
  readonly publicKeys: ReadonlyMap<number, string>;
  readonly tokens: ReadonlyMap<string, InstallationToken>;
};

/** A state in which nobody has asked for a token yet. */
export function newGitHubState(world: World, publicKeys: ReadonlyMap<number, string>): GitHubState {
  return { world, publicKeys, tokens: new Map() };
}
