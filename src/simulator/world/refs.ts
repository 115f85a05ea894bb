import type { Sha } from '../git/object-store.ts';
import type { CreateRef, DeleteRef, UpdateRef } from './inputs.ts';
import { isFastForward, moveRef } from './move-ref.ts';
import type { Operation } from './outcome.ts';
import { pushRefusal } from './push-refusal.ts';
import { NOT_FOUND, unprocessable } from './refusals.ts';
import type { World } from './state.ts';
import { done, refused } from './update.ts';

/** Creates a ref; the name needs `refs/` and a second slash, the object must be there. */
export const createRef: Operation<CreateRef, Sha> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  if (repository === undefined) return refused(world, NOT_FOUND);
  if (!/^refs\/[^/]+\/./.test(input.ref)) {
    return refused(world, unprocessable("Reference name must start with 'refs/' and have at least two slashes."));
  }
  if (!isCommit(world, input.sha)) return refused(world, unprocessable('Object does not exist'));
  if (repository.refs.has(input.ref)) return refused(world, unprocessable('Reference already exists'));
  const move = { ref: input.ref, before: null, after: input.sha };
  const { state, events } = moveRef(world, repository, input.actor, move, now);
  return done(state, input.sha, events);
};

/** Moves a ref, forward only unless forced, and only where the rules allow. */
export const updateRef: Operation<UpdateRef, Sha> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  const before = repository?.refs.get(input.ref);
  if (repository === undefined) return refused(world, NOT_FOUND);
  if (before === undefined) return refused(world, unprocessable('Reference does not exist'));
  if (!isCommit(world, input.sha)) return refused(world, unprocessable('Object does not exist'));
  if (input.force !== true && !isFastForward(world, before, input.sha)) {
    return refused(world, unprocessable('Update is not a fast forward'));
  }
  const move = { ref: input.ref, before, after: input.sha };
  const refusal = pushRefusal(world, repository, input.actor, move);
  if (refusal !== undefined) return refused(world, refusal);
  if (before === input.sha) return done(world, input.sha);
  const { state, events } = moveRef(world, repository, input.actor, move, now);
  return done(state, input.sha, events);
};

/** Deletes a ref; open pull requests of the branch are closed. */
export const deleteRef: Operation<DeleteRef, null> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  const before = repository?.refs.get(input.ref);
  if (repository === undefined) return refused(world, NOT_FOUND);
  if (before === undefined) return refused(world, unprocessable('Reference does not exist'));
  const move = { ref: input.ref, before, after: null };
  const refusal = pushRefusal(world, repository, input.actor, move);
  if (refusal !== undefined) return refused(world, refusal);
  const { state, events } = moveRef(world, repository, input.actor, move, now);
  return done(state, null, events);
};

function isCommit(world: World, sha: Sha): boolean {
  return world.store.objects.get(sha)?.type === 'commit';
}
