import { describe, expect, it } from 'vitest';
import { readOptions } from '../../src/simulation/options.ts';

describe('npm run simulate', () => {
  it('plays a thousand cases in memory unless told otherwise', () => {
    expect(readOptions(['--threads', '2'])).toEqual({
      kind: 'options',
      options: { cases: 1000, seed: 1, threads: 2, way: 'memory' },
    });
    expect(readOptions(['--mutants', '--cases', '7', '--threads', '1'])).toMatchObject({
      options: { cases: 7, way: 'mutants' },
    });
  });

  it.each([
    [['--cases', '1e3'], '--cases needs a number from 1 on.'],
    [['--trace', '--mutants'], '--trace and --mutants do not go together.'],
    [['--sead', '4'], "Unknown option '--sead'."],
  ])('says what is wrong with %j', (argv, problem) => {
    expect(readOptions(argv)).toEqual({ kind: 'problem', problem: `${problem} See npm run simulate -- --help.` });
  });
});
