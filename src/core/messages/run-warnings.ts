import { formatList, formatNumber, pluralize } from '../../lib/format.ts';
import { canCommit, type HeadBranch } from '../state/head-branch.ts';
import type { Run } from '../state/run.ts';
import { DEFAULT_SETTINGS } from '../state/settings.ts';
import { countWork, renewedCost, renewedTokens, totalTokens } from '../state/spending.ts';
import type { ProposalView } from './proposal/proposal-status.ts';
import { codeSpan, truncate } from './shared/markdown.ts';

/** The part of the run that each proposal's comment shows: warnings, whether the App can commit, and some settings. */
export function runWarnings(run: Run | null): RunDetails {
  if (run === null) return { warnings: [], writable: true, protectedPaths: DEFAULT_SETTINGS.protectedPaths };
  const { branch, settings } = run;
  return { warnings: branchWarnings(branch), writable: canCommit(branch), protectedPaths: settings.protectedPaths };
}

export type RunDetails = Pick<ProposalView, 'warnings' | 'writable' | 'protectedPaths'>;

/** The next step where the App cannot commit. */
const APPLY_BY_HAND_TEXT =
  'Press **Commit suggestion** where a change has that button, or apply the diff by hand and push it. Countersign recognizes the change on the branch.';

const MAX_REF_CHARACTERS = 300;

/** The run comment's notes about its branch: a fork, rules that might refuse or refused a commit, other pull requests. */
export function branchLines(branch: HeadBranch): readonly string[] {
  const ref = codeSpan(truncate(branch.ref, MAX_REF_CHARACTERS));
  if (branch.isFork)
    return [`The branch ${ref} is in a fork, and Countersign never writes to forks. ${APPLY_BY_HAND_TEXT}`];
  return [...ruleLines(branch, ref), ...sharedBranchLines(branch)];
}

function ruleLines({ refusesCommits, refusingRules, dismissedApprovals }: HeadBranch, ref: string): readonly string[] {
  if (refusesCommits)
    return [
      `The rules of ${ref} refused a commit, so Countersign only offers suggestions from now on. ${APPLY_BY_HAND_TEXT}`,
    ];
  const rules = formatList(refusingRules.map(codeSpan));
  return [
    ...(refusingRules.length === 0
      ? []
      : [
          `The rules of ${ref} might refuse commits by Countersign: ${rules}. After a refusal, it only offers suggestions.`,
        ]),
    ...(dismissedApprovals === 0
      ? []
      : [`A commit dismisses the ${pluralize(dismissedApprovals, 'approval')} of this pull request.`]),
  ];
}

function sharedBranchLines({ otherPulls }: HeadBranch): readonly string[] {
  if (otherPulls.length === 0) return [];
  const [uses, them] = otherPulls.length === 1 ? ['uses', 'it'] : ['use', 'them'];
  return [
    `${pluralize(otherPulls.length, 'other open pull request')} ${uses} the same branch: ${formatPullNumbers(otherPulls)}. A commit here changes ${them} too.`,
  ];
}

/** The warnings of each proposal's comment about the branch. */
function branchWarnings({ isFork, refusesCommits, dismissedApprovals, otherPulls }: HeadBranch): readonly string[] {
  if (isFork) return ['This branch is in a fork: /approve cannot write to it. Apply the change yourself.'];
  if (refusesCommits) return ['The rules of this branch refuse commits by Countersign. Apply the change yourself.'];
  return [
    ...(dismissedApprovals === 0
      ? []
      : [`Applying this dismisses ${pluralize(dismissedApprovals, 'approval')} of this pull request.`]),
    ...(otherPulls.length === 0
      ? []
      : [
          `Also changes ${formatPullNumbers(otherPulls)}, which ${otherPulls.length === 1 ? 'uses' : 'use'} the same branch.`,
        ]),
  ];
}

const MAX_PULLS_NAMED = 5;

function formatPullNumbers(pulls: readonly number[]): string {
  const shown = pulls.slice(0, MAX_PULLS_NAMED).map((number) => `#${number}`);
  const remaining = pulls.length - shown.length;
  return formatList(remaining === 0 ? shown : [...shown, `${remaining} more`]);
}

type SpendingRun = Pick<Run, 'turns' | 'spending' | 'settings'>;

/**
 * One short line for the run comment: `12 responses · 240k of 1,000,000 tokens · $0.42 of $2.00 · 3 of 30 min`. An
 * amount with a limit counts from its last renewal, and is also given in all.
 */
export function spendingLine(run: SpendingRun): string {
  const { turns, spending } = run;
  const { limits } = run.settings;
  const total = totalTokens(spending.usage);
  const renewed = renewedTokens(spending);
  const inAll = (amount: string): string => (renewed < total ? `, ${amount} in all` : '');
  const since = renewed < total ? ' since it was continued' : '';
  return [
    pluralize(turns, 'response'),
    `${shortNumber(renewed)} of ${formatNumber(limits.tokens)} tokens${since}${inAll(shortNumber(total))}`,
    ...costParts(run, inAll),
    ...minuteParts(run, inAll),
  ].join(' · ');
}

function costParts(run: SpendingRun, inAll: (amount: string) => string): readonly string[] {
  const { costUsd } = run.spending;
  const limit = run.settings.limits.costUsd;
  if (costUsd === null) return limit === null ? [] : [`unknown cost of ${formatDollars(limit)}`];
  const total = formatDollars(costUsd);
  if (limit === null) return [total];
  return [`${formatDollars(renewedCost(run.spending) ?? costUsd)} of ${formatDollars(limit)}${inAll(total)}`];
}

function minuteParts({ spending, settings }: SpendingRun, inAll: (amount: string) => string): readonly string[] {
  const { workMs, renewedAt } = spending;
  const minutes = (ms: number): string => formatNumber(Math.floor(ms / MS_PER_MINUTE));
  const limit = settings.limits.minutes;
  if (limit === null) return workMs < MS_PER_MINUTE ? [] : [`${minutes(workMs)} min`];
  return [`${minutes(workMs - renewedAt.workMs)} of ${formatNumber(limit)} min${inAll(minutes(workMs))}`];
}

const MS_PER_MINUTE = 60_000;

/** `940`, `12k`, `1,240k`. */
function shortNumber(amount: number): string {
  return amount < 1_000 ? String(amount) : `${formatNumber(Math.round(amount / 1_000))}k`;
}

function formatDollars(dollars: number): string {
  const [whole = '0', cents = '00'] = dollars.toFixed(2).split('.');
  return dollars > 0 && dollars < 0.01 ? 'less than $0.01' : `$${formatNumber(Number(whole))}.${cents}`;
}

const UNPRICED_TEXT =
  ' Its cost is unknown, because the operator gives no price of its model; with a limit of cost it cannot go on.';

/** Everything that a run has spent until `now` (ISO 8601), as a sentence of plain text. */
export function spentText({ turns, spending, settings }: SpendingRun, now: string): string {
  const { usage } = spending;
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const { workMs } = countWork(spending, false, now);
  const cost = spending.costUsd;
  const parts = `${formatNumber(inputTokens)} read, of which ${formatNumber(cachedInputTokens)} from the cache, and ${formatNumber(outputTokens)} written`;
  const spent = [
    pluralize(turns, 'response'),
    `${pluralize(totalTokens(usage), 'token')} (${parts})`,
    ...(cost === null ? [] : [formatDollars(cost)]),
    `${pluralize(Math.floor(workMs / MS_PER_MINUTE), 'minute')} of work`,
  ];
  const isUnpriced = settings.limits.costUsd !== null && cost === null;
  return `It has spent ${formatList(spent)}.${isUnpriced ? UNPRICED_TEXT : ''}`;
}
