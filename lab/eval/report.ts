import type { TokenUsage } from '../../src/core/state/conversation.ts';
import { addTokens, costOf, type ModelPrice } from '../../src/core/state/spending.ts';
import { alignRows } from '../shared/table.ts';
import type { TaskResult } from './play.ts';

/** The report of all tasks as `--json` writes it. Costs are in dollars; null if prices are unknown. */
export type Report = {
  /** `scripted` for the script. */
  readonly model: string;
  readonly startedAt: string;
  readonly seconds: number;
  readonly prices: ModelPrice | null;
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

const NO_TOKENS: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

function totalsOf(tasks: readonly ReportedTask[], prices: ModelPrice | null): Totals {
  const sum = (count: (task: ReportedTask) => number): number => tasks.reduce((total, task) => total + count(task), 0);
  const tokens = tasks.reduce((total, task) => addTokens(total, task.tokens), NO_TOKENS);
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
    ...alignRows(rows, 2),
    ...(unsolved.length === 0 ? [] : ['', 'Not solved:']),
    ...unsolved.flatMap(({ task, problems }) => problems.map((problem) => `- ${task}: ${problem}`)),
  ];
}

const HEADINGS = [
  ...['task', 'solved', 'rounds', 'proposals', 'denied', 'responses', 'input', 'cached', 'output', 'cost', 's'],
];

function figureCells(row: Pick<Totals, 'rounds' | 'proposals' | 'denied' | 'responses' | 'tokens' | 'costUsd'>) {
  const { rounds, proposals, denied, responses, tokens, costUsd } = row;
  const { inputTokens, cachedInputTokens, outputTokens } = tokens;
  const figures = [rounds, proposals, denied, responses, inputTokens, cachedInputTokens, outputTokens];
  return [...figures.map(String), costUsd === null ? 'none' : `$${costUsd.toFixed(4)}`];
}
