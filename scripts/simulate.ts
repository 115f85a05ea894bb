/**
 * Plays the product against a simulated GitHub, people, model and misfortune, and checks what must always hold.
 * `npm run simulate -- --help` says how.
 */

import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { runCommand } from '../src/options/run-command.ts';
import { TRANSITIONS } from '../src/run/transition.ts';
import { backendDatabase } from '../src/simulation/backend-database.ts';
import { MUTANTS } from '../src/simulation/mutants.ts';
import { readOptions, SIMULATION_HELP, type SimulationOptions } from '../src/simulation/options.ts';
import { hunt, judgeCase, type Noticed, simulate } from '../src/simulation/simulate.ts';
import { storyOf } from '../src/simulation/story.ts';
import { type Counts, sumOf, type Tally } from '../src/simulation/tally.ts';
import { migrate } from '../src/store/migrate.ts';
import { backendOn, PARSERS } from '../src/store/open-pglite.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** One PGlite in memory for a share, emptied for each case. */
async function onPglite(share: Share): Promise<Tally> {
  const pglite = await PGlite.create({ parsers: PARSERS });
  const backend = await backendOn(pglite, async () => {});
  await migrate(backend.db);
  const tally = await simulate(seedsOf(share), () => backendDatabase(backend));
  await pglite.close();
  return tally;
}

/** A thread's share: every `step`-th seed. */
type Share = { readonly first: number; readonly end: number; readonly step: number; readonly pglite: boolean };

/** What a thread is for: to play its share, or to hunt the mutants that it is told, one after the other. */
type Work =
  | { readonly kind: 'share'; readonly share: Share }
  | { readonly kind: 'hunts'; readonly first: number; readonly most: number };

type Found = Pick<Noticed, 'after' | 'by'>;

function* seedsOf({ first, end, step }: Omit<Share, 'pglite'>): Generator<number> {
  for (let seed = first; seed < end; seed += step) yield seed;
}

function startThread(work: Work): Worker {
  return new Worker(new URL(import.meta.url), { workerData: work });
}

/** What a thread says next; rejects with the error that ended it. */
async function answerOf<Answer>(worker: Worker): Promise<Answer> {
  const [answer] = await once(worker, 'message');
  return answer;
}

function playShare(share: Share): Promise<Tally> {
  return share.pglite ? onPglite(share) : simulate(seedsOf(share));
}

async function playAll({ cases, seed: first, threads, way }: SimulationOptions): Promise<Tally> {
  const pglite = way === 'pglite';
  const end = first + cases;
  if (threads === 1) return playShare({ first, end, step: 1, pglite });
  const shares = Array.from({ length: threads }, (_, place) => ({ first: first + place, end, step: threads, pglite }));
  return sumOf(await Promise.all(shares.map((share) => answerOf<Tally>(startThread({ kind: 'share', share })))));
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

async function tell({ cases, seed: first }: SimulationOptions): Promise<boolean> {
  Error.stackTraceLimit = 10;
  let good = true;
  for (const seed of seedsOf({ first, end: first + cases, step: 1 })) {
    const { played, problems } = await judgeCase(seed);
    for (const line of storyOf(played)) say(line);
    for (const problem of problems) say(`seed ${seed}: ${problem}`);
    good &&= problems.length === 0;
  }
  return good;
}

/** Each thread takes the next mutant as soon as it is done with one: some are noticed far later than others. */
async function huntAll({ cases, seed: first, threads }: SimulationOptions): Promise<boolean> {
  const waiting = [...MUTANTS];
  let good = true;
  const hunts = async (): Promise<void> => {
    const worker = startThread({ kind: 'hunts', first, most: cases });
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      worker.postMessage(mutant.name);
      const { after, by } = await answerOf<Found>(worker);
      const found = by === null ? `NOT NOTICED in ${after} cases` : `case ${String(after).padStart(4)}: ${by}`;
      say(`${mutant.name.padEnd(28)} without: ${mutant.lacks}\n${' '.repeat(28)} ${found}`);
      good &&= by !== null;
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: threads }, hunts));
  return good;
}

async function workInThread(work: Work): Promise<void> {
  if (work.kind === 'share') return parentPort?.postMessage(await playShare(work.share));
  parentPort?.on('message', async (name: string) => {
    const mutant = MUTANTS.find((one) => one.name === name);
    if (mutant === undefined) throw new Error(`There is no mutant ${name}`);
    const { after, by } = await hunt(mutant, work.first, work.most);
    parentPort?.postMessage({ after, by } satisfies Found);
  });
}

async function playAndReport(options: SimulationOptions): Promise<boolean> {
  const begun = performance.now();
  const tally = await playAll(options);
  report(tally, (performance.now() - begun) / 1_000);
  return tally.failures.length === 0;
}

const WAYS: Readonly<Record<SimulationOptions['way'], (options: SimulationOptions) => Promise<boolean>>> = {
  memory: playAndReport,
  pglite: playAndReport,
  trace: tell,
  mutants: huntAll,
};

// Every fault that is played is an exception, and nobody looks at where it comes from until a case is told.
Error.stackTraceLimit = 0;

if (!isMainThread) await workInThread(workerData);
else
  process.exitCode = await runCommand(
    { name: 'npm run simulate', help: SIMULATION_HELP },
    readOptions(process.argv.slice(2)),
    async (options) => ((await WAYS[options.way](options)) ? 0 : 1),
  );
