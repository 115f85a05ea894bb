import type { CommandName } from '../command/intent.ts';
import { commandTable } from '../command/table.ts';
import type { Permission, Person } from '../run/proposal.ts';

/** How a person stands to a pull request when they speak. */
export type Standing = 'writer' | 'author' | 'outsider';

/** What the pull request's author may do without write access: everything that only takes away, and information. */
const AUTHOR_MAY: ReadonlySet<CommandName> = new Set(
  commandTable.filter(({ who }) => who === 'writer-or-author').map(({ name }) => name),
);

/** Write access, by GitHub's permission endpoint alone: `author_association` is wrong in both directions. */
export function maySign(permission: Permission | undefined): boolean {
  return permission === 'write' || permission === 'maintain' || permission === 'admin';
}

export function standingOf(permission: Permission | undefined, person: Person, author: Person | null): Standing {
  if (maySign(permission)) return 'writer';
  return author !== null && author.id === person.id ? 'author' : 'outsider';
}

export function mayCommand(standing: Standing, command: CommandName): boolean {
  return standing === 'writer' || (standing === 'author' && AUTHOR_MAY.has(command));
}
