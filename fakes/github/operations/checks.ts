import { readGitCommit } from '../git/objects.ts';
import { createCheckRunEvent, createCheckSuiteEvent, createStatusEvent } from '../payloads/check-events.ts';
import { listCheckSuites, suiteStatusOf } from '../state/checks.ts';
import type {
  FakeActor,
  FakeCheckRun,
  FakeCheckSuite,
  FakeCommitStatus,
  FakeRepository,
  GitHubState,
} from '../state/github-state.ts';
import {
  type ApiError,
  NOT_FOUND_ERROR,
  type Operation,
  type OperationResult,
  unprocessableError,
  type WebhookEvent,
} from '../state/operation.ts';
import {
  allocateId,
  createNodeId,
  formatTimestamp,
  mapWithEntry,
  putRepository,
  refuseWith,
  succeedWith,
  withAuditEntry,
} from '../state/update.ts';
import type {
  CloseCheckSuiteInput,
  CreateCheckRunInput,
  CreateCommitStatusInput,
  OpenCheckSuiteInput,
  UpdateCheckRunInput,
} from './inputs.ts';

/** Adds a suite: GitHub does so at a push for each App with `checks: write`, and for each run of a workflow. */
export const openCheckSuite: Operation<OpenCheckSuiteInput, FakeCheckSuite> = (github, input, now) => {
  const located = locateCommit(github, input, input.headSha);
  if (!located.ok) return refuseWith(github, located.error);
  const [suite, state] = addSuite(github, located, input, now);
  const details = { repositoryId: located.repository.id, id: suite.id };
  return succeedWith(withAuditEntry(state, 'check-suite-opened', input.actor, now, details), suite);
};

export const closeCheckSuite: Operation<CloseCheckSuiteInput, FakeCheckSuite> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  const before = repository?.checkSuites.get(input.suiteId);
  if (repository === undefined || before === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const suite = { ...before, expectsMore: false };
  const checkSuites = mapWithEntry(repository.checkSuites, suite.id, suite);
  const state = putRepository(github, { ...repository, checkSuites });
  const details = { repositoryId: repository.id, id: suite.id };
  const audited = withAuditEntry(state, 'check-suite-opened', input.actor, now, details);
  return succeedWith(audited, suite, completionEvents(github, audited, repository.id, suite.id, input.actor));
};

/** Adds a check run, and its suite where there is none. */
export const createCheckRun: Operation<CreateCheckRunInput, FakeCheckRun> = (github, input, now) => {
  const located = locateCommit(github, input, input.headSha);
  if (!located.ok) return refuseWith(github, located.error);
  if (input.status === 'completed' && input.conclusion === undefined) return refuseWith(github, MISSING_CONCLUSION);
  const [suite, withSuite] = suiteFor(github, located, input, now);
  const [id, allocated] = allocateId(withSuite);
  const blank: FakeCheckRun = {
    id,
    nodeId: createNodeId('CR', id),
    suiteId: suite.id,
    appId: located.appId,
    name: input.name,
    headSha: input.headSha,
    externalId: '',
    detailsUrl: null,
    status: 'queued',
    conclusion: null,
    startedAt: formatTimestamp(now),
    completedAt: null,
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
    log: null,
  };
  return storeRun(github, allocated, null, withFields(blank, input, now), input, now);
};

/** Changes a check run. Only the App that made it can. */
export const updateCheckRun: Operation<UpdateCheckRunInput, FakeCheckRun> = (github, input, now) => {
  const before = github.repositories.get(input.repositoryId)?.checkRuns.get(input.checkRunId);
  if (before === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  if (input.actor.viaAppId !== before.appId) return refuseWith(github, invalidAppError(input.actor));
  const isCompletedNow = input.conclusion !== undefined || before.conclusion !== null;
  if (input.status === 'completed' && !isCompletedNow) return refuseWith(github, MISSING_CONCLUSION);
  const renamed = input.name === undefined ? before : { ...before, name: input.name };
  return storeRun(github, github, before, withFields(renamed, input, now), input, now);
};

export const createCommitStatus: Operation<CreateCommitStatusInput, FakeCommitStatus> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  if (repository === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  if (readGitCommit(github.store, input.sha) === undefined) return refuseWith(github, unknownCommitError(input.sha));
  const [id, allocated] = allocateId(github);
  const status: FakeCommitStatus = {
    id,
    nodeId: createNodeId('SC', id),
    sha: input.sha,
    context: input.context ?? 'default',
    state: input.state,
    description: input.description ?? null,
    targetUrl: input.targetUrl ?? null,
    creatorId: input.actor.accountId,
    createdAt: formatTimestamp(now),
  };
  const next = { ...repository, statuses: [...repository.statuses, status] };
  const details = { repositoryId: repository.id, id };
  const state = withAuditEntry(putRepository(allocated, next), 'status-created', input.actor, now, details);
  return succeedWith(state, status, [createStatusEvent(state, next, status, input.actor)]);
};

const MISSING_CONCLUSION = unprocessableError('Invalid request.\n\n"conclusion" wasn\'t supplied.');

function unknownCommitError(sha: string): ApiError {
  return unprocessableError(`No commit found for SHA: ${sha}`);
}

function invalidAppError({ viaAppId }: FakeActor): ApiError {
  const message = `Invalid app_id \`${viaAppId}\` - check run can only be modified by the GitHub App that created it.`;
  return { status: 403, type: 'FORBIDDEN', message };
}

type LocatedCommit = { readonly ok: true; readonly repository: FakeRepository; readonly appId: number };

type Target = { readonly repositoryId: number; readonly actor: FakeActor };

/** Checks belong to Apps; nobody else can make one. */
function locateCommit(
  github: GitHubState,
  { repositoryId, actor }: Target,
  sha: string,
): LocatedCommit | { readonly ok: false; readonly error: ApiError } {
  const repository = github.repositories.get(repositoryId);
  if (repository === undefined || actor.viaAppId === null) return { ok: false, error: NOT_FOUND_ERROR };
  if (readGitCommit(github.store, sha) === undefined) return { ok: false, error: unknownCommitError(sha) };
  return { ok: true, repository, appId: actor.viaAppId };
}

function addSuite(
  github: GitHubState,
  { repository, appId }: LocatedCommit,
  { headSha, expectsMore = false }: Pick<OpenCheckSuiteInput, 'headSha' | 'expectsMore'>,
  now: number,
): readonly [FakeCheckSuite, GitHubState] {
  const [id, allocated] = allocateId(github);
  const nodeId = createNodeId('CS', id);
  const suite: FakeCheckSuite = { id, nodeId, appId, headSha, createdAt: formatTimestamp(now), expectsMore };
  const checkSuites = mapWithEntry(repository.checkSuites, id, suite);
  return [suite, putRepository(allocated, { ...repository, checkSuites })];
}

function suiteFor(
  github: GitHubState,
  located: LocatedCommit,
  input: CreateCheckRunInput,
  now: number,
): readonly [FakeCheckSuite, GitHubState] {
  const { repository, appId } = located;
  const named = input.suiteId === undefined ? undefined : repository.checkSuites.get(input.suiteId);
  const known = named ?? listCheckSuites(repository, input.headSha).find((suite) => suite.appId === appId);
  return known === undefined ? addSuite(github, located, input, now) : [known, github];
}

function withFields(
  run: FakeCheckRun,
  input: Omit<UpdateCheckRunInput, 'checkRunId' | 'name' | 'repositoryId' | 'actor'>,
  now: number,
): FakeCheckRun {
  const { conclusion, log } = input;
  const isReopened = conclusion === undefined && input.status !== undefined && input.status !== 'completed';
  const outcome = isReopened
    ? { status: input.status, conclusion: null, completedAt: null }
    : conclusion !== undefined
      ? { status: 'completed' as const, conclusion, completedAt: formatTimestamp(now) }
      : {};
  return {
    ...run,
    ...outcome,
    externalId: input.externalId ?? run.externalId,
    detailsUrl: input.detailsUrl ?? run.detailsUrl,
    output: { ...run.output, ...input.output },
    annotations: [...run.annotations, ...(input.annotations ?? [])],
    actions: input.actions ?? run.actions,
    log: log === undefined ? run.log : Buffer.from(log),
  };
}

/** Stores a check run. `original` is the state before the operation, `before` the run in it. */
function storeRun(
  original: GitHubState,
  github: GitHubState,
  before: FakeCheckRun | null,
  run: FakeCheckRun,
  { repositoryId, actor }: Target,
  now: number,
): OperationResult<FakeCheckRun> {
  const repository = github.repositories.get(repositoryId);
  if (repository === undefined) return refuseWith(original, NOT_FOUND_ERROR);
  const next = { ...repository, checkRuns: mapWithEntry(repository.checkRuns, run.id, run) };
  const action = before === null ? 'check-run-created' : 'check-run-updated';
  const details = { repositoryId, id: run.id };
  const state = withAuditEntry(putRepository(github, next), action, actor, now, details);
  const isCompleted = run.status === 'completed' && before?.status !== 'completed';
  return succeedWith(state, run, [
    ...(before === null ? [createCheckRunEvent(state, next, run, 'created', actor)] : []),
    ...(isCompleted ? [createCheckRunEvent(state, next, run, 'completed', actor)] : []),
    ...completionEvents(original, state, repositoryId, run.suiteId, actor),
  ]);
}

/** `check_suite.completed` if the suite has just been completed. */
function completionEvents(
  before: GitHubState,
  after: GitHubState,
  repositoryId: number,
  suiteId: number,
  actor: FakeActor,
): readonly WebhookEvent[] {
  const isCompleted = (github: GitHubState): boolean => {
    const repository = github.repositories.get(repositoryId);
    const suite = repository?.checkSuites.get(suiteId);
    return repository !== undefined && suite !== undefined && suiteStatusOf(repository, suite) === 'completed';
  };
  const repository = after.repositories.get(repositoryId);
  const suite = repository?.checkSuites.get(suiteId);
  if (repository === undefined || suite === undefined || isCompleted(before) || !isCompleted(after)) return [];
  return [createCheckSuiteEvent(after, repository, suite, 'completed', actor)];
}
