import { describe, expect, it } from 'vitest';
import { readLoadOptions } from '../../../lab/bench/load-setup.ts';

const NAMES = { all: ['kill', 'takeover'], onServer: ['takeover'] };

const URL = 'postgres://postgres@127.0.0.1/postgres';

describe('the options of npm run bench:load', () => {
  it.each([
    [[], { server: null, only: null, brief: false }],
    [['kill', '--brief'], { server: null, only: 'kill', brief: true }],
    [[URL, 'takeover'], { server: URL, only: 'takeover', brief: false }],
  ])('are read: %j', (argv, options) => {
    expect(readLoadOptions(argv, NAMES)).toEqual({ kind: 'options', options });
  });

  it.each([
    [['kil'], 'Unknown benchmark "kil". Use one of kill, takeover.'],
    [['takeover'], 'takeover needs the URL of a PostgreSQL server.'],
    [['kill', 'takeover'], 'Use at most one URL and one name.'],
    [['--breif'], "Unknown option '--breif'."],
  ])('are refused: %j', (argv, problem) => {
    expect(readLoadOptions(argv, NAMES)).toEqual({
      kind: 'problem',
      problem: `${problem} See npm run bench:load -- --help.`,
    });
  });
});
