/**
 * Runs what proves that nothing is lost and nothing happens twice, and writes docs/reliability.md from what came of it.
 * Nothing is written where a trial fails.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { findPrograms } from '../src/chaos/server-programs.ts';
import { type OptionsReading, problem, readOptions as read } from '../src/options/read-options.ts';
import { runCommand } from '../src/options/run-command.ts';

const HELP = `Usage: npm run reliability -- [--cases N] [--pglite-cases N] [--seconds N] [--seed S] [--database URL]

Writes docs/reliability.md.

  --cases N         cases of the simulation in memory (20000; a release takes 1000000)
  --pglite-cases N  the same on PGlite (300; a release takes 20000)
  --seconds N       how long processes are killed, on each database (60)
  --seed S          for all of it (1)
  --database URL    a PostgreSQL server; without it, that trial is left out, and the page says so;
                    the trial that kills the server starts one of its own, where this machine has the programs
  --help            this text

Ends with 0 where the page was written, 1 where a trial failed, 2 where it could not begin.
`;

const OPTIONS = {
  cases: { type: 'string', default: '20000' },
  'pglite-cases': { type: 'string', default: '300' },
  seconds: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' },
  database: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** As they are handed on; `database` is null where that trial is left out. */
type Options = Readonly<Record<'cases' | 'pgliteCases' | 'seconds' | 'seed', string>> & {
  readonly database: string | null;
};

/** Without them no server can be started, and that trial is left out, and the page says so. */
const hasPrograms = findPrograms() !== null;

const A_NUMBER = /^[1-9]\d{0,8}$/;

function readOptions(args: readonly string[]): OptionsReading<Options> {
  const parse = () => parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false });
  return read('npm run reliability --', parse, ({ values: { database = null, help: _help, ...numbers } }) => {
    const wrong = Object.entries(numbers).find(([, value]) => !A_NUMBER.test(value));
    if (wrong !== undefined) return problem(`--${wrong[0]} needs a number from 1 on.`);
    const { 'pglite-cases': pgliteCases, ...others } = numbers;
    return { kind: 'options', options: { ...others, pgliteCases, database } };
  });
}

type Trial = { readonly title: string; readonly says: string; readonly words: readonly string[] };

function trials({ cases, pgliteCases, seconds, seed, database }: Options): readonly Trial[] {
  const simulate = ['simulate', '--', '--seed', seed];
  const chaos = ['chaos', '--', '--seed', seed, '--seconds', seconds];
  const onServer = database === null ? [] : [[...chaos, '--database', database]];
  const killed = hasPrograms ? [[...chaos, '--kill-server']] : [];
  return [
    {
      title: 'Simulation in memory',
      says: 'Random people, orders, duplicates, losses, faults and crashes in virtual time; every promise is checked after each case.',
      words: [...simulate, '--cases', cases],
    },
    {
      title: 'Simulation on PGlite',
      says: 'The same on the embedded database.',
      words: [...simulate, '--pglite', '--cases', pgliteCases],
    },
    {
      title: 'Mutants',
      says: 'Known mistakes are put in the product’s place, one after the other: each must be noticed, or the checks are worth nothing.',
      words: [...simulate, '--mutants', '--cases', '1500'],
    },
    {
      title: 'Real kills, one process on the embedded database',
      says: 'Real processes, real files, real signals.',
      words: chaos,
    },
    ...onServer.map((words) => ({
      title: 'Real kills, three processes on PostgreSQL',
      says: 'The database is away now and then, webhooks go to two processes at once or to none.',
      words,
    })),
    ...killed.map((words) => ({
      title: 'Real kills, of the PostgreSQL server too',
      says: 'A server of its own is killed as well: what had been committed without waiting for the disk is gone afterwards.',
      words,
    })),
  ];
}

/** What it printed; a trial that failed ends everything. */
function run({ title, words }: Trial): string {
  process.stderr.write(`${title}: npm run ${words.join(' ')}\n`);
  const { status, stdout } = spawnSync('npm', ['run', '--silent', ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1e8,
  });
  if (status === 0) return stdout.trim();
  process.stderr.write(`${stdout}\n${title}: ended with ${status}; nothing is written.\n`);
  process.exit(1);
}

function section(trial: Trial, { database }: Options): string {
  const { title, says, words } = trial;
  const shown = words.map((word) => (word === database ? 'postgres://…' : word)).join(' ');
  return `## ${title}\n\n${says}\n\n\`npm run ${shown}\`\n\n\`\`\`text\n${run(trial)}\n\`\`\`\n`;
}

function page(options: Options): string {
  const [cpu] = cpus();
  // Its tree names what was tried, whatever commit comes to hold it.
  const tree = execFileSync('git', ['rev-parse', '--short', 'HEAD:src'], { encoding: 'utf8' }).trim();
  const machine = `${cpus().length} × ${cpu?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}, ${process.platform}`;
  const left = [
    ...(options.database === null ? ['\nReal kills on PostgreSQL were not run for this page.\n'] : []),
    ...(hasPrograms
      ? []
      : ['\nThis machine has no programs of PostgreSQL: its server was not killed for this page.\n']),
  ].join('');
  return `# Reliability

Written by \`npm run reliability\` for the tree ${tree} of \`src\`, on ${machine}. Every number below is the output of the command above it.
${left}
What must always hold:

| promise | |
|---|---|
| V1 | every commit of the App is what was approved, byte for byte, on the head that was checked |
| V2 | at most one commit for each proposal |
| V3 | no commit without a decision of somebody who may decide |
| V4 | no attempt to commit begins after a stored denial |
| V5 | every decision that was accepted ends in an answer that people can see |
| V6 | the App's comments hold no active Markdown of others |
| V7 | the exported ledger explains every commit of the App |

${trials(options)
  .map((trial) => section(trial, options))
  .join('\n')}`;
}

process.exitCode = await runCommand(
  { name: 'npm run reliability', help: HELP },
  readOptions(process.argv.slice(2)),
  (options) => {
    writeFileSync(new URL('../docs/reliability.md', import.meta.url), page(options));
    return 0;
  },
);
