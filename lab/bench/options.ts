import { defineCommand, OptionsError } from '../../src/cli/options.ts';
import { readNumber } from '../shared/positive-integer.ts';

const DEFAULT_ROUNDS = '5';

/** `server` is the URL of a PostgreSQL server; null measures on PGlite only. */
export type BenchOptions = { readonly rounds: number; readonly server: string | null };

/** The arguments of `npm run bench`. */
export const BENCH_COMMAND = defineCommand({
  name: 'npm run bench',
  help: `Usage: npm run bench [-- [rounds] [PostgreSQL URL]]

Starts the App as a separate process, in front of a GitHub and a model that respond at once, and measures the time from
a task to the posted review, and from /approve to the commit.

  rounds          samples of each latency (${DEFAULT_ROUNDS})
  PostgreSQL URL  also measures on this server, in a database that is created and dropped
  --help          this text

Each row names its goal, but no exit code depends on it.
Exit codes: 0 after all measurements, 2 if the options are wrong.
`,
  options: {},
  takesArguments: true,
  read(_values, words): BenchOptions {
    const [server = null] = words.filter((word) => /^postgres(?:ql)?:\/\//.test(word));
    const [rounds = DEFAULT_ROUNDS, other] = words.filter((word) => word !== server);
    if (other !== undefined) throw new OptionsError('Give one number of rounds, and one PostgreSQL URL.');
    return { rounds: readNumber('rounds', rounds), server };
  },
});
