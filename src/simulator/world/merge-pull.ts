import { readCommit } from '../git/commit-object.ts';
import type { Sha } from '../git/object-store.ts';
import type { TreeEntry } from '../git/tree-object.ts';
import { updateTree } from '../git/trees.ts';
import { pullEvent } from '../payloads/events.ts';
import type { MergePull } from './inputs.ts';
import { mayWrite, type PullPlace, pullPlace, tipOf } from './lookup.ts';
import { moveRef } from './move-ref.ts';
import type { ApiError, Operation } from './outcome.ts';
import { changesBetween, forkPoint } from './pull-diff.ts';
import { NOT_ALLOWED, NOT_FOUND } from './refusals.ts';
import { personSignature, putGitHubCommit } from './signatures.ts';
import type { Account, PullRequest, World } from './state.ts';
import { timestamp } from './timestamp.ts';
import { done, recorded, refused, withPull } from './update.ts';

/** Merges with a merge commit on the base branch. Where both sides changed a file the head's version wins. */
export const mergePull: Operation<MergePull, PullRequest> = (world, input, now) => {
  const place = pullPlace(world, input.repositoryId, input.number);
  const account = world.accounts.get(input.actor.accountId);
  if (place === undefined || account === undefined) return refused(world, NOT_FOUND);
  const problem = mergeProblem(place, input);
  if (problem !== undefined) return refused(world, problem);
  const { repository, pull } = place;
  const before = tipOf(repository, pull.base.branch) ?? pull.base.sha;
  const sha = putMerge(world, place, { account, before, title: input.title }, now);
  const closed = mergedPull(pull, { sha, at: timestamp(now), byId: account.id });
  const about = { repositoryId: repository.id, number: pull.number, before, after: sha };
  const merged = recorded(withPull(world, repository.id, closed), 'pull-merged', input.actor, now, about);
  const current = merged.repositories.get(repository.id) ?? repository;
  const move = { ref: `refs/heads/${pull.base.branch}`, before, after: sha };
  const { state, events } = moveRef(merged, current, input.actor, move, now);
  const shown = { repository: state.repositories.get(repository.id) ?? current, pull: closed };
  return done(state, closed, [pullEvent(state, shown, 'closed', input.actor), ...events]);
};

function mergeProblem({ repository, pull }: PullPlace, input: MergePull): ApiError | undefined {
  if (!mayWrite(repository, input.actor.accountId)) return NOT_ALLOWED;
  if (pull.state === 'closed' || pull.draft) {
    return { status: 405, type: 'UNPROCESSABLE', message: 'Pull Request is not mergeable' };
  }
  if (input.sha === undefined || input.sha === pull.head.sha) return undefined;
  const message = 'Head branch was modified. Review and try the merge again.';
  return { status: 409, type: 'STALE_DATA', message };
}

type MergeBy = { readonly account: Account; readonly before: Sha; readonly title: string | undefined };

function putMerge(
  world: World,
  { repository, pull }: PullPlace,
  { account, before, title }: MergeBy,
  now: number,
): Sha {
  const changes = new Map<string, TreeEntry | null>();
  for (const change of changesBetween(world.store, forkPoint(world.store, pull), pull.head.sha)) {
    if (change.status === 'renamed') changes.set(change.previousPath, null);
    changes.set(change.path, change.status === 'removed' ? null : change.after);
  }
  const tree = updateTree(world.store, readCommit(world.store, before)?.tree, changes);
  const subject = `Merge pull request #${pull.number} from ${repository.name}/${pull.head.branch}`;
  const message = `${subject}\n\n${title ?? pull.title}`;
  const author = personSignature(world, account, now);
  return putGitHubCommit(world, { tree, parents: [before, pull.head.sha], message, author }, now);
}

function mergedPull(pull: PullRequest, merge: NonNullable<PullRequest['merge']>): PullRequest {
  return { ...pull, state: 'closed', merge, closedAt: merge.at, updatedAt: merge.at };
}
