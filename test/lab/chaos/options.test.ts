import { describe, expect, it } from 'vitest';
import { readChaosOptions } from '../../../lab/chaos/options.ts';

describe('the options of npm run chaos', () => {
  it('default to one minute with one process, or three processes on a PostgreSQL server', () => {
    const options = { seconds: 60, pulls: 6, seed: 1, checkpoint: null };
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
    [['--seconds', 'long'], '--seconds must be a positive whole number.'],
    [
      ['--replicas', '2'],
      'Only one process can use an embedded database; --replicas needs --database or --kill-server.',
    ],
    [['--kill-server', '--database', 'postgres://127.0.0.1'], 'Use only one of --database and --kill-server.'],
  ])('are refused: %j', (argv, problem) => {
    expect(readChaosOptions(argv)).toEqual({ kind: 'problem', problem: `${problem} See npm run chaos -- --help.` });
  });
});
