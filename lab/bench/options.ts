import { parseArgs } from 'node:util';
import { type OptionsResult, optionsProblem, parseOptions } from '../../src/cli/options.ts';
import { POSITIVE_INTEGER } from '../shared/positive-integer.ts';

const DEFAULT_ROUNDS = '5';

const OPTIONS = { help: { type: 'boolean', short: 'h', default: false } } as const;

/** `server` is the URL of a PostgreSQL server; null measures on PGlite only. */
export type AppBenchOptions = { readonly rounds: number; readonly server: string | null };

export const BENCH_HELP = `Usage: npm run bench [-- [rounds]]

Measures the product's computations in this process: reading comments and webhooks.
Each row has its median, the middle half of its samples, and its ratio to a yardstick (SHA-256).

  rounds  samples of each row (${DEFAULT_ROUNDS}); one more round warms up and is discarded
  --help  this text

Exit codes: 0 after the table, 2 if the options are wrong.
`;

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

/** Parses the arguments of `npm run bench` and `bench:app`. Never throws. */
export function readBenchOptions(
  command: 'bench' | 'bench:app',
  argv: readonly string[],
): OptionsResult<AppBenchOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: true });
  return parseOptions(`npm run ${command} --`, parse, ({ positionals }) => {
    const [server = null, otherServer] = command === 'bench' ? [] : positionals.filter(isServerUrl);
    const [rounds = DEFAULT_ROUNDS, other] = positionals.filter((word) => word !== server);
    if (otherServer !== undefined || other !== undefined || !POSITIVE_INTEGER.test(rounds))
      return optionsProblem('Use a positive whole number of rounds.');
    return { kind: 'options', options: { rounds: Number(rounds), server } };
  });
}

function isServerUrl(word: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(word);
}
