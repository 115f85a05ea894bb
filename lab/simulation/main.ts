import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { reportProblem, runCommand } from '../../src/cli/options.ts';
import { CheckpointError, sourcesIdentity } from '../shared/checkpoint.ts';
import { createThreadRunner, type JobResult, type JobRunner, parallelMap } from '../shared/parallel-map.ts';
import { openSimulationCheckpoint } from './checkpoint.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { readSimulationOptions, SIMULATION_HELP, type SimulationOptions } from './options.ts';
import { playParts } from './play-parts.ts';
import { describeCase, failureLines, progressLine, reportLines } from './report.ts';
import {
  type CaseJob,
  type HuntFinding,
  type HuntJob,
  NO_CASES,
  runCase,
  type SimulationTotals,
  sumTotals,
} from './simulate.ts';

const JOB_THREAD = new URL('./job-thread.ts', import.meta.url);

const PROGRESS_INTERVAL_MS = 10_000;

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** Writes to standard error, so that standard output has only the report. */
const printProgress = (line: string): void => void process.stderr.write(`${line}\n`);

/** Cases between two checkpoints: about half a minute. */
const CHECKPOINT_CASES = 2_000;

function* seedsOf({ seed: first, cases }: SimulationOptions): Generator<number> {
  for (let seed = first; seed < first + cases; seed += 1) yield seed;
}

/** A case that crashed its thread counts as a failed case. */
function totalsOfJob(seed: number, result: JobResult<SimulationTotals>): SimulationTotals {
  if (result.kind === 'done') return result.value;
  return { ...NO_CASES, cases: 1, failures: [{ seed, problems: [`its thread crashed: ${String(result.error)}`] }] };
}

async function playAndReport(options: SimulationOptions): Promise<boolean> {
  const { checkpoint: file } = options;
  const checkpoint = file === null ? null : openSimulationCheckpoint(file, options, sourcesIdentity());
  const start = checkpoint?.read() ?? null;
  const progress = createProgress(options, start?.totals ?? NO_CASES, start?.seconds ?? 0);
  const pglite = options.mode === 'pglite';
  await playParts({
    firstSeed: start?.nextSeed ?? options.seed,
    endSeed: options.seed + options.cases,
    partCases: CHECKPOINT_CASES,
    concurrency: options.threads,
    createRunner: () => createCaseRunner(pglite),
    onResult: (seed, result) => progress.add(totalsOfJob(seed, result)),
    onPartEnd: (nextSeed) => checkpoint?.write({ nextSeed, ...progress.current() }),
  });
  const { totals, seconds } = progress.current();
  for (const line of reportLines(totals, seconds)) printLine(line);
  return totals.failures.length === 0;
}

/** Sums the results, and prints failures at once and the progress every ten seconds. */
function createProgress(options: SimulationOptions, totals: SimulationTotals, secondsBefore: number) {
  const startedAt = performance.now();
  const casesBefore = totals.cases;
  let [sum, progressAt] = [totals, startedAt];
  const secondsSince = (now: number): number => (now - startedAt) / 1_000;
  return {
    current: () => ({ totals: sum, seconds: secondsBefore + secondsSince(performance.now()) }),
    add(result: SimulationTotals): void {
      sum = sumTotals([sum, result]);
      for (const line of result.failures.flatMap(failureLines)) printProgress(line);
      const now = performance.now();
      if (now - progressAt < PROGRESS_INTERVAL_MS) return;
      progressAt = now;
      printProgress(progressLine(sum, options.cases, (sum.cases - casesBefore) / secondsSince(now)));
    },
  };
}

function createCaseRunner(pglite: boolean): JobRunner<number, SimulationTotals> {
  const { run, close } = createThreadRunner<CaseJob, SimulationTotals>(JOB_THREAD);
  return { run: (seed) => run({ kind: 'case', seed, pglite }), close };
}

async function printTraces(options: SimulationOptions): Promise<boolean> {
  Error.stackTraceLimit = 10;
  let passed = true;
  for (const seed of seedsOf(options)) {
    const { played, problems } = await runCase(seed);
    for (const line of describeCase(played)) printLine(line);
    for (const problem of problems) printLine(`seed ${seed}: ${problem}`);
    passed &&= problems.length === 0;
  }
  return passed;
}

const NAME_WIDTH = Math.max(...MUTANTS.map(({ name }) => name.length));

function describeFinding(result: JobResult<HuntFinding>): string {
  if (result.kind === 'crashed') return `its thread crashed: ${String(result.error)}`;
  const { caseCount, noticedBy } = result.value;
  return noticedBy === null
    ? `NOT NOTICED in ${caseCount} cases`
    : `case ${String(caseCount).padStart(4)}: ${noticedBy}`;
}

/** One job per mutant, because some need far more cases than others. Results appear as they come. */
async function huntMutants({ cases: maxCases, seed: firstSeed, threads }: SimulationOptions): Promise<boolean> {
  const brokenPromises = new Map(MUTANTS.map((mutant) => [mutant.name, mutant.brokenPromise]));
  let passed = true;
  await parallelMap({
    items: MUTANTS.map(({ name }): HuntJob => ({ kind: 'hunt', name, firstSeed, maxCases })),
    concurrency: threads,
    createRunner: () => createThreadRunner<HuntJob, HuntFinding>(JOB_THREAD),
    onResult({ name }, result) {
      printLine(
        `${name.padEnd(NAME_WIDTH)} breaks: ${brokenPromises.get(name)}\n${' '.repeat(NAME_WIDTH)} ${describeFinding(result)}`,
      );
      passed &&= result.kind === 'done' && result.value.noticedBy !== null;
    },
  });
  return passed;
}

const RUN_MODE: Readonly<Record<SimulationOptions['mode'], (options: SimulationOptions) => Promise<boolean>>> = {
  memory: playAndReport,
  pglite: playAndReport,
  trace: printTraces,
  mutants: huntMutants,
};

process.exitCode = await runCommand(
  { name: 'npm run simulate', help: SIMULATION_HELP },
  readSimulationOptions(process.argv.slice(2)),
  async (options) => {
    try {
      return (await RUN_MODE[options.mode](options)) ? 0 : 1;
    } catch (error) {
      if (error instanceof CheckpointError) return reportProblem('npm run simulate', error.message);
      throw error;
    }
  },
);
