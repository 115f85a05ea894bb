import type { AllowedOwners } from './config.ts';

/** Whether repositories of an account are served; `ownOwner` is the login of the App's own account. */
export function servedBy(allowed: AllowedOwners, ownOwner: string): (owner: string) => boolean {
  switch (allowed.kind) {
    case 'everybody':
      return () => true;
    case 'own':
      return (owner) => owner.toLowerCase() === ownOwner.toLowerCase();
    case 'listed':
      return (owner) => allowed.logins.includes(owner.toLowerCase());
  }
}
