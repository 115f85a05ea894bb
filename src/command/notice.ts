/** Why the App can no longer work on a pull request; `unreachable` where GitHub refuses for days, and nobody told why. */
export type AccessLoss = 'uninstalled' | 'repository-removed' | 'permissions' | 'unreachable';

/** What a webhook says of a whole installation, or of some of its repositories: many pull requests at once. */
export type Notice = {
  readonly installationId: number;
  /** Null for all of the installation. */
  readonly repositoryIds: readonly number[] | null;
} & (
  | { readonly kind: 'access-lost'; readonly loss: AccessLoss }
  /** GitHub tells the App again what happens there; what was said meanwhile it never will. */
  | { readonly kind: 'unsuspended' }
);
