/**
 * Plays the product against a simulated GitHub, people, model and misfortune, and checks what must always hold.
 * `npm run simulate -- --help` says how.
 */
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { runCommand } from '../../src/cli/options.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { readSimulationOptions, SIMULATION_HELP, type SimulationOptions } from './options.ts';
import { createCaseRunner, createHuntRunner, type JobResult, parallelMap } from './parallel-map.ts';
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

const PROGRESS_MS = 10_000;

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** What is said while cases are played is no part of the report. */
const printProgress = (line: string): void => void process.stderr.write(`${line}\n`);

function* seedsOf({ seed: first, cases }: SimulationOptions): Generator<number> {
  for (let seed = first; seed < first + cases; seed += 1) yield seed;
}

function* caseJobs(options: SimulationOptions): Generator<CaseJob> {
  for (const seed of seedsOf(options)) yield { kind: 'case', seed, pglite: options.mode === 'pglite' };
}

/** A case that its thread broke on was played too, and is broken. */
function totalsOfJob({ seed }: CaseJob, result: JobResult<SimulationTotals>): SimulationTotals {
  if (result.kind === 'done') return result.value;
  return { ...NO_CASES, cases: 1, failures: [{ seed, problems: [`its thread broke: ${String(result.error)}`] }] };
}

async function playAndReport(options: SimulationOptions): Promise<boolean> {
  const begun = performance.now();
  let [sum, told] = [NO_CASES, begun];
  const secondsUntil = (now: number): number => (now - begun) / 1_000;
  await parallelMap({
    items: caseJobs(options),
    concurrency: options.threads,
    createRunner: createCaseRunner,
    onResult(piece, result) {
      const totals = totalsOfJob(piece, result);
      sum = sumTotals([sum, totals]);
      for (const line of totals.failures.flatMap(failureLines)) printProgress(line);
      const now = performance.now();
      if (now - told < PROGRESS_MS) return;
      told = now;
      printProgress(progressLine(sum, options.cases, secondsUntil(now)));
    },
  });
  for (const line of reportLines(sum, secondsUntil(performance.now()))) printLine(line);
  return sum.failures.length === 0;
}

async function printStories(options: SimulationOptions): Promise<boolean> {
  Error.stackTraceLimit = 10;
  let good = true;
  for (const seed of seedsOf(options)) {
    const { played, problems } = await runCase(seed);
    for (const line of describeCase(played)) printLine(line);
    for (const problem of problems) printLine(`seed ${seed}: ${problem}`);
    good &&= problems.length === 0;
  }
  return good;
}

function describeFinding(result: JobResult<HuntFinding>): string {
  if (result.kind === 'crashed') return `its thread broke: ${String(result.error)}`;
  const { caseCount, noticedBy } = result.value;
  return noticedBy === null
    ? `NOT NOTICED in ${caseCount} cases`
    : `case ${String(caseCount).padStart(4)}: ${noticedBy}`;
}

/** Some mutants are noticed far later than others. */
async function huntMutants({ cases: maxCases, seed: firstSeed, threads }: SimulationOptions): Promise<boolean> {
  const lacks = new Map(MUTANTS.map((mutant) => [mutant.name, mutant.brokenPromise]));
  let good = true;
  await parallelMap({
    items: MUTANTS.map(({ name }): HuntJob => ({ kind: 'hunt', name, firstSeed, maxCases })),
    concurrency: threads,
    createRunner: createHuntRunner,
    onResult({ name }, result) {
      printLine(`${name.padEnd(28)} without: ${lacks.get(name)}\n${' '.repeat(28)} ${describeFinding(result)}`);
      good &&= result.kind === 'done' && result.value.noticedBy !== null;
    },
  });
  return good;
}

const RUN_MODE: Readonly<Record<SimulationOptions['mode'], (options: SimulationOptions) => Promise<boolean>>> = {
  memory: playAndReport,
  pglite: playAndReport,
  trace: printStories,
  mutants: huntMutants,
};

process.exitCode = await runCommand(
  { name: 'npm run simulate', help: SIMULATION_HELP },
  readSimulationOptions(process.argv.slice(2)),
  async (options) => ((await RUN_MODE[options.mode](options)) ? 0 : 1),
);
