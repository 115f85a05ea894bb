import { isAncestor } from '../git/ancestry.ts';
import type { Sha } from '../git/object-store.ts';
import { pullEvent } from '../payloads/events.ts';
import { pushEvent, type RefMove } from '../payloads/push-event.ts';
import type { Actor } from './access.ts';
import { tipOf } from './lookup.ts';
import type { WebhookEvent } from './outcome.ts';
import type { PullRequest, Repository, World } from './state.ts';
import { timestamp } from './timestamp.ts';
import { trackThreads } from './track-threads.ts';
import { recorded, withPull, withRepository } from './update.ts';

/** A world and the events that led to it. */
export type Moved = { readonly state: World; readonly events: readonly WebhookEvent[] };

/**
 * Lets a ref point elsewhere (null: creates or deletes it) and tells everybody: `push`,
 * and for each open pull request of the branch `synchronize`, or `closed` when the branch is gone.
 */
export function moveRef(world: World, repository: Repository, actor: Actor, move: RefMove, now: number): Moved {
  const refs = new Map(repository.refs);
  if (move.after === null) refs.delete(move.ref);
  else refs.set(move.ref, move.after);
  const moved = { ...repository, refs, pushedAt: timestamp(now) };
  const about = { repositoryId: repository.id, ...move };
  const start = recorded(withRepository(world, moved), historyKind(move), actor, now, about);
  let result: Moved = { state: start, events: [pushEvent(start, moved, actor, move)] };
  if (!move.ref.startsWith('refs/heads/')) return result;
  const branch = move.ref.slice('refs/heads/'.length);
  const pulls = [...openPullsOf(start, moved, branch), ...(move.after === null ? openPullsOnto(moved, branch) : [])];
  for (const { holder, pull } of pulls) {
    result = movePull(result, { holder, pull, actor, move }, now);
  }
  return result;
}

/** Whether the new commit has the old one in its past. */
export function isFastForward(world: World, before: Sha, after: Sha): boolean {
  return isAncestor(world.store, before, after);
}

function historyKind({ before, after }: RefMove): 'ref-created' | 'ref-deleted' | 'ref-updated' {
  if (after === null) return 'ref-deleted';
  return before === null ? 'ref-created' : 'ref-updated';
}

type HeldPull = { readonly holder: number; readonly pull: PullRequest };

function openPullsOf(world: World, repository: Repository, branch: string): readonly HeldPull[] {
  const found: HeldPull[] = [];
  for (const candidate of world.repositories.values()) {
    for (const pull of candidate.pulls.values()) {
      const { head } = pull;
      const isHead = head.repositoryId === repository.id && head.branch === branch;
      if (isHead && pull.state === 'open') found.push({ holder: candidate.id, pull });
    }
  }
  return found;
}

/** GitHub closes what can go nowhere any more. */
function openPullsOnto(repository: Repository, branch: string): readonly HeldPull[] {
  const open = [...repository.pulls.values()].filter(({ base, state }) => base.branch === branch && state === 'open');
  return open.map((pull) => ({ holder: repository.id, pull }));
}

type PullMove = HeldPull & { readonly actor: Actor; readonly move: RefMove };

function movePull({ state, events }: Moved, { holder, pull, actor, move }: PullMove, now: number): Moved {
  const { before, after } = move;
  const next = after === null ? closedPull(pull, now) : pushedPull(state, holder, pull, after, now);
  let changed = withPull(state, holder, next);
  if (after === null)
    changed = recorded(changed, 'pull-closed', actor, now, { repositoryId: holder, number: pull.number });
  const repository = changed.repositories.get(holder);
  if (repository === undefined) return { state, events };
  const place = { repository, pull: next };
  const event =
    after === null
      ? pullEvent(changed, place, 'closed', actor)
      : pullEvent(changed, place, 'synchronize', actor, { before: before ?? pull.head.sha, after });
  return { state: changed, events: [...events, event] };
}

/** A push may cost a pull request its approvals: by the rules of the branch that it goes to. */
function pushedPull(world: World, holder: number, pull: PullRequest, sha: Sha, now: number): PullRequest {
  const moved = followHead(world, pull, sha, now);
  const rules = world.repositories.get(holder)?.rules ?? [];
  const dismisses = rules.some(
    ({ branches, dismissesStaleReviews }) =>
      dismissesStaleReviews === true && (branches.includes('*') || branches.includes(pull.base.branch)),
  );
  if (!dismisses) return moved;
  const reviews = [...moved.reviews].map(
    ([id, review]) => [id, review.state === 'APPROVED' ? { ...review, state: 'DISMISSED' as const } : review] as const,
  );
  return { ...moved, reviews: new Map(reviews) };
}

/** The pull request with a new head: its base is read anew, its threads follow their lines. */
export function followHead(world: World, pull: PullRequest, sha: Sha, now: number): PullRequest {
  const base = world.repositories.get(pull.base.repositoryId);
  const baseSha = (base === undefined ? undefined : tipOf(base, pull.base.branch)) ?? pull.base.sha;
  const moved = {
    ...pull,
    head: { ...pull.head, sha },
    base: { ...pull.base, sha: baseSha },
    updatedAt: timestamp(now),
  };
  return trackThreads(world.store, moved);
}

/** The pull request, closed. */
export function closedPull(pull: PullRequest, now: number): PullRequest {
  return { ...pull, state: 'closed', closedAt: timestamp(now), updatedAt: timestamp(now) };
}
