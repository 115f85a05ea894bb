import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { proposalsOn } from '../src/chaos/page.ts';
import { CHANGES, taskText } from '../src/chaos/rows.ts';
import type { SitePull } from '../src/chaos/site.ts';
import { sendReplies } from './intake.ts';
import type { NamedDatabase } from './intake-table.ts';
import { type Finding, onDatabase, openScene, type Scene, startReady, until } from './load-scene.ts';
import { watchMemory } from './memory-in-use.ts';
import { usageOf } from './usage.ts';

const STEPS = 10;
const GOAL_MB = 5;
const GOAL_TIMES = 2;
const MEGABYTE = 1024 * 1024;

/** Memory after each tenth of 100,000 deliveries and 1,000 runs, once its garbage is collected. */
export async function growthFindings([name, open]: NamedDatabase, part: number): Promise<readonly Finding[]> {
  const scene = await openScene(open, STEPS);
  try {
    grantMore(scene);
    const watched = await watchMemory();
    const replica = scene.replica(watched.environment);
    await startReady(replica);
    const url = replica.url() ?? '';
    scene.site.github.webhookTarget(`${url}/api/github/webhooks`);
    const [inUse, resident, seconds]: [number[], number[], number[]] = [[], [], []];
    let replies = 0;
    for (const pull of scene.site.pulls) {
      const before = usageOf(replica.pid()).cpuMs;
      const { times } = await sendReplies(url, scene.site.github.app.webhookSecret, 10_000 * part);
      replies += times.length;
      await until(async () => (await settled(url)) >= replies, 600_000);
      for (let task = 0; task < 100 * part; task += 1) await playRun(scene, pull, task);
      await sleep(3_000);
      seconds.push((usageOf(replica.pid()).cpuMs - before) / 1_000);
      inUse.push((await watched.inUse()) / MEGABYTE);
      resident.push(usageOf(replica.pid()).resident / MEGABYTE);
    }
    await replica.stop('SIGTERM');
    const bytes = await onDatabase(scene.database, ({ db }) => sizeOf(db));
    // The first step fills caches of fixed sizes and compiles.
    const slope = slopeOf(inUse.slice(2)) / part;
    return [
      {
        what: `${name}: memory over ${(100_000 * part).toLocaleString('en')} deliveries and ${1_000 * part} runs`,
        measured: `${slope.toFixed(1)} MB per 10,000 deliveries (in use ${listed(inUse)}; resident ${listed(resident)} MB)`,
        goal: `under ${GOAL_MB} MB`,
        met: slope < GOAL_MB,
      },
      workFinding(name, seconds),
      {
        what: `${name}: database then`,
        measured: `${(bytes / MEGABYTE).toFixed(0)} MB`,
        goal: 'none: what is kept how long bounds it',
        met: true,
      },
    ];
  } finally {
    await scene.close();
  }
}

/** Whether what is stored makes work slower. */
function workFinding(name: string, seconds: readonly number[]): Finding {
  const times = (seconds.at(-1) ?? Number.NaN) / (seconds[2] ?? Number.NaN);
  return {
    what: `${name}: time of processors of the last tenth`,
    measured: `${times.toFixed(1)} times the third's (${listed(seconds)} s)`,
    goal: `under ${GOAL_TIMES}, on a busy machine too`,
    met: times < GOAL_TIMES,
  };
}

/** A thousand runs take more requests than GitHub grants in an hour, and nobody wants to wait for the next ones. */
function grantMore({ site: { github } }: Scene): void {
  const { gateway } = github;
  gateway.replaceState({ ...gateway.state(), limits: { requestsPerHour: 1_000_000_000, secondary: null } });
}

/** A task, its changes, and a person who denies them. */
async function playRun({ site }: Scene, pull: SitePull, task: number): Promise<void> {
  const before = proposalsOn(site, pull).length;
  pull.act((person) => person.says(taskText(task)));
  await until(() => proposalsOn(site, pull).length === before + CHANGES);
  pull.act((person) => person.says('/deny all'));
  await until(() => proposalsOn(site, pull).every(({ body }) => /rejected/i.test(body)));
}

/** Signals that were decided, of any kind. */
async function settled(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const counts = [...page.matchAll(/^countersign_signals_total\{[^}]*\} (\d+)$/gm)].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function sizeOf(db: Parameters<Parameters<typeof onDatabase>[1]>[0]['db']): Promise<number> {
  const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(db);
  return rows[0]?.size ?? Number.NaN;
}

function listed(megabytes: readonly number[]): string {
  return megabytes.map((mb) => mb.toFixed(0)).join(', ');
}

/** By least squares: how much each step adds. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const spread = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return values.reduce((sum, value, at) => sum + value * (at - middle), 0) / spread;
}
