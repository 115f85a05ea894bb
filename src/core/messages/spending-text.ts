import { formatList, formatNumber, pluralize } from '../../lib/format.ts';
import type { Run } from '../state/run.ts';
import { countWork, renewedCost, renewedTokens, totalTokens } from '../state/spending.ts';

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
