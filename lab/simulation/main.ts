import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { runCommand } from '../../src/cli/options.ts';
import { createThreadRunner, type JobResult, type JobRunner, parallelMap } from '../shared/parallel-map.ts';
import { playHostileCase } from './hostile-case.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { SIMULATE_COMMAND, type SimulationOptions } from './options.ts';
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

/** A case that crashed its thread counts as a failed case. */
function totalsOfJob(seed: number, result: JobResult<SimulationTotals>): SimulationTotals {
  if (result.kind === 'done') return result.value;
  return { ...NO_CASES, cases: 1, failures: [{ seed, problems: [`its thread crashed: ${String(result.error)}`] }] };
}

/** Plays all cases; true if every promise held. Prints failures at once and the progress every ten seconds. */
async function playAndReport(options: SimulationOptions): Promise<boolean> {
  const startedAt = performance.now();
  let [totals, shownAt] = [NO_CASES, startedAt];
  const secondsSince = (now: number): number => (now - startedAt) / 1_000;
  await parallelMap({
    items: seedsOf(options),
    concurrency: options.threads,
    createRunner: () => createCaseRunner(options),
    onResult(seed, result) {
      const found = totalsOfJob(seed, result);
      totals = sumTotals([totals, found]);
      for (const failure of found.failures) for (const line of failureLines(failure, options)) printProgress(line);
      const now = performance.now();
      if (now - shownAt < PROGRESS_INTERVAL_MS) return;
      shownAt = now;
      printProgress(progressLine(totals, options.cases, totals.cases / secondsSince(now)));
    },
  });
  for (const line of reportLines(totals, secondsSince(performance.now()), options)) printLine(line);
  return totals.failures.length === 0;
}

function createCaseRunner({ mode, hostile }: SimulationOptions): JobRunner<number, SimulationTotals> {
  const { run, close } = createThreadRunner<CaseJob, SimulationTotals>(JOB_THREAD);
  return { run: (seed) => run({ kind: 'case', seed, pglite: mode === 'pglite', hostile }), close };
}

async function printTraces(options: SimulationOptions): Promise<boolean> {
  Error.stackTraceLimit = 10;
  let passed = true;
  for (const seed of seedsOf(options)) {
    const { played, problems } = await (options.hostile ? playHostileCase(seed) : runCase(seed));
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

function play(options: SimulationOptions): Promise<boolean> {
  if (options.trace) return printTraces(options);
  return options.mode === 'mutants' ? huntMutants(options) : playAndReport(options);
}

process.exitCode = await runCommand(SIMULATE_COMMAND, process.argv.slice(2), async (options) =>
  (await play(options)) ? 0 : 1,
);
