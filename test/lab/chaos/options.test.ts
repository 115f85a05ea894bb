import { describe, expect, it } from 'vitest';
import { readChaosOptions } from '../../../lab/chaos/options.ts';

describe('npm run chaos', () => {
  it('is a minute of one process, or of three where a server is named', () => {
    const options = { seconds: 60, pulls: 6, seed: 1 };
    expect(readChaosOptions([])).toEqual({
      kind: 'options',
      options: { ...options, replicas: 1, database: { kind: 'embedded' } },
    });
    const url = 'postgres://127.0.0.1/postgres';
    expect(readChaosOptions(['--database', url])).toEqual({
      kind: 'options',
      options: { ...options, replicas: 3, database: { kind: 'server', url } },
    });
    expect(readChaosOptions(['--kill-server', '--replicas', '2'])).toEqual({
      kind: 'options',
      options: { ...options, replicas: 2, database: { kind: 'killed-server' } },
    });
  });

  it.each([
    [['--seconds', 'long'], '--seconds needs a number from 1 on.'],
    [
      ['--replicas', '2'],
      'Only one process can have an embedded database; --replicas needs --database or --kill-server.',
    ],
    [['--kill-server', '--database', 'postgres://127.0.0.1'], '--kill-server starts a server: --database is another.'],
  ])('says what is wrong with %j', (argv, problem) => {
    expect(readChaosOptions(argv)).toEqual({ kind: 'problem', problem: `${problem} See npm run chaos -- --help.` });
  });
});
