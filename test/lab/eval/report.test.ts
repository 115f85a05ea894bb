import { describe, expect, it } from 'vitest';
import type { TaskResult } from '../../../lab/eval/play.ts';
import { costOf, createReport, reportLines } from '../../../lab/eval/report.ts';

const TOKENS = { inputTokens: 10_000, cachedInputTokens: 4_000, outputTokens: 500 };

const SOLVED: TaskResult = {
  ...{ task: 'rename', problems: [], ended: 'finished', endNote: null, rounds: 1, proposals: 5, denied: 0 },
  ...{ responses: 3, tokens: TOKENS, seconds: 2.25, violations: [] },
};

const UNSOLVED: TaskResult = {
  ...{ ...SOLVED, task: 'crlf', problems: ['a.txt should not have changed', 'tests fail: it'] },
  ...{ proposals: 2, denied: 1 },
};

const RUN = { model: 'm', startedAt: '2026-01-02T03:04:05.000Z', seconds: 4.5 };

const PRICES = { input: 2, cachedInput: 0.5, output: 10 };

describe('the report', () => {
  it('counts cached input at its own price, and an unknown price is no price of 0', () => {
    expect(costOf(TOKENS, PRICES)).toBeCloseTo(0.012 + 0.002 + 0.005, 10);
    expect(costOf(TOKENS, null)).toBeNull();
  });

  it('sums all tasks', () => {
    const { totals } = createReport([SOLVED, UNSOLVED], { ...RUN, prices: PRICES });
    expect(totals).toMatchObject({ tasks: 2, solved: 1, rounds: 2, proposals: 7, denied: 1, responses: 6 });
    expect(totals.tokens).toEqual({ inputTokens: 20_000, cachedInputTokens: 8_000, outputTokens: 1_000 });
    expect(totals.costUsd).toBeCloseTo(0.038, 10);
  });

  it('is a table, with the reasons below (S174)', () => {
    expect(reportLines(createReport([SOLVED, UNSOLVED], { ...RUN, prices: null }))).toEqual([
      'Model: m',
      '',
      'task    solved  rounds  proposals  denied  responses  input  cached  output  cost    s',
      'rename  yes          1          5       0          3  10000    4000     500  none  2.3',
      'crlf    no           1          2       1          3  10000    4000     500  none  2.3',
      'all     1 of 2       2          7       1          6  20000    8000    1000  none  4.5',
      '',
      'Not solved:',
      '- crlf: a.txt should not have changed',
      '- crlf: tests fail: it',
    ]);
  });
});
