import { isAncestor } from '../git/ancestry.ts';
import type { Sha } from '../git/objects.ts';
import { createPullRequestEvent, createPushEvent, type RefUpdate } from '../payloads/webhook-events.ts';
import type { FakeActor, FakePullRequest, FakeRepository, FakeRuleType, GitHubState } from '../state/github-state.ts';
import { findBranchHead, listRulesetsForBranch } from '../state/lookup.ts';
import {
  type ApiError,
  NOT_FOUND_ERROR,
  type Operation,
  unprocessableError,
  type WebhookEvent,
} from '../state/operation.ts';
import { formatTimestamp, putPull, putRepository, refuseWith, succeedWith, withAuditEntry } from '../state/update.ts';
import type { CreateRefInput, DeleteRefInput, UpdateRefInput } from './inputs.ts';
import { relocateThreads } from './thread-anchors.ts';

/** Creates a ref. Its name must start with `refs/` and have a second slash; the commit must exist. */
export const createGitRef: Operation<CreateRefInput, Sha> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  if (repository === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  if (!/^refs\/[^/]+\/./.test(input.ref)) {
    return refuseWith(
      github,
      unprocessableError("Reference name must start with 'refs/' and have at least two slashes."),
    );
  }
  if (!isCommit(github, input.sha)) return refuseWith(github, unprocessableError('Object does not exist'));
  if (repository.refs.has(input.ref)) return refuseWith(github, unprocessableError('Reference already exists'));
  const refUpdate = { ref: input.ref, before: null, after: input.sha };
  const { state, events } = applyRefUpdate(github, repository, input.actor, refUpdate, now);
  return succeedWith(state, input.sha, events);
};

/** Updates a ref if the rulesets allow it: a fast-forward, or any update with `force`. */
export const updateGitRef: Operation<UpdateRefInput, Sha> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  const before = repository?.refs.get(input.ref);
  if (repository === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  if (before === undefined) return refuseWith(github, unprocessableError('Reference does not exist'));
  if (!isCommit(github, input.sha)) return refuseWith(github, unprocessableError('Object does not exist'));
  if (input.expected !== undefined && input.expected !== before)
    return refuseWith(github, unprocessableError('Reference update failed'));
  if (input.force !== true && !isFastForward(github, before, input.sha)) {
    return refuseWith(github, unprocessableError('Update is not a fast forward'));
  }
  const refUpdate = { ref: input.ref, before, after: input.sha };
  const refusal = checkPushRules(github, repository, input.actor, refUpdate);
  if (refusal !== undefined) return refuseWith(github, refusal);
  if (before === input.sha) return succeedWith(github, input.sha);
  const { state, events } = applyRefUpdate(github, repository, input.actor, refUpdate, now);
  return succeedWith(state, input.sha, events);
};

/** Deletes a ref and closes the open pull requests of the branch. */
export const deleteGitRef: Operation<DeleteRefInput, null> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  const before = repository?.refs.get(input.ref);
  if (repository === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  if (before === undefined) return refuseWith(github, unprocessableError('Reference does not exist'));
  const refUpdate = { ref: input.ref, before, after: null };
  const refusal = checkPushRules(github, repository, input.actor, refUpdate);
  if (refusal !== undefined) return refuseWith(github, refusal);
  const { state, events } = applyRefUpdate(github, repository, input.actor, refUpdate, now);
  return succeedWith(state, null, events);
};

function isCommit(github: GitHubState, sha: Sha): boolean {
  return github.store.objects.get(sha)?.type === 'commit';
}

type RefUpdateResult = { readonly state: GitHubState; readonly events: readonly WebhookEvent[] };

/**
 * Sets or deletes a ref (`after` null) and creates the webhooks: `push`, and `synchronize` or `closed` for each open pull
 * request of the branch.
 */
export function applyRefUpdate(
  github: GitHubState,
  repository: FakeRepository,
  actor: FakeActor,
  refUpdate: RefUpdate,
  now: number,
): RefUpdateResult {
  const refs = new Map(repository.refs);
  if (refUpdate.after === null) refs.delete(refUpdate.ref);
  else refs.set(refUpdate.ref, refUpdate.after);
  const moved = { ...repository, refs, pushedAt: formatTimestamp(now) };
  const details = { repositoryId: repository.id, ...refUpdate };
  const start = withAuditEntry(putRepository(github, moved), auditActionOf(refUpdate), actor, now, details);
  let result: RefUpdateResult = { state: start, events: [createPushEvent(start, moved, actor, refUpdate)] };
  if (!refUpdate.ref.startsWith('refs/heads/')) return result;
  const branch = refUpdate.ref.slice('refs/heads/'.length);
  const pulls = [
    ...listOpenPullsByHead(start, moved, branch),
    ...(refUpdate.after === null ? listOpenPullsByBase(moved, branch) : []),
  ];
  for (const { repositoryId, pull } of pulls) {
    result = updatePullHead(result, { repositoryId, pull, actor, refUpdate }, now);
  }
  return result;
}

function isFastForward(github: GitHubState, before: Sha, after: Sha): boolean {
  return isAncestor(github.store, before, after);
}

function auditActionOf({ before, after }: RefUpdate): 'ref-created' | 'ref-deleted' | 'ref-updated' {
  if (after === null) return 'ref-deleted';
  return before === null ? 'ref-created' : 'ref-updated';
}

type PullOfRepository = { readonly repositoryId: number; readonly pull: FakePullRequest };

function listOpenPullsByHead(
  github: GitHubState,
  repository: FakeRepository,
  branch: string,
): readonly PullOfRepository[] {
  const found: PullOfRepository[] = [];
  for (const candidate of github.repositories.values()) {
    for (const pull of candidate.pulls.values()) {
      const { head } = pull;
      const isHead = head.repositoryId === repository.id && head.branch === branch;
      if (isHead && pull.state === 'open') found.push({ repositoryId: candidate.id, pull });
    }
  }
  return found;
}

/** GitHub closes the pull requests of a deleted base branch. */
function listOpenPullsByBase(repository: FakeRepository, branch: string): readonly PullOfRepository[] {
  const open = [...repository.pulls.values()].filter(({ base, state }) => base.branch === branch && state === 'open');
  return open.map((pull) => ({ repositoryId: repository.id, pull }));
}

type PullHeadUpdate = PullOfRepository & { readonly actor: FakeActor; readonly refUpdate: RefUpdate };

function updatePullHead(
  { state, events }: RefUpdateResult,
  { repositoryId, pull, actor, refUpdate }: PullHeadUpdate,
  now: number,
): RefUpdateResult {
  const { before, after } = refUpdate;
  const next = after === null ? withClosedState(pull, now) : withPushedHead(state, repositoryId, pull, after, now);
  let changed = putPull(state, repositoryId, next);
  if (after === null)
    changed = withAuditEntry(changed, 'pull-closed', actor, now, { repositoryId, number: pull.number });
  const repository = changed.repositories.get(repositoryId);
  if (repository === undefined) return { state, events };
  const located = { repository, pull: next };
  const event =
    after === null
      ? createPullRequestEvent(changed, located, 'closed', actor)
      : createPullRequestEvent(changed, located, 'synchronize', actor, {
          before: before ?? pull.head.sha,
          after,
        });
  return { state: changed, events: [...events, event] };
}

/** Dismisses the approvals if a ruleset of the base branch requires it. */
function withPushedHead(
  github: GitHubState,
  repositoryId: number,
  pull: FakePullRequest,
  sha: Sha,
  now: number,
): FakePullRequest {
  const moved = withHead(github, pull, sha, now);
  const repository = github.repositories.get(repositoryId);
  const rulesets = repository === undefined ? [] : listRulesetsForBranch(repository, pull.base.branch);
  if (!rulesets.some(({ dismissesStaleReviews }) => dismissesStaleReviews === true)) return moved;
  const reviews = [...moved.reviews].map(
    ([id, review]) => [id, review.state === 'APPROVED' ? { ...review, state: 'DISMISSED' as const } : review] as const,
  );
  return { ...moved, reviews: new Map(reviews) };
}

/** Returns the pull request with a new head, the current base and relocated threads. */
export function withHead(github: GitHubState, pull: FakePullRequest, sha: Sha, now: number): FakePullRequest {
  const base = github.repositories.get(pull.base.repositoryId);
  const baseSha = (base === undefined ? undefined : findBranchHead(base, pull.base.branch)) ?? pull.base.sha;
  const moved = {
    ...pull,
    head: { ...pull.head, sha },
    base: { ...pull.base, sha: baseSha },
    updatedAt: formatTimestamp(now),
  };
  return relocateThreads(github.store, moved);
}

export function withClosedState(pull: FakePullRequest, now: number): FakePullRequest {
  return { ...pull, state: 'closed', closedAt: formatTimestamp(now), updatedAt: formatTimestamp(now) };
}

/** The message of each rule; null for a rule that the fake GitHub does not enforce. */
const RULE_MESSAGES: Readonly<Record<FakeRuleType, string | null>> = {
  pull_request: 'Changes must be made through a pull request.',
  update: 'Cannot update this protected ref.',
  non_fast_forward: 'Cannot force-push to this branch',
  deletion: 'Cannot delete this protected ref.',
  required_signatures: null,
};

/** Returns an error if a ruleset forbids the push. `bypassIds` can contain the bot of an App. GraphQL says FORBIDDEN. */
export function checkPushRules(
  github: GitHubState,
  repository: FakeRepository,
  actor: FakeActor,
  refUpdate: RefUpdate,
): ApiError | undefined {
  if (!refUpdate.ref.startsWith('refs/heads/')) return undefined;
  const messages = listRulesetsForBranch(repository, refUpdate.ref.slice('refs/heads/'.length))
    .filter(({ bypassIds }) => !bypassIds.includes(actor.accountId))
    .flatMap(({ types }) => types)
    .filter((type) => violatesRule(github, type, refUpdate))
    .flatMap((type) => RULE_MESSAGES[type] ?? []);
  if (messages.length === 0) return undefined;
  const message = `Repository rule violations found\n\n${messages.join('\n')}\n\n`;
  return { ...unprocessableError(message), type: 'FORBIDDEN' };
}

function violatesRule(github: GitHubState, type: FakeRuleType, { before, after }: RefUpdate): boolean {
  switch (type) {
    case 'pull_request':
    case 'update':
      return before !== null && after !== null;
    case 'non_fast_forward':
      return before !== null && after !== null && !isFastForward(github, before, after);
    case 'deletion':
      return after === null;
    case 'required_signatures':
      return false;
  }
}
