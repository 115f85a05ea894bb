import type { RunStart } from '../state/limits.ts';
import type { PullState } from '../state/pull-state.ts';
import { DEFAULT_SETTINGS, type Settings } from '../state/settings.ts';
import type { Person } from '../state/vote.ts';
import type { Facts, Need } from '../step/facts.ts';
import { openStalenessInput, proposalsBeforeCommit } from './head-assessment.ts';
import { type StepBuilder, startStep } from './step-builder.ts';

export function permissionNeeds({ login, id }: Person, facts: Facts): readonly Need[] {
  return facts.permission === undefined ? [{ kind: 'permission', login, id }] : [];
}

export function settingsNeeds(facts: Facts): readonly Need[] {
  return facts.settings === undefined ? [{ kind: 'settings' }] : [];
}

export function pullRequestNeeds(facts: Facts): readonly Need[] {
  return facts.pullRequest === undefined ? [{ kind: 'pull-request' }] : [];
}

/** The next facts to go on with an ended run, whose limits begin anew; `person` asked for it. */
export function runContinueNeeds(facts: Facts, person: Pick<Person, 'id'>): readonly Need[] {
  // Where the App lacks permissions no run starts, so nothing else is needed.
  if (facts.missingPermissions === undefined) return [{ kind: 'missing-permissions' }];
  if (facts.missingPermissions.length > 0) return [];
  if (facts.pullRequest === undefined) return pullRequestNeeds(facts);
  if (facts.pullRequest.state !== 'open') return [];
  const settings = settingsNeeds(facts);
  if (settings.length > 0) return settings;
  return facts.reachedRunLimit === undefined ? [{ kind: 'run-limit', start: runStartOf(facts, person) }] : [];
}

/** The next facts for the start of a run; `requester` gave the task. */
export function runStartNeeds(facts: Facts, requester: Pick<Person, 'id'>): readonly Need[] {
  const needs = runContinueNeeds(facts, requester);
  const { missingPermissions, pullRequest, reachedRunLimit } = facts;
  const isRefused = missingPermissions?.length !== 0 || pullRequest?.state !== 'open' || reachedRunLimit !== null;
  if (needs.length > 0 || isRefused) return needs;
  const { fork, headRef, baseRef, approvals } = pullRequest;
  // The App never commits to a fork.
  return !fork && facts.branch === undefined ? [{ kind: 'branch', headRef, baseRef, approvals }] : [];
}

/** The limits that a run of this person counts against. */
export function runStartOf(facts: Pick<Facts, 'settings'>, { id: requesterId }: Pick<Person, 'id'>): RunStart {
  const { runsPerDay, runsPerPersonPerDay } = startSettings(facts).limits;
  return { runsPerDay, runsPerPersonPerDay, requesterId };
}

/**
 * The settings that a run starts with. If the file is broken, the operator's and what it still restricts; approvals
 * reply what is wrong with it.
 */
export function startSettings({ settings }: Pick<Facts, 'settings'>): Settings {
  return settings?.settings ?? DEFAULT_SETTINGS;
}

/** The current head and, if it moved, how the open proposals apply to it. */
export function headNeeds(pull: PullState, facts: Facts, assessed?: () => StepBuilder): readonly Need[] {
  return facts.pullRequest === undefined
    ? pullRequestNeeds(facts)
    : stalenessNeeds(pull, facts.pullRequest.headSha, facts, assessed);
}

/**
 * How the open proposals apply to `head`, if it moved. `assessed` builds the pull request as it is right before the
 * assessment, so that exactly the proposals are assessed to which the result is applied.
 */
export function stalenessNeeds(
  pull: PullState,
  head: string,
  facts: Facts,
  assessed = () => startStep(pull),
): readonly Need[] {
  const { run } = pull;
  if (run === null || facts.staleness !== undefined || head === run.assessed.headSha) return [];
  if (proposalsBeforeCommit(pull.proposals).length === 0) return [];
  return [{ kind: 'staleness', fromSha: run.assessed.headSha, head, staleness: openStalenessInput(assessed().pull) }];
}
