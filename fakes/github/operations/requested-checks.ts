import type { Sha } from '../git/objects.ts';
import { createMergeGroupEvent, createRequestedActionEvent } from '../payloads/check-events.ts';
import { locatePull } from '../state/lookup.ts';
import { NOT_FOUND_ERROR, type Operation } from '../state/operation.ts';
import { refuseWith, succeedWith, withAuditEntry } from '../state/update.ts';
import type { PressCheckButtonInput, PullTarget } from './inputs.ts';
import { putMergeCommit } from './pull-requests.ts';

/**
 * A person presses a button of a completed check run. GitHub shows buttons to anybody, and an old page still has those
 * that are gone.
 */
export const pressCheckButton: Operation<PressCheckButtonInput, null> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  const run = repository?.checkRuns.get(input.checkRunId);
  if (repository === undefined || run === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const details = { repositoryId: repository.id, id: run.id };
  const state = withAuditEntry(github, 'check-button-pressed', input.actor, now, details);
  const event = createRequestedActionEvent(state, repository, run, input.identifier, input.actor);
  return succeedWith(state, null, [event]);
};

/** A pull request enters the merge queue, which asks for the checks of the commit that would be merged. */
export const requestMergeGroupChecks: Operation<PullTarget, Sha> = (github, input, now) => {
  const located = locatePull(github, input.repositoryId, input.number);
  const account = github.accounts.get(input.actor.accountId);
  if (located === undefined || account === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, pull } = located;
  const sha = putMergeCommit(github, located, { account, before: pull.base.sha, title: undefined }, now);
  const details = { repositoryId: repository.id, number: pull.number, after: sha };
  const state = withAuditEntry(github, 'merge-queued', input.actor, now, details);
  return succeedWith(state, sha, [createMergeGroupEvent(state, repository, pull, sha, input.actor)]);
};
