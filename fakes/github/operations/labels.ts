import { labelPayload } from '../payloads/labels.ts';
import { createPullRequestEvent } from '../payloads/webhook-events.ts';
import type { FakeActor, FakeLabel, FakePullRequest, GitHubState } from '../state/github-state.ts';
import { locatePull } from '../state/lookup.ts';
import { type ApiError, NOT_FOUND_ERROR, type Operation, type OperationResult } from '../state/operation.ts';
import {
  allocateId,
  createNodeId,
  mapWithEntry,
  putPull,
  putRepository,
  refuseWith,
  succeedWith,
  withAuditEntry,
} from '../state/update.ts';
import type { PullTarget } from './inputs.ts';

type LabelTarget = PullTarget & { readonly name: string };

/** `canCreate` is false for an App that may not write issues: adding a label that does not exist creates it. */
export const addLabel: Operation<LabelTarget & { readonly canCreate?: boolean }, FakePullRequest> = (
  github,
  { repositoryId, number, name, actor, canCreate = true },
  now,
) => {
  const located = locatePull(github, repositoryId, number);
  if (located === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  if (!located.repository.labels.has(name) && !canCreate) return refuseWith(github, CANNOT_CREATE);
  const known = located.repository.labels.has(name) ? github : withLabel(github, repositoryId, name, 'ededed');
  if (located.pull.labels.includes(name)) return succeedWith(known, located.pull);
  return withLabels(known, { repositoryId, number, actor }, [...located.pull.labels, name], { name, now, added: true });
};

/** GitHub's answer since 2025, where `pull_requests: write` alone does not create a label. */
const CANNOT_CREATE: ApiError = {
  status: 403,
  type: 'FORBIDDEN',
  message: 'You do not have permission to create labels on this repository.',
  errors: [{ resource: 'Repository', field: 'label', code: 'unauthorized' }],
};

export const removeLabel: Operation<LabelTarget, FakePullRequest> = (github, { name, ...target }, now) => {
  const located = locatePull(github, target.repositoryId, target.number);
  if (located === undefined || !located.pull.labels.includes(name))
    return refuseWith(github, { ...NOT_FOUND_ERROR, message: 'Label does not exist' });
  const others = located.pull.labels.filter((one) => one !== name);
  return withLabels(github, target, others, { name, now, added: false });
};

/** A person creates a label of the repository. */
export const createLabel: Operation<
  { readonly actor: FakeActor; readonly repositoryId: number; readonly name: string; readonly color: string },
  null
> = (github, { repositoryId, name, color }) =>
  github.repositories.has(repositoryId)
    ? succeedWith(withLabel(github, repositoryId, name, color), null)
    : refuseWith(github, NOT_FOUND_ERROR);

function withLabel(github: GitHubState, repositoryId: number, name: string, color: string): GitHubState {
  const [id, allocated] = allocateId(github);
  const repository = allocated.repositories.get(repositoryId);
  if (repository === undefined) return github;
  const label: FakeLabel = { id, nodeId: createNodeId('LA', id), name, color };
  return putRepository(allocated, { ...repository, labels: mapWithEntry(repository.labels, name, label) });
}

function withLabels(
  github: GitHubState,
  { repositoryId, number, actor }: PullTarget,
  labels: readonly string[],
  { name, now, added }: { readonly name: string; readonly now: number; readonly added: boolean },
): OperationResult<FakePullRequest> {
  const located = locatePull(github, repositoryId, number);
  if (located === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const pull = { ...located.pull, labels };
  const details = { repositoryId, number };
  const state = withAuditEntry(putPull(github, repositoryId, pull), 'labels-changed', actor, now, details);
  const repository = state.repositories.get(repositoryId);
  const label = repository?.labels.get(name);
  if (repository === undefined || label === undefined) return succeedWith(state, pull);
  const extra = { label: labelPayload(state, repository, label) };
  const action = added ? 'labeled' : 'unlabeled';
  return succeedWith(state, pull, [createPullRequestEvent(state, { repository, pull }, action, actor, extra)]);
}
