import { commitsBetween, isAncestor } from '../git/ancestry.ts';
import type { Sha } from '../git/object-store.ts';
import type { Actor } from '../world/access.ts';
import type { WebhookEvent } from '../world/outcome.ts';
import { addressOf } from '../world/signatures.ts';
import type { Repository, World } from '../world/state.ts';
import { pushedCommit } from './commit-payload.ts';
import { repositoryEvent } from './events.ts';
import { pushedRepository } from './repository-payload.ts';
import { pageUrl } from './urls.ts';

/** A ref that moved; null is no ref before or after. */
export type RefMove = { readonly ref: string; readonly before: Sha | null; readonly after: Sha | null };

const NO_COMMIT = '0'.repeat(40);
const MAX_COMMITS = 2_048;

/** `push`: a new branch lists the commits that the default branch does not have. */
export function pushEvent(world: World, repository: Repository, actor: Actor, move: RefMove): WebhookEvent {
  const { ref, before, after } = move;
  const commits = newCommits(world, repository, move).map((sha) => pushedCommit(world, repository, sha));
  const pusher = world.accounts.get(actor.accountId);
  const forced = before !== null && after !== null && !isAncestor(world.store, before, after);
  const body = {
    ref,
    before: before ?? NO_COMMIT,
    after: after ?? NO_COMMIT,
    created: before === null,
    deleted: after === null,
    forced,
    base_ref: null,
    compare: `${pageUrl(world, repository)}/compare/${(before ?? NO_COMMIT).slice(0, 12)}...${(after ?? NO_COMMIT).slice(0, 12)}`,
    commits: commits.slice(-MAX_COMMITS),
    head_commit: after === null ? null : pushedCommit(world, repository, after),
    pusher: pusher === undefined ? { name: 'ghost' } : { name: pusher.login, email: addressOf(world, pusher) },
    repository: pushedRepository(world, repository),
  };
  return repositoryEvent(world, 'push', null, repository, actor, body);
}

function newCommits(world: World, repository: Repository, { before, after }: RefMove): readonly Sha[] {
  if (after === null) return [];
  const known = before ?? repository.refs.get(`refs/heads/${repository.defaultBranch}`);
  return known === undefined ? [] : commitsBetween(world.store, known, after);
}
