import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { DatabaseSchema } from '../../src/adapters/store/engine/schema.ts';
import { REJECTED_LABEL } from '../../src/core/messages/proposal/proposal-status.ts';
import { listShownProposals } from '../chaos/people.ts';
import { CHANGES_PER_TASK, type TestPull, taskComment } from '../chaos/site.ts';
import { type NamedDatabase, sendReplies } from './intake.ts';
import {
  createLoadSetup,
  createMemoryProbe,
  type LoadFinding,
  type LoadSetup,
  readProcessUsage,
  startReady,
  useDatabase,
} from './load-setup.ts';
import { pollUntil, quantile } from './measure.ts';

const GROWTH_STEPS = 10;

const MAX_GROWTH_MB = 5;

const MAX_SLOWDOWN = 2;

const MEGABYTE = 1024 * 1024;

/** Memory after a garbage collection, at each tenth of 100,000 deliveries and 1,000 runs. */
export async function measureGrowth([name, open]: NamedDatabase, part: number): Promise<readonly LoadFinding[]> {
  const setup = await createLoadSetup(open, GROWTH_STEPS);
  try {
    const memoryProbe = await createMemoryProbe();
    const appProcess = setup.createProcess(memoryProbe.environment);
    await startReady(appProcess);
    const url = appProcess.url() ?? '';
    setup.site.github.setWebhookTarget(`${url}/api/github/webhooks`);
    const [usedMb, residentMb, cpuSeconds]: [number[], number[], number[]] = [[], [], []];
    let replies = 0;
    for (const pull of setup.site.pulls) {
      const before = readProcessUsage(appProcess.pid()).cpuMs;
      const { times } = await sendReplies(url, setup.site.github.app.webhookSecret, 10_000 * part);
      replies += times.length;
      await pollUntil(async () => (await countDecidedSignals(url)) >= replies, { timeoutMs: 600_000 });
      for (let task = 0; task < 100 * part; task += 1) await playRun(setup, pull, task);
      await sleep(3_000);
      cpuSeconds.push((readProcessUsage(appProcess.pid()).cpuMs - before) / 1_000);
      usedMb.push((await memoryProbe.bytesInUse()) / MEGABYTE);
      residentMb.push(readProcessUsage(appProcess.pid()).residentBytes / MEGABYTE);
    }
    await appProcess.stop('SIGTERM');
    const databaseBytes = await useDatabase(setup.database, ({ db }) => readDatabaseSize(db));
    // The first steps compile code and fill caches of fixed sizes.
    const slope = leastSquaresSlope(usedMb.slice(2)) / part;
    return [
      {
        label: `${name}: memory over ${(100_000 * part).toLocaleString('en')} deliveries and ${1_000 * part} runs`,
        measured: `${slope.toFixed(1)} MB per 10,000 deliveries (in use ${formatList(usedMb)}; resident ${formatList(residentMb)} MB)`,
        goal: `under ${MAX_GROWTH_MB} MB`,
        isMet: slope < MAX_GROWTH_MB,
      },
      slowdownFinding(name, cpuSeconds),
      {
        label: `${name}: database size afterwards`,
        measured: `${(databaseBytes / MEGABYTE).toFixed(0)} MB`,
        goal: 'none (data retention bounds it)',
        isMet: true,
      },
    ];
  } finally {
    await setup.close();
  }
}

/** Compares CPU time of the last and the third tenth, to find work that stored data slows down. */
function slowdownFinding(name: string, cpuSeconds: readonly number[]): LoadFinding {
  const ratio = (cpuSeconds.at(-1) ?? Number.NaN) / (cpuSeconds[2] ?? Number.NaN);
  return {
    label: `${name}: CPU time of the last tenth`,
    measured: `${ratio.toFixed(1)} times that of the third tenth (${formatList(cpuSeconds)} s)`,
    goal: `under ${MAX_SLOWDOWN}, even on a busy machine`,
    isMet: ratio < MAX_SLOWDOWN,
  };
}

/** Posts a task, waits for its proposals, and denies them. */
async function playRun({ site }: LoadSetup, pull: TestPull, task: number): Promise<void> {
  const before = listShownProposals(site, pull).length;
  pull.act((person) => person.says(taskComment(task)));
  await pollUntil(() => listShownProposals(site, pull).length === before + CHANGES_PER_TASK);
  pull.act((person) => person.says('/deny all'));
  await pollUntil(() => listShownProposals(site, pull).every(({ body }) => body.includes(REJECTED_LABEL)));
}

/** Decided signals of every kind, from the App's metrics. */
async function countDecidedSignals(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const counts = [...page.matchAll(/^countersign_signals_total\{[^}]*\} (\d+)$/gm)].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** In bytes. */
async function readDatabaseSize(db: Kysely<DatabaseSchema>): Promise<number> {
  const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(db);
  return rows[0]?.size ?? Number.NaN;
}

function formatList(values: readonly number[]): string {
  return values.map((value) => value.toFixed(0)).join(', ');
}

/** The increase per step, fitted by least squares. */
function leastSquaresSlope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const spread = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return values.reduce((sum, value, at) => sum + value * (at - middle), 0) / spread;
}

/** Observation time after a start. */
const OBSERVE_MS = 15_000;

const START_COUNT = 3;

/** Two starts on the same database differ by less, after a garbage collection. */
const NOISE_BYTES = 3 * MEGABYTE;

/** Compares a start with one run that waits for a decision and a start with `runs` of them. */
export async function measurePendingRuns([name, open]: NamedDatabase, runs: number): Promise<readonly LoadFinding[]> {
  const setup = await createLoadSetup(open);
  try {
    await createPendingRun(setup);
    const withOne = await observeStarts(setup);
    await useDatabase(setup.database, ({ db }) => copyRuns(db, runs));
    const withMany = await observeStarts(setup);
    const growthMb = (withMany.usedBytes - withOne.usedBytes) / MEGABYTE;
    const label = `${name}: ${runs.toLocaleString('en')} pending runs, `;
    return [
      {
        label: `${label}memory in use 15 s after a start`,
        measured: `${growthMb.toFixed(1)} MB more than with one run (${(withOne.usedBytes / MEGABYTE).toFixed(0)} MB)`,
        goal: 'no growth (less than the 3 MB by which two starts differ)',
        isMet: growthMb * MEGABYTE < NOISE_BYTES,
      },
      {
        label: `${label}requests in these 15 s`,
        measured: `${withMany.requests} (with one run: ${withOne.requests})`,
        goal: 'no more than with one run',
        isMet: withMany.requests <= withOne.requests,
      },
    ];
  } finally {
    await setup.close();
  }
}

/** Leaves one run in the database that waits for a decision. */
async function createPendingRun(setup: LoadSetup): Promise<void> {
  const { site } = setup;
  const appProcess = setup.createProcess();
  await startReady(appProcess);
  site.github.setWebhookTarget(`${appProcess.url()}/api/github/webhooks`);
  const [pull] = site.pulls;
  pull?.act((person) => person.says(taskComment(0)));
  await pollUntil(() => pull !== undefined && listShownProposals(site, pull).length === CHANGES_PER_TASK);
  await sleep(3_000);
  await appProcess.stop('SIGTERM');
}

/** Memory in use, and requests to GitHub during the observation. */
type StartObservation = { readonly usedBytes: number; readonly requests: number };

/** The medians of several starts. */
async function observeStarts(setup: LoadSetup): Promise<StartObservation> {
  const starts: StartObservation[] = [];
  for (let start = 0; start < START_COUNT; start += 1) starts.push(await observeStart(setup));
  return {
    usedBytes: quantile(
      starts.map((start) => start.usedBytes),
      0.5,
    ),
    requests: quantile(
      starts.map((start) => start.requests),
      0.5,
    ),
  };
}

async function observeStart(setup: LoadSetup): Promise<StartObservation> {
  const memoryProbe = await createMemoryProbe();
  const appProcess = setup.createProcess(memoryProbe.environment);
  const requestsBefore = setup.site.github.requests.length;
  await startReady(appProcess);
  await sleep(OBSERVE_MS);
  const requests = setup.site.github.requests.length - requestsBefore;
  const observation = { usedBytes: await memoryProbe.bytesInUse(), requests };
  await appProcess.stop('SIGKILL');
  return observation;
}

/** SQL for the columns in which copies differ, by table. `t` is the original row, `n` the number of the copy. */
const UNIQUE_COLUMNS: Readonly<Record<string, string>> = {
  pulls: `'pull_key', t.pull_key || '-' || n, 'run_id', t.run_id || '-' || n`,
  runs: `'pull_key', t.pull_key || '-' || n, 'run_id', t.run_id || '-' || n`,
  proposals: `'pull_key', t.pull_key || '-' || n, 'run_id', t.run_id || '-' || n, 'seq', nextval('proposals_seq_seq')`,
  messages: `'run_id', t.run_id || '-' || n`,
  effects: `'pull_key', t.pull_key || '-' || n, 'id', nextval('effects_id_seq')`,
  inbox: `'pull_key', t.pull_key || '-' || n, 'id', nextval('inbox_id_seq'),
    'delivery_id', t.delivery_id || '-' || n, 'content_key', t.content_key || '-' || n`,
};

/** Copies the only run until there are `count` of them, each on a pull request of its own. */
async function copyRuns(db: Kysely<DatabaseSchema>, count: number): Promise<void> {
  for (const [table, columns] of Object.entries(UNIQUE_COLUMNS)) {
    await sql`
      insert into ${sql.table(table)} select copy.* from ${sql.table(table)} as t cross join generate_series(2, ${sql.lit(count)}) as n,
        lateral jsonb_populate_record(t, jsonb_build_object(${sql.raw(columns)})) as copy
    `.execute(db);
  }
}
