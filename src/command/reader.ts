import type { IgnoreReason } from './ignore-reason.ts';
import type { Actor, Intent, PullRef } from './intent.ts';
import type { Account, Repository } from './payloads.ts';

/** Who we are on GitHub: the App's name, and the id of its bot account. */
export type Self = { readonly slug: string; readonly botId: number };

/** What a delivery's envelope says, whatever the event. */
export type Context = { readonly self: Self; readonly installationId: number; readonly sender: Account };

/** Reads one kind of delivery. It never throws. */
export type Reader = (payload: unknown, context: Context) => Intent | IgnoreReason;

/** An account as an actor. A type that GitHub may add later is nobody who decides. */
export function actorOf({ id, login, type }: NonNullable<Account>, viaApp: boolean): Actor {
  const known = type === 'User' || type === 'Bot' || type === 'Organization';
  return { id, login, type: known ? type : 'Mannequin', viaApp };
}

/** Where a delivery belongs. */
export function pullRef(repository: Repository, number: number, { installationId }: Context): PullRef {
  return { installationId, repositoryId: repository.id, owner: repository.owner.login, repo: repository.name, number };
}
