import { parseArgs } from 'node:util';
import { type OptionsResult, optionsProblem, parseOptions as read } from '../../src/cli/options.ts';

export type ChaosOptions = {
  /** How long people and misfortune go on; what they began is then brought to its end. */
  readonly seconds: number;
  readonly pulls: number;
  /** Processes of the App at once; one where the database is embedded. */
  readonly replicas: number;
  readonly seed: number;
  readonly database: ChaosDatabaseChoice;
};

/** Where the processes store what they know. */
export type ChaosDatabaseChoice =
  | { readonly kind: 'embedded' }
  /** On a PostgreSQL server on which a database may be made. */
  | { readonly kind: 'server'; readonly url: string }
  /** On a PostgreSQL server of the run's own, which is killed too. */
  | { readonly kind: 'killed-server' };

export const CHAOS_HELP = `Usage: npm run chaos -- [--seconds N] [--pulls N] [--seed N]
                        [--database URL | --kill-server] [--replicas N]

Runs real processes of the App in front of a simulated GitHub while people give tasks and decide, and kills them
at random moments; then looks for what was lost and what was done twice.

  --seconds N     how long (60); what was begun is brought to its end afterwards
  --pulls N       pull requests at once (6)
  --seed N        settles what people do and what breaks (1); when exactly, the machine decides
  --database URL  a PostgreSQL server on which a database is made and dropped; default is one process on an
                  embedded database
  --kill-server   starts a PostgreSQL server of its own in a temporary directory, with this machine's programs, and kills
                  that too: all of it at once, or after it hung, or one of its processes
  --replicas N    processes on either server (3)
  --help          this text

Ends with 0 where nothing was lost and nothing happened twice, 1 where anything was, 2 where it could not begin.
`;

const OPTIONS = {
  seconds: { type: 'string', default: '60' },
  pulls: { type: 'string', default: '6' },
  seed: { type: 'string', default: '1' },
  replicas: { type: 'string' },
  database: { type: 'string' },
  'kill-server': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const POSITIVE_INTEGER = /^[1-9]\d{0,8}$/;

/** Reads what stands behind `npm run chaos --`. Never throws. */
export function readChaosOptions(argv: readonly string[]): OptionsResult<ChaosOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  return read('npm run chaos --', parse, ({ values }) => {
    const { seconds, pulls, seed, database: url } = values;
    if (url !== undefined && values['kill-server'])
      return optionsProblem('--kill-server starts a server: --database is another.');
    const database = chooseDatabase(url, values['kill-server']);
    const appProcesses = values.replicas ?? (database.kind === 'embedded' ? '1' : '3');
    const wrong = Object.entries({ seconds, pulls, seed, replicas: appProcesses }).find(
      ([, value]) => !POSITIVE_INTEGER.test(value),
    );
    if (wrong !== undefined) return optionsProblem(`--${wrong[0]} needs a number from 1 on.`);
    if (database.kind === 'embedded' && appProcesses !== '1')
      return optionsProblem(
        'Only one process can have an embedded database; --replicas needs --database or --kill-server.',
      );
    const numbers = {
      seconds: Number(seconds),
      pulls: Number(pulls),
      seed: Number(seed),
      replicas: Number(appProcesses),
    };
    return { kind: 'options', options: { ...numbers, database } };
  });
}

function chooseDatabase(url: string | undefined, killed: boolean): ChaosDatabaseChoice {
  if (killed) return { kind: 'killed-server' };
  return url === undefined ? { kind: 'embedded' } : { kind: 'server', url };
}
