import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { DatabaseSchema } from '../../src/adapters/store/engine/schema.ts';
import { REJECTED_LABEL } from '../../src/core/messages/proposal-status.ts';
import { listShownProposals } from '../chaos/people.ts';
import { CHANGES_PER_TASK, type TestPull, taskComment } from '../chaos/site.ts';
import { type NamedDatabase, sendReplies } from './intake.ts';
import {
  createLoadSetup,
  createMemoryProbe,
  type LoadFinding,
  type LoadSetup,
  pollUntil,
  readProcessUsage,
  startReady,
  useDatabase,
} from './load-setup.ts';
import { quantile } from './measure.ts';

const GROWTH_STEPS = 10;

const MAX_GROWTH_MB = 5;

const MAX_SLOWDOWN = 2;

const MEGABYTE = 1024 * 1024;

/** Memory after each tenth of 100,000 deliveries and 1,000 runs, once its garbage is collected. */
export async function measureGrowth([name, open]: NamedDatabase, part: number): Promise<readonly LoadFinding[]> {
  const setup = await createLoadSetup(open, GROWTH_STEPS);
  try {
    liftRateLimits(setup);
    const memoryProbe = await createMemoryProbe();
    const appProcess = setup.createProcess(memoryProbe.environment);
    await startReady(appProcess);
    const url = appProcess.url() ?? '';
    setup.site.github.setWebhookTarget(`${url}/api/github/webhooks`);
    const [inUse, resident, seconds]: [number[], number[], number[]] = [[], [], []];
    let replies = 0;
    for (const pull of setup.site.pulls) {
      const before = readProcessUsage(appProcess.pid()).cpuMs;
      const { times } = await sendReplies(url, setup.site.github.app.webhookSecret, 10_000 * part);
      replies += times.length;
      await pollUntil(async () => (await countDecidedSignals(url)) >= replies, 600_000);
      for (let task = 0; task < 100 * part; task += 1) await playRun(setup, pull, task);
      await sleep(3_000);
      seconds.push((readProcessUsage(appProcess.pid()).cpuMs - before) / 1_000);
      inUse.push((await memoryProbe.bytesInUse()) / MEGABYTE);
      resident.push(readProcessUsage(appProcess.pid()).resident / MEGABYTE);
    }
    await appProcess.stop('SIGTERM');
    const bytes = await useDatabase(setup.database, ({ db }) => databaseSize(db));
    // The first step fills caches of fixed sizes and compiles.
    const slope = leastSquaresSlope(inUse.slice(2)) / part;
    return [
      {
        what: `${name}: memory over ${(100_000 * part).toLocaleString('en')} deliveries and ${1_000 * part} runs`,
        measured: `${slope.toFixed(1)} MB per 10,000 deliveries (in use ${formatMegabytes(inUse)}; resident ${formatMegabytes(resident)} MB)`,
        goal: `under ${MAX_GROWTH_MB} MB`,
        isMet: slope < MAX_GROWTH_MB,
      },
      slowdownFinding(name, seconds),
      {
        what: `${name}: database then`,
        measured: `${(bytes / MEGABYTE).toFixed(0)} MB`,
        goal: 'none: what is kept how long bounds it',
        isMet: true,
      },
    ];
  } finally {
    await setup.close();
  }
}

/** Whether what is stored makes work slower. */
function slowdownFinding(name: string, seconds: readonly number[]): LoadFinding {
  const times = (seconds.at(-1) ?? Number.NaN) / (seconds[2] ?? Number.NaN);
  return {
    what: `${name}: time of processors of the last tenth`,
    measured: `${times.toFixed(1)} times the third's (${formatMegabytes(seconds)} s)`,
    goal: `under ${MAX_SLOWDOWN}, on a busy machine too`,
    isMet: times < MAX_SLOWDOWN,
  };
}

/** A thousand runs take more requests than GitHub grants in an hour, and nobody wants to wait for the next ones. */
function liftRateLimits({ site: { github } }: LoadSetup): void {
  const { apiServer } = github;
  apiServer.replaceServerState({
    ...apiServer.serverState(),
    rateLimits: { requestsPerHour: 1_000_000_000, secondary: null },
  });
}

/** A task, its changes, and a person who denies them. */
async function playRun({ site }: LoadSetup, pull: TestPull, task: number): Promise<void> {
  const before = listShownProposals(site, pull).length;
  pull.act((person) => person.says(taskComment(task)));
  await pollUntil(() => listShownProposals(site, pull).length === before + CHANGES_PER_TASK);
  pull.act((person) => person.says('/deny all'));
  await pollUntil(() => listShownProposals(site, pull).every(({ body }) => body.includes(REJECTED_LABEL)));
}

/** Signals that were decided, of any kind. */
async function countDecidedSignals(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const counts = [...page.matchAll(/^countersign_signals_total\{[^}]*\} (\d+)$/gm)].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function databaseSize(db: Parameters<Parameters<typeof useDatabase>[1]>[0]['db']): Promise<number> {
  const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(db);
  return rows[0]?.size ?? Number.NaN;
}

function formatMegabytes(megabytes: readonly number[]): string {
  return megabytes.map((mb) => mb.toFixed(0)).join(', ');
}

/** By least squares: how much each step adds. */
function leastSquaresSlope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const spread = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return values.reduce((sum, value, at) => sum + value * (at - middle), 0) / spread;
}

const BYTES_PER_MEGABYTE = 1024 * 1024;

/** As long as somebody looks at a process that has just begun. */
const OBSERVE_MS = 15_000;

/** Two starts on the same database differ by less, once their garbage is collected. */
const START_COUNT = 3;

const NOISE_BYTES = 3 * BYTES_PER_MEGABYTE;

/** What a start costs with one run that waits for a decision, and with `runs` of them. */
export async function measurePendingRuns([name, open]: NamedDatabase, runs: number): Promise<readonly LoadFinding[]> {
  const setup = await createLoadSetup(open);
  try {
    await waitForDecision(setup);
    const few = await observeStarts(setup);
    await useDatabase(setup.database, ({ db }) => copyRuns(db, runs));
    const many = await observeStarts(setup);
    const more = (many.inUse - few.inUse) / BYTES_PER_MEGABYTE;
    const what = `${name}: ${runs.toLocaleString('en')} runs that wait, `;
    return [
      {
        what: `${what}memory in use 15 s after a start`,
        measured: `${more.toFixed(1)} MB more than with one (${(few.inUse / BYTES_PER_MEGABYTE).toFixed(0)} MB)`,
        goal: 'none (less than two starts differ, 3 MB)',
        isMet: more * BYTES_PER_MEGABYTE < NOISE_BYTES,
      },
      {
        what: `${what}requests in these 15 s`,
        measured: `${many.requests} (with one: ${few.requests})`,
        goal: 'no more than with one',
        isMet: many.requests <= few.requests,
      },
    ];
  } finally {
    await setup.close();
  }
}

async function waitForDecision(setup: LoadSetup): Promise<void> {
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

type StartObservation = { readonly inUse: number; readonly requests: number };

async function observeStarts(setup: LoadSetup): Promise<StartObservation> {
  const looks: StartObservation[] = [];
  for (let start = 0; start < START_COUNT; start += 1) looks.push(await observeStart(setup));
  return {
    inUse: quantile(
      looks.map((look) => look.inUse),
      0.5,
    ),
    requests: quantile(
      looks.map((look) => look.requests),
      0.5,
    ),
  };
}

async function observeStart(setup: LoadSetup): Promise<StartObservation> {
  const memoryProbe = await createMemoryProbe();
  const appProcess = setup.createProcess(memoryProbe.environment);
  const before = setup.site.github.requests.length;
  await startReady(appProcess);
  await sleep(OBSERVE_MS);
  const requests = setup.site.github.requests.length - before;
  const found = { inUse: await memoryProbe.bytesInUse(), requests };
  await appProcess.stop('SIGKILL');
  return found;
}

/** Columns that each copy has for itself; `n` counts the copies. */
const COPIED_COLUMNS: Readonly<Record<string, string>> = {
  pulls: `'pull_key', t.pull_key || '-' || n, 'run_id', t.run_id || '-' || n`,
  runs: `'pull_key', t.pull_key || '-' || n, 'run_id', t.run_id || '-' || n`,
  proposals: `'pull_key', t.pull_key || '-' || n, 'run_id', t.run_id || '-' || n, 'place', nextval('proposals_place_seq')`,
  messages: `'run_id', t.run_id || '-' || n`,
  effects: `'pull_key', t.pull_key || '-' || n, 'id', nextval('effects_id_seq')`,
  inbox: `'pull_key', t.pull_key || '-' || n, 'id', nextval('inbox_id_seq'),
    'delivery_id', t.delivery_id || '-' || n, 'content_key', t.content_key || '-' || n`,
};

/** The one run that is there, again and again on as many pull requests. */
async function copyRuns(db: Kysely<DatabaseSchema>, count: number): Promise<void> {
  for (const [table, own] of Object.entries(COPIED_COLUMNS)) {
    await sql`
      insert into ${sql.table(table)} select copy.* from ${sql.table(table)} as t cross join generate_series(2, ${sql.lit(count)}) as n,
        lateral jsonb_populate_record(t, jsonb_build_object(${sql.raw(own)})) as copy
    `.execute(db);
  }
}
