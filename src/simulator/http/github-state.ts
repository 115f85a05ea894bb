import type { Permissions, World } from '../world/state.ts';
import type { Attempt } from './deliveries.ts';
import { ENTERPRISE_LIMITS, type GrantedLimits, type Usage } from './usage.ts';

/** A minted installation token and what it may do. `expiresAt` is in milliseconds. */
export type InstallationToken = {
  readonly token: string;
  readonly appId: number;
  readonly installationId: number;
  readonly repositoryIds: 'all' | readonly number[];
  readonly permissions: Permissions;
  readonly expiresAt: number;
};

/** The App's webhooks as it may read them itself: a window on what the transport keeps, not a copy. */
export type HookLog = {
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  /** Sends the delivery of an attempt once more. */
  readonly redeliver: (delivery: Attempt['delivery']) => void;
};

const NO_HOOK: HookLog = { attempts: [], redeliver: () => {} };

/** The world and what only the transport needs: keys of Apps (public, PEM, by App id) and live tokens. */
export type GitHubState = {
  readonly world: World;
  readonly publicKeys: ReadonlyMap<number, string>;
  readonly tokens: ReadonlyMap<string, InstallationToken>;
  readonly hook: HookLog;
  readonly limits: GrantedLimits;
  /** By installation. */
  readonly usage: ReadonlyMap<number, Usage>;
};

/** A state in which nobody has asked for a token yet, with the limits of an Enterprise Server. */
export function newGitHubState(
  world: World,
  publicKeys: ReadonlyMap<number, string>,
  hook: HookLog = NO_HOOK,
): GitHubState {
  return { world, publicKeys, tokens: new Map(), hook, limits: ENTERPRISE_LIMITS, usage: new Map() };
}
