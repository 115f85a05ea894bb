import { describe, expect, it } from 'vitest';
import { readSimulationOptions } from '../../../lab/simulation/options.ts';

describe('npm run simulate', () => {
  it('plays a thousand cases in memory by default', () => {
    expect(readSimulationOptions(['--threads', '2'])).toEqual({
      kind: 'options',
      options: { cases: 1000, seed: 1, threads: 2, mode: 'memory', checkpoint: null },
    });
    expect(readSimulationOptions(['--mutants', '--cases', '7', '--threads', '1'])).toMatchObject({
      options: { cases: 7, mode: 'mutants' },
    });
  });

  it.each([
    [['--cases', '1e3'], '--cases must be a positive whole number.'],
    [['--trace', '--mutants'], '--trace and --mutants cannot be combined.'],
    [['--trace', '--checkpoint', 'x'], '--trace and --checkpoint cannot be combined.'],
    [['--sead', '4'], "Unknown option '--sead'."],
  ])('says what is wrong with %j', (argv, problem) => {
    expect(readSimulationOptions(argv)).toEqual({
      kind: 'problem',
      problem: `${problem} See npm run simulate -- --help.`,
    });
  });
});
