import type { PermissionLevel } from '../world/access.ts';
import type { Permissions } from '../world/state.ts';

/**
 * What a caller must hold. `conversation` is the issues API, where a comment on a pull request is
 * read with either permission and written with the one of what the comment hangs on.
 */
export type Need =
  | { readonly kind: 'permission'; readonly name: string; readonly level: PermissionLevel }
  | { readonly kind: 'conversation'; readonly level: PermissionLevel };

const RANK: Readonly<Record<PermissionLevel, number>> = { read: 1, write: 2, admin: 3 };

/** Whether these permissions include one at this level or above. Metadata can always be read. */
export function holds(permissions: Permissions, name: string, level: PermissionLevel): boolean {
  if (name === 'metadata' && level === 'read') return true;
  const held = permissions[name];
  return held !== undefined && RANK[held] >= RANK[level];
}

/** Whether `asked` stays within `granted`. */
export function isSubset(asked: Permissions, granted: Permissions): boolean {
  return Object.entries(asked).every(([name, level]) => holds(granted, name, level));
}

/** Whether the conversation of a pull request (or an issue) may be read or written. */
export function holdsConversation(permissions: Permissions, onPull: boolean, level: PermissionLevel): boolean {
  const names = level === 'read' ? ['issues', 'pull_requests'] : [onPull ? 'pull_requests' : 'issues'];
  return names.some((name) => holds(permissions, name, level));
}

/** The need for one permission. */
export function needs(name: string, level: PermissionLevel): Need {
  return { kind: 'permission', name, level };
}

/** The need for the conversation of an issue or pull request. */
export function needsConversation(level: PermissionLevel): Need {
  return { kind: 'conversation', level };
}
