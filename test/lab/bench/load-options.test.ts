import { describe, expect, it } from 'vitest';
import { readLoadOptions } from '../../../lab/bench/load-setup.ts';

const NAMES = { all: ['kill', 'takeover'], onServer: ['takeover'] };

const URL = 'postgres://postgres@127.0.0.1/postgres';

describe('what npm run bench:load is asked for', () => {
  it.each([
    [[], { server: null, only: null, brief: false }],
    [['kill', '--brief'], { server: null, only: 'kill', brief: true }],
    [[URL, 'takeover'], { server: URL, only: 'takeover', brief: false }],
  ])('%j', (argv, options) => {
    expect(readLoadOptions(argv, NAMES)).toEqual({ kind: 'options', options });
  });

  it.each([
    [['kil'], 'There is no load kil; there are kill, takeover.'],
    [['takeover'], 'takeover needs the URL of a PostgreSQL server.'],
    [['kill', 'takeover'], 'One URL and one name are all it takes.'],
    [['--breif'], "Unknown option '--breif'."],
  ])('is refused rather than measured as nothing: %j', (argv, problem) => {
    expect(readLoadOptions(argv, NAMES)).toEqual({
      kind: 'problem',
      problem: `${problem} See npm run bench:load -- --help.`,
    });
  });
});
