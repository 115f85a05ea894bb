import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { runCommand } from '../../src/cli/options.ts';
import { createThreadRunner, type JobResult, parallelMap } from '../shared/parallel-map.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { readSimulationOptions, SIMULATION_HELP, type SimulationOptions } from './options.ts';
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

function* seedsOf({ seed: first, cases }: SimulationOptions): Generator<number> {
  for (let seed = first; seed < first + cases; seed += 1) yield seed;
}

function* caseJobs(options: SimulationOptions): Generator<CaseJob> {
  for (const seed of seedsOf(options)) yield { kind: 'case', seed, pglite: options.mode === 'pglite' };
}

/** A case that crashed its thread counts as a failed case. */
function totalsOfJob({ seed }: CaseJob, result: JobResult<SimulationTotals>): SimulationTotals {
  if (result.kind === 'done') return result.value;
  return { ...NO_CASES, cases: 1, failures: [{ seed, problems: [`its thread broke: ${String(result.error)}`] }] };
}

async function playAndReport(options: SimulationOptions): Promise<boolean> {
  const startedAt = performance.now();
  let sum = NO_CASES;
  let progressAt = startedAt;
  const secondsUntil = (now: number): number => (now - startedAt) / 1_000;
  await parallelMap({
    items: caseJobs(options),
    concurrency: options.threads,
    createRunner: () => createThreadRunner<CaseJob, SimulationTotals>(JOB_THREAD),
    onResult(job, result) {
      const totals = totalsOfJob(job, result);
      sum = sumTotals([sum, totals]);
      for (const line of totals.failures.flatMap(failureLines)) printProgress(line);
      const now = performance.now();
      if (now - progressAt < PROGRESS_INTERVAL_MS) return;
      progressAt = now;
      printProgress(progressLine(sum, options.cases, secondsUntil(now)));
    },
  });
  for (const line of reportLines(sum, secondsUntil(performance.now()))) printLine(line);
  return sum.failures.length === 0;
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

function describeFinding(result: JobResult<HuntFinding>): string {
  if (result.kind === 'crashed') return `its thread broke: ${String(result.error)}`;
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
        `${name.padEnd(28)} without: ${brokenPromises.get(name)}\n${' '.repeat(28)} ${describeFinding(result)}`,
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
  async (options) => ((await RUN_MODE[options.mode](options)) ? 0 : 1),
);
