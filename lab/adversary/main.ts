import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { z } from 'zod';
import { reportProblem, runCommand } from '../../src/cli/options.ts';
import { CheckpointError, openCheckpoint, sourcesIdentity } from '../shared/checkpoint.ts';
import { createThreadRunner, type JobResult, parallelMap } from '../shared/parallel-map.ts';
import { describeCase } from '../simulation/report.ts';
import { ADVERSARY_HELP, type AdversaryOptions, readAdversaryOptions } from './options.ts';
import { playHostileCase } from './play.ts';
import { type AdversaryTotals, addTotals, failureLines, NO_TURNS, reportLines, TOTALS_SCHEMA } from './totals.ts';

const CASE_THREAD = new URL('./case-thread.ts', import.meta.url);

const PROGRESS_INTERVAL_MS = 10_000;

/** Cases between two checkpoints: about a minute. */
const PART_CASES = 500;

const PROGRESS_SCHEMA = z.object({ nextSeed: z.number(), seconds: z.number(), totals: TOTALS_SCHEMA });

type Progress = z.infer<typeof PROGRESS_SCHEMA>;

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** Writes to standard error, so that standard output has only the report. */
const printProgress = (line: string): void => void process.stderr.write(`${line}\n`);

function openProgress(file: string, { seed }: AdversaryOptions) {
  const identity = { seed: { value: seed, difference: 'with another --seed' }, ...sourcesIdentity() } as const;
  const codec = { schema: PROGRESS_SCHEMA, toJson: (progress: Progress) => progress };
  return openCheckpoint<Progress>({ file, trial: 'hostile model', identity, codec });
}

/** Plays parts of some hundred cases until there were enough turns; true if every promise held. */
async function playAndReport(options: AdversaryOptions): Promise<boolean> {
  const checkpoint = options.checkpoint === null ? null : openProgress(options.checkpoint, options);
  let progress: Progress = checkpoint?.read() ?? { nextSeed: options.seed, seconds: 0, totals: NO_TURNS };
  while (progress.totals.turns < options.turns) {
    const startedAt = performance.now();
    const { nextSeed, totals } = await playPart(progress, options);
    progress = { nextSeed, totals, seconds: progress.seconds + (performance.now() - startedAt) / 1_000 };
    checkpoint?.write(progress);
  }
  for (const line of reportLines(progress.totals, progress.seconds)) printLine(line);
  return progress.totals.failures.length === 0;
}

async function playPart(
  { nextSeed: first, totals: before }: Progress,
  { turns, threads }: AdversaryOptions,
): Promise<Pick<Progress, 'nextSeed' | 'totals'>> {
  let [nextSeed, totals, shownAt] = [first, before, performance.now()];
  function* seeds(): Generator<number> {
    while (nextSeed < first + PART_CASES && totals.turns < turns) {
      nextSeed += 1;
      yield nextSeed - 1;
    }
  }
  await parallelMap({
    items: seeds(),
    concurrency: threads,
    createRunner: () => createThreadRunner<number, AdversaryTotals>(CASE_THREAD),
    onResult(seed, result) {
      const found = totalsOfResult(seed, result);
      totals = addTotals(totals, found);
      for (const line of found.failures.flatMap(failureLines)) printProgress(line);
      if (performance.now() - shownAt < PROGRESS_INTERVAL_MS) return;
      shownAt = performance.now();
      printProgress(`${totals.turns} of ${turns} turns, ${totals.failures.length} cases broken`);
    },
  });
  return { nextSeed, totals };
}

/** A case that crashed its thread counts as a failed case. */
function totalsOfResult(seed: number, result: JobResult<AdversaryTotals>): AdversaryTotals {
  if (result.kind === 'done') return result.value;
  return {
    ...NO_TURNS,
    cases: 1,
    failures: [{ seed, problems: [`error: its thread crashed: ${String(result.error)}`] }],
  };
}

async function printTrace({ seed }: AdversaryOptions): Promise<boolean> {
  const { played, problems } = await playHostileCase(seed);
  for (const line of describeCase(played)) printLine(line);
  for (const line of problems.length === 0 ? [] : failureLines({ seed, problems: [...problems] })) printLine(line);
  return problems.length === 0;
}

process.exitCode = await runCommand(
  { name: 'npm run adversary', help: ADVERSARY_HELP },
  readAdversaryOptions(process.argv.slice(2)),
  async (options) => {
    try {
      return (await (options.trace ? printTrace : playAndReport)(options)) ? 0 : 1;
    } catch (error) {
      if (error instanceof CheckpointError) return reportProblem('npm run adversary', error.message);
      throw error;
    }
  },
);
