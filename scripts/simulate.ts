/**
 * Plays the product against a simulated GitHub, people, model and misfortune, and checks what must always hold.
 * `npm run simulate -- --help` says how.
 */

import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { TRANSITIONS } from '../src/run/transition.ts';
import { backendDatabase } from '../src/simulation/backend-database.ts';
import { MUTANTS } from '../src/simulation/mutants.ts';
import { hunt, judgeCase, simulate } from '../src/simulation/simulate.ts';
import { storyOf } from '../src/simulation/story.ts';
import { type Counts, sumOf, type Tally } from '../src/simulation/tally.ts';
import { migrate } from '../src/store/migrate.ts';
import { backendOn, PARSERS } from '../src/store/open-pglite.ts';

const HELP = `npm run simulate -- [--cases N] [--seed S] [--threads T] [--pglite] [--trace] [--mutants] [--help]

Plays N cases (1000) from seed S (1) on; the seed settles everything that happens in a case.
  --threads T  how many at once; all processors unless told
  --pglite     on PGlite instead of the store in memory, in one thread: some hundred times slower
  --trace      tells the story of each case
  --mutants    puts known mistakes in the product's place, one after the other, and says which are noticed within N cases
Exits with 1 where a promise was broken, or a mutant was not noticed.
`;

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    threads: { type: 'string', default: String(availableParallelism()) },
    pglite: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function wholeNumber(name: 'cases' | 'seed' | 'threads'): number {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  process.stderr.write(`--${name} takes a whole number, not ${values[name]}\n`);
  process.exit(2);
}

/** One PGlite in memory, emptied for each case. */
async function onPglite(cases: number, first: number): Promise<Tally> {
  const pglite = await PGlite.create({ parsers: PARSERS });
  const backend = await backendOn(pglite, async () => {});
  await migrate(backend.db);
  const tally = await simulate(seedsOf({ first, end: first + cases, step: 1 }), () => backendDatabase(backend));
  await pglite.close();
  return tally;
}

/** A thread's share: every `step`-th seed. */
type Share = { readonly first: number; readonly end: number; readonly step: number };

function* seedsOf({ first, end, step }: Share): Generator<number> {
  for (let seed = first; seed < end; seed += step) yield seed;
}

function inThread(share: Share): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

async function play(cases: number, first: number, threads: number): Promise<Tally> {
  const end = first + cases;
  if (threads <= 1) return simulate(seedsOf({ first, end, step: 1 }));
  const shares = Array.from({ length: threads }, (_, place) => ({ first: first + place, end, step: threads }));
  return sumOf(await Promise.all(shares.map(inThread)));
}

function table(title: string, counts: Counts): void {
  const rows = Object.entries(counts).sort(([, left], [, right]) => right - left);
  say(`\n${title}`);
  for (const [name, amount] of rows) say(`${String(amount).padStart(9)}  ${name}`);
}

function report(tally: Tally, seconds: number): void {
  table('What went wrong outside', tally.faults);
  table('Why signals were decided as they were', tally.reasons);
  table('What became of proposals', tally.transitions);
  const ways = Object.entries(TRANSITIONS).flatMap(([from, all]) => all.map((to) => `${from} to ${to}`));
  say(`    never  ${ways.filter((way) => !Object.hasOwn(tally.transitions, way)).join(', ') || 'nothing'}`);
  say(`\n${tally.cases} cases, ${(tally.cases / seconds).toFixed(0)} a second; ${tally.commits} commits`);
  for (const { seed, problems } of tally.failures) {
    say(`\nseed ${seed}:`);
    for (const problem of problems) say(`  ${problem}`);
    say(`  npm run simulate -- --seed ${seed} --cases 1 --trace`);
  }
  say(`${tally.failures.length} broken`);
}

async function tell(cases: number, first: number): Promise<boolean> {
  let good = true;
  for (const seed of seedsOf({ first, end: first + cases, step: 1 })) {
    const { played, problems } = await judgeCase(seed);
    for (const line of storyOf(played)) say(line);
    for (const problem of problems) say(`seed ${seed}: ${problem}`);
    good &&= problems.length === 0;
  }
  return good;
}

async function huntAll(cases: number, first: number): Promise<boolean> {
  let good = true;
  for (const mutant of MUTANTS) {
    const { after, by } = await hunt(mutant, first, cases);
    const found = by === null ? `NOT NOTICED in ${after} cases` : `case ${String(after).padStart(4)}: ${by}`;
    say(`${mutant.name.padEnd(28)} without: ${mutant.lacks}\n${' '.repeat(28)} ${found}`);
    good &&= by !== null;
  }
  return good;
}

async function main(): Promise<boolean> {
  const [cases, first, threads] = [wholeNumber('cases'), wholeNumber('seed'), wholeNumber('threads')];
  if (values.trace) return tell(cases, first);
  if (values.mutants) return huntAll(cases, first);
  const begun = performance.now();
  const tally = values.pglite ? await onPglite(cases, first) : await play(cases, first, threads);
  report(tally, (performance.now() - begun) / 1_000);
  return tally.failures.length === 0;
}

if (!isMainThread) {
  const share: Share = workerData;
  parentPort?.postMessage(await simulate(seedsOf(share)));
} else if (values.help) process.stdout.write(HELP);
else process.exitCode = (await main()) ? 0 : 1;
