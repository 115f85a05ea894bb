/**
 * Runs the simulation, its mutants and the real kills of docs/reliability.md, writes the raw output to a file outside the
 * repository and prints a summary. Nothing is written if a trial fails.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { type OptionsResult, optionsProblem, parseOptions, runCommand } from '../src/cli/options.ts';
import { findPostgresPrograms } from './chaos/postgres-server.ts';
import { POSITIVE_INTEGER } from './shared/positive-integer.ts';

const HELP = `Usage: npm run reliability -- [--cases N] [--pglite-cases N] [--seconds N] [--seed S] [--database URL] [--output FILE]

Runs the simulation, its mutants and the trials with real processes. Writes the raw output to a file and prints a summary.

  --cases N         cases of the simulation in memory (20000; a release takes 1000000)
  --pglite-cases N  cases of the simulation on PGlite (300; a release takes 20000)
  --seconds N       length of each trial with real processes (60)
  --seed S          seed of all trials (1)
  --database URL    a PostgreSQL server; without it that trial is skipped
  --output FILE     file for the raw output (countersign-reliability.md in the system's temporary directory)
  --help            this text

The trial that kills the database starts a server of its own, if this machine has PostgreSQL's programs.
Exit codes: 0 if every promise held, 1 if a trial failed, 2 if the trials could not start.
`;

const OPTIONS = {
  cases: { type: 'string', default: '20000' },
  'pglite-cases': { type: 'string', default: '300' },
  seconds: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' },
  database: { type: 'string' },
  output: { type: 'string', default: join(tmpdir(), 'countersign-reliability.md') },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type ReliabilityOptions = Readonly<Record<'cases' | 'pgliteCases' | 'seconds' | 'seed' | 'output', string>> & {
  /** Null skips that trial. */
  readonly database: string | null;
};

function readReliabilityOptions(args: readonly string[]): OptionsResult<ReliabilityOptions> {
  const parse = () => parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false });
  return parseOptions('npm run reliability --', parse, ({ values }) => {
    const { database = null, help: _help, output, ...numbers } = values;
    const invalid = Object.entries(numbers).find(([, value]) => !POSITIVE_INTEGER.test(value));
    if (invalid !== undefined) return optionsProblem(`--${invalid[0]} must be a positive whole number.`);
    const { 'pglite-cases': pgliteCases, ...others } = numbers;
    return { kind: 'options', options: { ...others, pgliteCases, database, output } };
  });
}

type Trial = {
  readonly title: string;
  readonly description: string;
  /** The arguments after `npm run`. */
  readonly npmArguments: readonly string[];
};

function listTrials({ cases, pgliteCases, seconds, seed, database }: ReliabilityOptions): readonly Trial[] {
  const simulate = ['simulate', '--', '--seed', seed];
  const chaos = ['chaos', '--', '--seed', seed, '--seconds', seconds];
  const trials: readonly (Trial | null)[] = [
    {
      title: 'Simulation in memory',
      description:
        'Random people, orders, duplicates, losses, faults and crashes in virtual time. Every promise is checked after each case.',
      npmArguments: [...simulate, '--cases', cases],
    },
    {
      title: 'Simulation on PGlite',
      description: 'The same cases on the embedded database.',
      npmArguments: [...simulate, '--pglite', '--cases', pgliteCases],
    },
    {
      title: 'Mutants',
      description: 'Known mistakes replace parts of the product, one at a time. The checks must notice each of them.',
      npmArguments: [...simulate, '--mutants', '--cases', '4000'],
    },
    {
      title: 'Real kills, one process on the embedded database',
      description: 'Real processes, real files, real signals.',
      npmArguments: chaos,
    },
    database === null
      ? null
      : {
          title: 'Real kills, three processes on PostgreSQL',
          description: 'The database is unavailable at times. Webhooks reach two processes at once, or none.',
          npmArguments: [...chaos, '--database', database],
        },
    findPostgresPrograms() === null
      ? null
      : {
          title: 'Real kills, with the PostgreSQL server',
          description: 'A PostgreSQL server of its own is killed as well.',
          npmArguments: [...chaos, '--kill-server'],
        },
  ];
  return trials.filter((trial) => trial !== null);
}

/** The output of a trial; a failed trial ends the process. */
function runTrial({ title, npmArguments }: Trial): string {
  process.stderr.write(`${title}: npm run ${npmArguments.join(' ')}\n`);
  const { status, stdout } = spawnSync('npm', ['run', '--silent', ...npmArguments], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1e8,
  });
  if (status === 0) return stdout.trim();
  process.stderr.write(`${stdout}\n${title}: failed with exit code ${status}. No raw output was written.\n`);
  process.exit(1);
}

type TrialResult = { readonly trial: Trial; readonly output: string };

function formatRawOutput(results: readonly TrialResult[], { database }: ReliabilityOptions): string {
  const [cpu] = cpus();
  // The tree names the tried sources, independent of the commit that will hold them.
  const tree = execFileSync('git', ['rev-parse', '--short', 'HEAD^{tree}'], { encoding: 'utf8' }).trim();
  const machine = `${cpus().length} × ${cpu?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}, ${process.platform}`;
  const sections = results.map(({ trial: { title, description, npmArguments }, output }) => {
    const shown = npmArguments.map((word) => (word === database ? 'postgres://…' : word)).join(' ');
    return `## ${title}\n\n${description}\n\n\`npm run ${shown}\`\n\n\`\`\`text\n${output}\n\`\`\`\n`;
  });
  const date = new Date().toISOString().slice(0, 10);
  return `# Reliability, raw output\n\n${date}, tree ${tree}, ${machine}\n\n${sections.join('\n')}`;
}

/** A report ends with its sums. The report of the mutants has two lines for each mutant instead. */
const SUMMARY_LINES = 3;

function formatSummary(results: readonly TrialResult[], output: string): string {
  const trials = results.map(({ trial, output: text }) => {
    const mutants = text.match(/^[a-z-]+ +breaks: /gm)?.length ?? 0;
    const sums = mutants > 0 ? [`${mutants} mutants, all noticed`] : text.split('\n').slice(-SUMMARY_LINES);
    return [trial.title, ...sums.filter((line) => line !== '').map((line) => `  ${line}`)].join('\n');
  });
  return `${trials.join('\n')}\n\nRaw output: ${output}\n`;
}

process.exitCode = await runCommand(
  { name: 'npm run reliability', help: HELP },
  readReliabilityOptions(process.argv.slice(2)),
  (options) => {
    const results = listTrials(options).map((trial) => ({ trial, output: runTrial(trial) }));
    writeFileSync(options.output, formatRawOutput(results, options));
    process.stdout.write(formatSummary(results, options.output));
    return 0;
  },
);
