/**
 * Plays the product against a simulated GitHub, people, model and misfortune, and checks what must always hold.
 * `npm run simulate -- --help` says how.
 */

import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { runCommand } from '../src/options/run-command.ts';
import { handOut, type Result } from '../src/simulation/hand-out.ts';
import { MUTANTS } from '../src/simulation/mutants/mutants.ts';
import { readOptions, SIMULATION_HELP, type SimulationOptions } from '../src/simulation/options.ts';
import type { CasePiece, Found, HuntPiece } from '../src/simulation/pieces.ts';
import { judgeCase } from '../src/simulation/simulate.ts';
import { storyOf } from '../src/simulation/story.ts';
import { NOTHING_PLAYED, sumOf, type Tally } from '../src/simulation/tally.ts';
import { hireHunter, hirePlayer } from '../src/simulation/threads.ts';
import { failureLines, progressLine, reportLines } from '../src/simulation/words.ts';

const PROGRESS_MS = 10_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** What is said while cases are played is no part of the report. */
const sayMeanwhile = (line: string): void => void process.stderr.write(`${line}\n`);

function* seedsOf({ seed: first, cases }: SimulationOptions): Generator<number> {
  for (let seed = first; seed < first + cases; seed += 1) yield seed;
}

function* piecesOf(options: SimulationOptions): Generator<CasePiece> {
  for (const seed of seedsOf(options)) yield { kind: 'case', seed, pglite: options.way === 'pglite' };
}

/** A case that its thread broke on was played too, and is broken. */
function tallyOf({ seed }: CasePiece, result: Result<Tally>): Tally {
  if (result.kind === 'done') return result.answer;
  return { ...NOTHING_PLAYED, cases: 1, failures: [{ seed, problems: [`its thread broke: ${String(result.error)}`] }] };
}

async function playAndReport(options: SimulationOptions): Promise<boolean> {
  const begun = performance.now();
  let [sum, told] = [NOTHING_PLAYED, begun];
  const secondsUntil = (now: number): number => (now - begun) / 1_000;
  await handOut({
    pieces: piecesOf(options),
    hands: options.threads,
    hire: hirePlayer,
    heard(piece, result) {
      const tally = tallyOf(piece, result);
      sum = sumOf([sum, tally]);
      for (const line of tally.failures.flatMap(failureLines)) sayMeanwhile(line);
      const now = performance.now();
      if (now - told < PROGRESS_MS) return;
      told = now;
      sayMeanwhile(progressLine(sum, options.cases, secondsUntil(now)));
    },
  });
  for (const line of reportLines(sum, secondsUntil(performance.now()))) say(line);
  return sum.failures.length === 0;
}

async function tell(options: SimulationOptions): Promise<boolean> {
  Error.stackTraceLimit = 10;
  let good = true;
  for (const seed of seedsOf(options)) {
    const { played, problems } = await judgeCase(seed);
    for (const line of storyOf(played)) say(line);
    for (const problem of problems) say(`seed ${seed}: ${problem}`);
    good &&= problems.length === 0;
  }
  return good;
}

function foundWords(result: Result<Found>): string {
  if (result.kind === 'broke') return `its thread broke: ${String(result.error)}`;
  const { after, by } = result.answer;
  return by === null ? `NOT NOTICED in ${after} cases` : `case ${String(after).padStart(4)}: ${by}`;
}

/** Some mutants are noticed far later than others. */
async function huntAll({ cases: most, seed: first, threads }: SimulationOptions): Promise<boolean> {
  const lacks = new Map(MUTANTS.map((mutant) => [mutant.name, mutant.lacks]));
  let good = true;
  await handOut({
    pieces: MUTANTS.map(({ name }): HuntPiece => ({ kind: 'hunt', name, first, most })),
    hands: threads,
    hire: hireHunter,
    heard({ name }, result) {
      say(`${name.padEnd(28)} without: ${lacks.get(name)}\n${' '.repeat(28)} ${foundWords(result)}`);
      good &&= result.kind === 'done' && result.answer.by !== null;
    },
  });
  return good;
}

const WAYS: Readonly<Record<SimulationOptions['way'], (options: SimulationOptions) => Promise<boolean>>> = {
  memory: playAndReport,
  pglite: playAndReport,
  trace: tell,
  mutants: huntAll,
};

process.exitCode = await runCommand(
  { name: 'npm run simulate', help: SIMULATION_HELP },
  readOptions(process.argv.slice(2)),
  async (options) => ((await WAYS[options.way](options)) ? 0 : 1),
);
