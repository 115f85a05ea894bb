import { hash } from 'node:crypto';
import { canCommit } from '../state/head-branch.ts';
import type { PressedButton } from '../state/intent.ts';
import { isPending, isPostedAndOpen, type Proposal, postedChange, turnOf } from '../state/proposal.ts';
import { activeRun, type PublishedCheck, type PullState } from '../state/pull-state.ts';
import { isAnswerable } from '../state/question.ts';
import type { CheckRunMode, Settings } from '../state/settings.ts';
import { approvalNeed } from './may-approve.ts';

/** The list of changes that wait for people on a pull request, and whether a question waits. */
export type Waiting = {
  /** The pending changes in the order of their pages. */
  readonly changes: readonly Proposal[];
  /** Names exactly these changes, as their pages show them; empty for none. */
  readonly digest: string;
  /** An open question waits too. */
  readonly hasQuestion: boolean;
};

/** The waiting list now, or that of the changes for which `isListed` holds. */
export function findWaiting(pull: PullState, isListed: (proposal: Proposal) => boolean = isPending): Waiting {
  const changes = inPageOrder(pull.proposals.filter(isListed));
  const named = changes.map((one) => [one.id, postedChange(one).digest]);
  return {
    changes,
    digest: named.length === 0 ? '' : hash('sha256', JSON.stringify(['countersign-list-v1', named]), 'hex'),
    hasQuestion: activeRun(pull)?.questions.some(isAnswerable) === true,
  };
}

/** Those that were posted together in the order of their pages, which have the numbers `1 of 3` and so on. */
export function inPageOrder(proposals: readonly Proposal[]): readonly Proposal[] {
  const posted = Map.groupBy(proposals, (one) => `${one.runId} ${turnOf(one) ?? one.id}`);
  return [...posted.values()].flatMap((together) => together.toSorted((left, right) => left.index - right.index));
}

/** Everything that the check run and the label depend on; equal texts need nothing new on GitHub. */
export function waitingKey(pull: PullState, mode: CheckRunMode): string {
  const { digest, hasQuestion } = findWaiting(pull);
  const head = digest === '' && mode !== 'required' ? null : (pull.run?.assessed.headSha ?? null);
  return JSON.stringify([digest, hasQuestion, head]);
}

/** Why a check run has no buttons; null if it can have them. */
export type ButtonObstacle = 'nothing-waits' | 'cannot-commit' | 'needs-others';

/** Why one person must not decide on all of these changes with one press. Whether their diffs fit is not known here. */
export function findButtonObstacle({ run }: PullState, changes: readonly Proposal[]): ButtonObstacle | null {
  if (changes.length === 0) return 'nothing-waits';
  if (run === null || !canCommit(run.branch)) return 'cannot-commit';
  const { settings } = run;
  const needsOthers = settings.requireNonAuthor || settings.requireNonRequester;
  return needsOthers || changes.some((one) => needsSeveral(one, settings)) ? 'needs-others' : null;
}

/** By the rules when the run began or, where they became stricter, as they were last read. */
function needsSeveral({ change, requiredApprovals }: Proposal, settings: Settings): boolean {
  const { approvals, ownedPaths } = approvalNeed(change, settings);
  return approvals > 1 || requiredApprovals > 1 || ownedPaths.length > 0;
}

/** The App's name of a list of this pull request on its check run: two can have the same head. */
export function externalIdOf(number: number, digest: string): string {
  return `${number}:${digest}`;
}

/** The number of the pull request that a check run of the App is about; null for another form. */
export function numberInExternalId(externalId: string): number | null {
  const number = Number(/^([1-9]\d{0,9}):[0-9a-f]*$/.exec(externalId)?.[1]);
  return Number.isSafeInteger(number) ? number : null;
}

const BUTTONS = ['approve', 'deny'] as const;

/** What a button does. */
type Button = (typeof BUTTONS)[number];

/** GitHub takes at most 20 characters. */
export function buttonIdentifier(button: Button, digest: string): string {
  return `${button}:${digest.slice(0, 12)}`;
}

/** The button of a press; null for an identifier of another form. */
export function buttonOf({ identifier }: Pick<PressedButton, 'identifier'>): Button | null {
  return BUTTONS.find((button) => identifier.startsWith(`${button}:`)) ?? null;
}

type List = Pick<Waiting, 'changes' | 'digest'>;

export const NO_LIST: List = { changes: [], digest: '' };

/**
 * The list that a press on the newest check run decides on: a page that was loaded before presses an old button. A
 * denial, which changes no file, also holds for what is approved by now.
 */
export function pressedChanges(press: PressedButton, pull: PullState): List {
  const check: PublishedCheck | null = pull.published?.check ?? null;
  if (!check?.hasButtons || press.checkRunId !== check.id || press.headSha !== check.head) return NO_LIST;
  const waiting = findWaiting(pull);
  if (check.digest === waiting.digest && isNamedBy(press, pull, waiting)) return waiting;
  const open = findWaiting(pull, isPostedAndOpen);
  return buttonOf(press) === 'deny' && isNamedBy(press, pull, open) ? open : NO_LIST;
}

function isNamedBy(press: PressedButton, { ref }: PullState, { digest }: Waiting): boolean {
  const button = buttonOf(press);
  const { externalId, identifier } = press;
  const isNamed = button !== null && identifier === buttonIdentifier(button, digest);
  return isNamed && digest !== '' && externalId === externalIdOf(ref.number, digest);
}
