import { parseArgs } from 'node:util';
import { type OptionsResult, optionsProblem, parseOptions } from '../../src/cli/options.ts';
import { POSITIVE_INTEGER } from '../shared/positive-integer.ts';

const DEFAULT_ROUNDS = '5';

const HELP_OPTION = { help: { type: 'boolean', short: 'h', default: false } } as const;

type BenchOptions = { readonly rounds: number };

export const BENCH_HELP = `Usage: npm run bench [-- [rounds]]

Measures the product's computations in this process: reading comments and webhooks, changes to large files, comments
for them, the worst known tool calls, and pushes and commits with the largest changes.
Each row has its median, the middle half of its samples, and its ratio to a yardstick (SHA-256).

  rounds  samples of each row (${DEFAULT_ROUNDS}); one more round warms up and is discarded
  --help  this text

Takes about half a minute for each round, so about three minutes by default. The table appears at the end.
A row's name or unit can contain a goal, but no exit code depends on it.
Exit codes: 0 after the table, 2 if the options are wrong.
`;

/** Parses the arguments of `npm run bench`. Never throws. */
export function readBenchOptions(argv: readonly string[]): OptionsResult<BenchOptions> {
  const parse = () => parseArgs({ args: [...argv], options: HELP_OPTION, strict: true, allowPositionals: true });
  return parseOptions('npm run bench --', parse, ({ positionals: [rounds = DEFAULT_ROUNDS, other] }) => {
    if (other !== undefined) return optionsProblem('Use at most one number of rounds.');
    if (!POSITIVE_INTEGER.test(rounds)) return invalidRounds(rounds);
    return { kind: 'options', options: { rounds: Number(rounds) } };
  });
}

export type AppBenchOptions = BenchOptions & {
  /** URL of a PostgreSQL server; null measures on PGlite only. */
  readonly server: string | null;
};

export const APP_BENCH_HELP = `Usage: npm run bench:app [-- [rounds] [PostgreSQL URL]]

Starts the App as a separate process, in front of a GitHub and a model that respond at once, and measures
  - the time from a task to the posted review, and from /approve to the commit,
  - the time of a chain of hops: from a signal, through the database, to the next one,
  - the acknowledged deliveries per second, compared with a Probot server whose handler does nothing.

  rounds          samples of each latency (${DEFAULT_ROUNDS}), four times as many of the chain
  PostgreSQL URL  also measures on this server, in a database that is created and dropped
  --help          this text

Takes about a minute, and about half a minute more with a PostgreSQL server. It needs Linux.
Each row names its goal, but no exit code depends on it.
Exit codes: 0 after all measurements, 2 if the options are wrong.
`;

/** Parses the arguments of `npm run bench:app`. Never throws. */
export function readAppBenchOptions(argv: readonly string[]): OptionsResult<AppBenchOptions> {
  const parse = () => parseArgs({ args: [...argv], options: HELP_OPTION, strict: true, allowPositionals: true });
  return parseOptions('npm run bench:app --', parse, ({ positionals }) => {
    const servers = positionals.filter(isServerUrl);
    const [server = null, otherServer] = servers;
    const [rounds = DEFAULT_ROUNDS, other] = positionals.filter((word) => !servers.includes(word));
    if (otherServer !== undefined || other !== undefined)
      return optionsProblem('Use at most one number of rounds and one URL.');
    if (!POSITIVE_INTEGER.test(rounds)) return invalidRounds(rounds);
    return { kind: 'options', options: { rounds: Number(rounds), server } };
  });
}

/** True for the URL of a PostgreSQL server. */
export function isServerUrl(word: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(word);
}

function invalidRounds(rounds: string) {
  return optionsProblem(`Invalid number of rounds "${rounds}". Use a positive whole number.`);
}
