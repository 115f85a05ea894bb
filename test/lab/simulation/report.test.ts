import { describe, expect, it } from 'vitest';
import { progressLine, reportLines } from '../../../lab/simulation/report.ts';
import { NO_CASES, sumTotals } from '../../../lab/simulation/simulate.ts';

const played = { ...NO_CASES, cases: 30, commits: 4, reasons: { approved: 2 } };

const broken = (seed: number) => ({ ...NO_CASES, cases: 1, failures: [{ seed, problems: ['V2: twice'] }] });

describe('the messages of the simulation', () => {
  it('reports the progress', () => {
    expect(progressLine(sumTotals([played, broken(7)]), 100, 7.75)).toBe('31 of 100 cases, 7.8 per second, 1 broken');
  });

  it('ends with every broken case, in the order of their seeds, and how to play it again', () => {
    const lines = reportLines(sumTotals([broken(12), played, broken(7)]), 2);
    expect(lines).toContain('32 cases, 16 per second; 4 commits');
    expect(lines).toContain('        2  approved');
    expect(lines.slice(-9)).toEqual([
      '',
      'seed 7:',
      '  V2: twice',
      '  npm run simulate -- --seed 7 --cases 1 --trace',
      '',
      'seed 12:',
      '  V2: twice',
      '  npm run simulate -- --seed 12 --cases 1 --trace',
      '2 broken',
    ]);
  });
});
