import { parseArgs } from 'node:util';
import { type OptionsReading, problem, readOptions as read } from '../options/read-options.ts';

export type ChaosOptions = {
  /** How long people and misfortune go on; what they began is then brought to its end. */
  readonly seconds: number;
  readonly pulls: number;
  /** Processes of the App at once; one where the database is embedded. */
  readonly replicas: number;
  readonly seed: number;
  /** A PostgreSQL server on which a database may be made; null for an embedded one. */
  readonly database: string | null;
};

export const CHAOS_HELP = `Usage: npm run chaos -- [--seconds N] [--pulls N] [--seed N] [--database URL [--replicas N]]

Runs real processes of the App in front of a simulated GitHub while people give tasks and decide, and kills them
at random moments; then looks for what was lost and what was done twice.

  --seconds N     how long (60); what was begun is brought to its end afterwards
  --pulls N       pull requests at once (6)
  --seed N        settles what people do and what breaks (1); when exactly, the machine decides
  --database URL  a PostgreSQL server on which a database is made and dropped; default is one process on an
                  embedded database
  --replicas N    processes on that server (3)
  --help          this text

Ends with 0 where nothing was lost and nothing happened twice, 1 where anything was, 2 where it could not begin.
`;

const OPTIONS = {
  seconds: { type: 'string', default: '60' },
  pulls: { type: 'string', default: '6' },
  seed: { type: 'string', default: '1' },
  replicas: { type: 'string' },
  database: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const A_NUMBER = /^[1-9]\d{0,8}$/;

/** Reads what stands behind `npm run chaos --`. Never throws. */
export function readOptions(argv: readonly string[]): OptionsReading<ChaosOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  return read('npm run chaos --', parse, ({ values }) => {
    const { seconds, pulls, seed, database = null } = values;
    const replicas = values.replicas ?? (database === null ? '1' : '3');
    const wrong = Object.entries({ seconds, pulls, seed, replicas }).find(([, value]) => !A_NUMBER.test(value));
    if (wrong !== undefined) return problem(`--${wrong[0]} needs a number from 1 on.`);
    if (database === null && replicas !== '1')
      return problem('Only one process can have an embedded database; --replicas needs --database.');
    const numbers = { seconds: Number(seconds), pulls: Number(pulls), seed: Number(seed), replicas: Number(replicas) };
    return { kind: 'options', options: { ...numbers, database } };
  });
}
