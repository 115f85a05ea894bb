import type { Sha } from '../git/object-store.ts';
import { pullEvent } from '../payloads/events.ts';
import type { Json } from '../payloads/json.ts';
import type { HistoryKind } from './history.ts';
import type { EditPull, OnPull, OpenPull } from './inputs.ts';
import { mayWrite, pullPlace, tipOf } from './lookup.ts';
import { closedPull, followHead } from './move-ref.ts';
import type { ApiError, Operation, Outcome } from './outcome.ts';
import { forkPoint } from './pull-diff.ts';
import { NOT_ALLOWED, NOT_FOUND, validationFailed } from './refusals.ts';
import type { PullEnd, PullRequest, Repository, World } from './state.ts';
import { timestamp } from './timestamp.ts';
import { done, nodeId, recorded, refused, takeId, withEntry, withPull, withRepository } from './update.ts';

/** Opens a pull request; needs commits that the base does not have. */
export const openPull: Operation<OpenPull, PullRequest> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  if (repository === undefined) return refused(world, NOT_FOUND);
  const base = endOf(repository, input.base ?? repository.defaultBranch);
  const head = headOf(world, repository, input.head);
  if (base === undefined || head === undefined) {
    const field = base === undefined ? 'base' : 'head';
    return refused(world, validationFailed({ resource: 'PullRequest', code: 'invalid', field }));
  }
  if (forkPoint(world.store, { base, head }) === head.sha) {
    const message = `No commits between ${base.branch} and ${head.branch}`;
    return refused(world, validationFailed({ resource: 'PullRequest', code: 'custom', message }));
  }
  const [id, counted] = takeId(world);
  const [issueId, twice] = takeId(counted);
  const pull = newPull(input, { id, issueId, number: repository.nextNumber, base, head }, now);
  const pulls = withEntry(repository.pulls, pull.number, pull);
  const state = withRepository(twice, { ...repository, nextNumber: pull.number + 1, pulls });
  return settled(state, repository.id, pull, { kind: 'pull-opened', action: 'opened' }, input.actor, now);
};

/** Changes title, body or base branch; retargeting follows all threads to the new difference. */
export const editPull: Operation<EditPull, PullRequest> = (world, input, now) => {
  const place = pullPlace(world, input.repositoryId, input.number);
  if (place === undefined) return refused(world, NOT_FOUND);
  const { repository, pull } = place;
  const base = endOf(repository, input.base ?? pull.base.branch);
  if (base === undefined) {
    return refused(world, validationFailed({ resource: 'PullRequest', code: 'invalid', field: 'base' }));
  }
  const retargeted = input.base !== undefined && input.base !== pull.base.branch;
  const texts = { title: input.title ?? pull.title, body: input.body ?? pull.body, updatedAt: timestamp(now) };
  const edited = { ...pull, ...texts, base: retargeted ? base : pull.base };
  const next = retargeted ? followHead(world, edited, pull.head.sha, now) : edited;
  const extra = { changes: changesOf(pull, next) };
  const state = withPull(world, repository.id, next);
  return settled(state, repository.id, next, { kind: 'pull-edited', action: 'edited', extra }, input.actor, now);
};

/** Closes without merging. The author and people with write access may. */
export const closePull: Operation<OnPull, PullRequest> = (world, input, now) => {
  const place = pullPlace(world, input.repositoryId, input.number);
  const problem = steerProblem(world, input, place?.pull, 'open');
  if (place === undefined || problem !== undefined) return refused(world, problem ?? NOT_FOUND);
  const next = closedPull(place.pull, now);
  const state = withPull(world, place.repository.id, next);
  return settled(state, place.repository.id, next, { kind: 'pull-closed', action: 'closed' }, input.actor, now);
};

/** Opens a closed pull request again; the head is the branch as it is now. */
export const reopenPull: Operation<OnPull, PullRequest> = (world, input, now) => {
  const place = pullPlace(world, input.repositoryId, input.number);
  const problem = steerProblem(world, input, place?.pull, 'closed');
  if (place === undefined || problem !== undefined) return refused(world, problem ?? NOT_FOUND);
  const { repository, pull } = place;
  const source = world.repositories.get(pull.head.repositoryId);
  const sha = source === undefined ? undefined : tipOf(source, pull.head.branch);
  if (sha === undefined || pull.merge !== null) {
    const message = 'state cannot be changed. The branch was deleted or the pull request was merged.';
    return refused(world, validationFailed({ resource: 'PullRequest', code: 'custom', field: 'state', message }));
  }
  const next: PullRequest = { ...followHead(world, pull, sha, now), state: 'open', closedAt: null };
  const state = withPull(world, repository.id, next);
  return settled(state, repository.id, next, { kind: 'pull-reopened', action: 'reopened' }, input.actor, now);
};

/** Locks or unlocks the conversation; people with write access may. */
export const lockPull: Operation<OnPull & { readonly locked: boolean }, PullRequest> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  if (repository !== undefined && !mayWrite(repository, input.actor.accountId)) return refused(world, NOT_ALLOWED);
  const action = input.locked ? 'locked' : 'unlocked';
  return marked(world, input, { locked: input.locked }, action, now);
};

/** Makes a draft of a pull request, or marks it ready. */
export const setDraft: Operation<OnPull & { readonly draft: boolean }, PullRequest> = (world, input, now) => {
  const action = input.draft ? 'converted_to_draft' : 'ready_for_review';
  return marked(world, input, { draft: input.draft }, action, now);
};

type Told = { readonly kind: HistoryKind; readonly action: string; readonly extra?: Json };

/** The outcome of a write on a pull request: remembered, and told to everybody. */
function settled(
  world: World,
  repositoryId: number,
  pull: PullRequest,
  { kind, action, extra }: Told,
  actor: OnPull['actor'],
  now: number,
): Outcome<PullRequest> {
  const about = { repositoryId, number: pull.number, after: pull.head.sha };
  const state = recorded(world, kind, actor, now, about);
  const repository = state.repositories.get(repositoryId);
  const events = repository === undefined ? [] : [pullEvent(state, { repository, pull }, action, actor, extra)];
  return done(state, pull, events);
}

function marked(world: World, input: OnPull, fields: Partial<PullRequest>, action: string, now: number) {
  const place = pullPlace(world, input.repositoryId, input.number);
  if (place === undefined) return refused<PullRequest>(world, NOT_FOUND);
  const next = { ...place.pull, ...fields, updatedAt: timestamp(now) };
  const state = withPull(world, place.repository.id, next);
  return settled(state, place.repository.id, next, { kind: 'pull-edited', action }, input.actor, now);
}

/** Why somebody may not open or close, or undefined. */
function steerProblem(
  world: World,
  { actor, repositoryId }: OnPull,
  pull: PullRequest | undefined,
  needed: PullRequest['state'],
): ApiError | undefined {
  const repository = world.repositories.get(repositoryId);
  if (repository === undefined || pull === undefined) return NOT_FOUND;
  const may = actor.viaAppId !== null || pull.authorId === actor.accountId || mayWrite(repository, actor.accountId);
  if (!may) return NOT_ALLOWED;
  return pull.state === needed
    ? undefined
    : validationFailed({ resource: 'PullRequest', code: 'invalid', field: 'state' });
}

type Identity = Pick<PullRequest, 'id' | 'issueId' | 'number' | 'base' | 'head'>;

function newPull(input: OpenPull, identity: Identity, now: number): PullRequest {
  return {
    ...identity,
    nodeId: nodeId('PR', identity.id),
    title: input.title,
    body: input.body ?? null,
    authorId: input.actor.accountId,
    state: 'open',
    locked: false,
    draft: input.draft ?? false,
    createdAt: timestamp(now),
    updatedAt: timestamp(now),
    closedAt: null,
    merge: null,
    maintainerCanModify: false,
    comments: new Map(),
    reviews: new Map(),
    reviewComments: new Map(),
    threads: new Map(),
  };
}

function endOf(repository: Repository, branch: string): PullEnd | undefined {
  const sha: Sha | undefined = tipOf(repository, branch);
  return sha === undefined ? undefined : { repositoryId: repository.id, branch, sha };
}

function headOf(world: World, repository: Repository, head: OpenPull['head']): PullEnd | undefined {
  if (typeof head === 'string') return endOf(repository, head);
  const source = world.repositories.get(head.repositoryId);
  return source === undefined ? undefined : endOf(source, head.branch);
}

function changesOf(before: PullRequest, after: PullRequest): Json {
  return {
    ...(before.title === after.title ? {} : { title: { from: before.title } }),
    ...(before.body === after.body ? {} : { body: { from: before.body ?? '' } }),
    ...(before.base.branch === after.base.branch
      ? {}
      : { base: { ref: { from: before.base.branch }, sha: { from: before.base.sha } } }),
  };
}
