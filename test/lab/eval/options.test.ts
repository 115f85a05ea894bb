import { describe, expect, it } from 'vitest';
import { readEvalOptions } from '../../../lab/eval/options.ts';

describe('the options of npm run eval', () => {
  it('have defaults: the script, all tasks, no prices', () => {
    expect(readEvalOptions([])).toEqual({
      kind: 'options',
      options: { model: null, tasks: '*', list: false, jobs: 2, seconds: 900, prices: null, json: null },
    });
  });

  it('take a model with its prices', () => {
    expect(readEvalOptions(['--model', 'm', '--prices', '2.5, 0.25,10', '--jobs', '8'])).toMatchObject({
      kind: 'options',
      options: { model: 'm', prices: { input: 2.5, cachedInput: 0.25, output: 10 }, jobs: 8 },
    });
  });

  it.each([
    [['--jobs', '0'], '--jobs must be a positive whole number.'],
    [['--seconds', '1.5'], '--seconds must be a positive whole number.'],
    [['--prices', '1,2'], '--prices must be three numbers'],
    [['--prices', '1,2,x'], '--prices must be three numbers'],
    [['--model', ''], '--model needs a value.'],
    [['--modell', 'x'], "Unknown option '--modell'"],
  ])('refuse %j', (argv, problem) => {
    const result = readEvalOptions(argv);
    expect(result).toMatchObject({ kind: 'problem', problem: expect.stringContaining(problem) });
    expect(result).toMatchObject({ problem: expect.stringContaining('See npm run eval -- --help.') });
  });
});
