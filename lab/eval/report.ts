import type { TokenUsage } from '../../src/core/state/conversation.ts';
import type { TaskResult } from './play.ts';

/** Dollars per million tokens. `cachedInput` is for the part of the input that the endpoint had cached. */
export type Prices = { readonly input: number; readonly cachedInput: number; readonly output: number };

/** The report of all tasks as `--json` writes it. Costs are in dollars; null if prices are unknown. */
export type Report = {
  /** `scripted` for the script. */
  readonly model: string;
  readonly startedAt: string;
  readonly seconds: number;
  readonly prices: Prices | null;
  readonly totals: Totals;
  readonly tasks: readonly ReportedTask[];
};

type ReportedTask = TaskResult & { readonly solved: boolean; readonly costUsd: number | null };

type Totals = Pick<TaskResult, 'rounds' | 'proposals' | 'denied' | 'responses' | 'tokens'> & {
  readonly tasks: number;
  readonly solved: number;
  readonly costUsd: number | null;
};

export function createReport(
  results: readonly TaskResult[],
  run: Pick<Report, 'model' | 'startedAt' | 'seconds' | 'prices'>,
): Report {
  const tasks = results.map((result) => ({
    ...result,
    solved: result.problems.length === 0,
    costUsd: costOf(result.tokens, run.prices),
  }));
  return { ...run, totals: totalsOf(tasks, run.prices), tasks };
}

/** Null without prices: an unknown cost is never 0. */
export function costOf(
  { inputTokens, cachedInputTokens, outputTokens }: TokenUsage,
  prices: Prices | null,
): number | null {
  if (prices === null) return null;
  const fresh = inputTokens - cachedInputTokens;
  return (fresh * prices.input + cachedInputTokens * prices.cachedInput + outputTokens * prices.output) / 1_000_000;
}

function totalsOf(tasks: readonly ReportedTask[], prices: Prices | null): Totals {
  const sum = (count: (task: ReportedTask) => number): number => tasks.reduce((total, task) => total + count(task), 0);
  const tokens = {
    inputTokens: sum((task) => task.tokens.inputTokens),
    cachedInputTokens: sum((task) => task.tokens.cachedInputTokens),
    outputTokens: sum((task) => task.tokens.outputTokens),
  };
  return {
    tasks: tasks.length,
    solved: sum(({ solved }) => Number(solved)),
    rounds: sum(({ rounds }) => rounds),
    proposals: sum(({ proposals }) => proposals),
    denied: sum(({ denied }) => denied),
    responses: sum(({ responses }) => responses),
    tokens,
    costUsd: costOf(tokens, prices),
  };
}

/** The report as a table, and below it why tasks are not solved. */
export function reportLines({ model, seconds, tasks, totals }: Report): readonly string[] {
  const rows = [
    HEADINGS,
    ...tasks.map((task) => [task.task, task.solved ? 'yes' : 'no', ...figureCells(task), task.seconds.toFixed(1)]),
    ['all', `${totals.solved} of ${totals.tasks}`, ...figureCells(totals), seconds.toFixed(1)],
  ];
  const unsolved = tasks.filter(({ solved }) => !solved);
  return [
    `Model: ${model}`,
    '',
    ...alignRows(rows),
    ...(unsolved.length === 0 ? [] : ['', 'Not solved:']),
    ...unsolved.flatMap(({ task, problems }) => problems.map((problem) => `- ${task}: ${problem}`)),
  ];
}

const HEADINGS = [
  'task',
  'solved',
  'rounds',
  'proposals',
  'denied',
  'responses',
  'input',
  'cached',
  'output',
  'cost',
  's',
];

function figureCells(row: Pick<Totals, 'rounds' | 'proposals' | 'denied' | 'responses' | 'tokens' | 'costUsd'>) {
  const { rounds, proposals, denied, responses, tokens, costUsd } = row;
  const { inputTokens, cachedInputTokens, outputTokens } = tokens;
  const figures = [rounds, proposals, denied, responses, inputTokens, cachedInputTokens, outputTokens];
  return [...figures.map(String), costUsd === null ? 'none' : `$${costUsd.toFixed(4)}`];
}

/** The first two columns to the left, figures to the right. */
function alignRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
