import { formatList, formatNumber, pluralize } from '../../lib/format.ts';
import type { Run } from '../state/run.ts';
import { costOf, countWork, renewedTokens, totalTokens } from '../state/spending.ts';

type Spender = Pick<Run, 'turns' | 'usage' | 'spending'>;

/** One short line for the run comment: `12 responses · 240k of 1,000,000 tokens · $0.42 · 3 min`. */
export function spendingLine({ turns, usage, spending }: Spender): string {
  const renewed = renewedTokens({ usage, spending });
  const total = totalTokens(usage);
  const isRenewed = totalTokens(renewed) < total;
  const about = spending.isEstimated ? 'about ' : '';
  const tokens = `${about}${shortNumber(totalTokens(renewed))} of ${formatNumber(spending.limits.tokens)} tokens`;
  const cost = costOf(usage, spending.price);
  const minutes = Math.floor(spending.workMs / MS_PER_MINUTE);
  return [
    pluralize(turns, 'response'),
    isRenewed ? `${tokens} since it was continued, ${shortNumber(total)} in all` : tokens,
    ...(cost === null ? [] : [`${about}${formatDollars(cost)}`]),
    ...(minutes === 0 ? [] : [`${formatNumber(minutes)} min`]),
  ].join(' · ');
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

/** Everything that a run has spent until `now` (ISO 8601), as a sentence of plain text. */
export function spentText({ turns, usage, spending }: Spender, now: string): string {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const { workMs } = countWork(spending, false, now);
  const cost = costOf(usage, spending.price);
  const parts = `${formatNumber(inputTokens)} read, of which ${formatNumber(cachedInputTokens)} from the cache, and ${formatNumber(outputTokens)} written`;
  const spent = [
    pluralize(turns, 'response'),
    `${spending.isEstimated ? 'about ' : ''}${pluralize(totalTokens(usage), 'token')} (${parts})`,
    ...(cost === null ? [] : [formatDollars(cost)]),
    `${pluralize(Math.floor(workMs / MS_PER_MINUTE), 'minute')} of work`,
  ];
  return `It has spent ${formatList(spent)}.`;
}
