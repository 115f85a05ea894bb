import { defineCommand, OptionsError } from '../../src/cli/options.ts';
import { readNumber } from '../shared/positive-integer.ts';

export type ChaosOptions = {
  /** Duration of the people's activity and the faults. Completing their work takes additional time. */
  readonly seconds: number;
  readonly pulls: number;
  /** Number of processes of the App; 1 for an embedded database. */
  readonly replicas: number;
  readonly seed: number;
  /** The URL of a PostgreSQL server on which a database is created; null for an embedded one. */
  readonly server: string | null;
};

export const CHAOS_COMMAND = defineCommand({
  name: 'npm run chaos',
  help: `Usage: npm run chaos -- [--seconds N] [--pulls N] [--seed N] [--database URL] [--replicas N]

Runs real processes of the App in front of a fake GitHub while people give tasks and decide, and kills them at
random moments. Then it checks that no work was lost or duplicated.

  --seconds N     duration of the faults (60); completing the work takes additional time
  --pulls N       number of pull requests (6)
  --seed N        determines the actions of people and the faults (1), but not their exact timing
  --database URL  a PostgreSQL server, on which a database is created and dropped; default is one process on an
                  embedded database
  --replicas N    number of processes on a PostgreSQL server (3)
  --help          this text

Exit codes: 0 if no work was lost or duplicated, 1 if any was, 2 if the run could not start.
`,
  options: {
    ...{ seconds: { type: 'string', default: '60' }, pulls: { type: 'string', default: '6' } },
    ...{ seed: { type: 'string', default: '1' }, replicas: { type: 'string' }, database: { type: 'string' } },
  },
  read({ database, replicas = database === undefined ? '1' : '3', ...values }): ChaosOptions {
    if (database === undefined && replicas !== '1')
      throw new OptionsError('Only one process can use an embedded database; --replicas needs --database.');
    return {
      seconds: readNumber('seconds', values.seconds),
      pulls: readNumber('pulls', values.pulls),
      seed: readNumber('seed', values.seed),
      replicas: readNumber('replicas', replicas),
      server: database ?? null,
    };
  },
});
