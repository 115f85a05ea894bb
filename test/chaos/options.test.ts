import { describe, expect, it } from 'vitest';
import { readOptions } from '../../src/chaos/options.ts';

describe('npm run chaos', () => {
  it('is a minute of one process, or of three where a server is named', () => {
    const options = { seconds: 60, pulls: 6, seed: 1 };
    expect(readOptions([])).toEqual({ kind: 'options', options: { ...options, replicas: 1, database: null } });
    const database = 'postgres://127.0.0.1/postgres';
    expect(readOptions(['--database', database])).toEqual({
      kind: 'options',
      options: { ...options, replicas: 3, database },
    });
  });

  it.each([
    [['--seconds', 'long'], '--seconds needs a number from 1 on.'],
    [['--replicas', '2'], 'Only one process can have an embedded database; --replicas needs --database.'],
  ])('says what is wrong with %j', (argv, problem) => {
    expect(readOptions(argv)).toEqual({ kind: 'problem', problem: `${problem} See npm run chaos -- --help.` });
  });
});
