import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { proposalsOn } from '../src/chaos/page.ts';
import { CHANGES, taskText } from '../src/chaos/rows.ts';
import type { Tables } from '../src/store/tables.ts';
import type { NamedDatabase } from './intake-table.ts';
import { type Finding, onDatabase, openScene, type Scene, startReady, until } from './load-scene.ts';
import { quantile } from './measure.ts';
import { watchMemory } from './memory-in-use.ts';

const MEGABYTE = 1024 * 1024;
/** As long as somebody looks at a process that has just begun. */
const LOOK_MS = 15_000;
/** Two starts on the same database differ by less, once their garbage is collected. */
const STARTS = 3;
const NOISE = 3 * MEGABYTE;

/** What a start costs with one run that waits for a decision, and with `runs` of them. */
export async function waitingFindings([name, open]: NamedDatabase, runs: number): Promise<readonly Finding[]> {
  const scene = await openScene(open);
  try {
    await waitForDecision(scene);
    const few = await lookAtStarts(scene);
    await onDatabase(scene.database, ({ db }) => copyRuns(db, runs));
    const many = await lookAtStarts(scene);
    const more = (many.inUse - few.inUse) / MEGABYTE;
    const what = `${name}: ${runs.toLocaleString('en')} runs that wait, `;
    return [
      {
        what: `${what}memory in use 15 s after a start`,
        measured: `${more.toFixed(1)} MB more than with one (${(few.inUse / MEGABYTE).toFixed(0)} MB)`,
        goal: 'none (less than two starts differ, 3 MB)',
        met: more * MEGABYTE < NOISE,
      },
      {
        what: `${what}requests in these 15 s`,
        measured: `${many.requests} (with one: ${few.requests})`,
        goal: 'no more than with one',
        met: many.requests <= few.requests,
      },
    ];
  } finally {
    await scene.close();
  }
}

async function waitForDecision(scene: Scene): Promise<void> {
  const { site } = scene;
  const replica = scene.replica();
  await startReady(replica);
  site.github.webhookTarget(`${replica.url()}/api/github/webhooks`);
  const [pull] = site.pulls;
  pull?.act((person) => person.says(taskText(0)));
  await until(() => pull !== undefined && proposalsOn(site, pull).length === CHANGES);
  await sleep(3_000);
  await replica.stop('SIGTERM');
}

type Look = { readonly inUse: number; readonly requests: number };

async function lookAtStarts(scene: Scene): Promise<Look> {
  const looks: Look[] = [];
  for (let start = 0; start < STARTS; start += 1) looks.push(await lookAtStart(scene));
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

async function lookAtStart(scene: Scene): Promise<Look> {
  const watched = await watchMemory();
  const replica = scene.replica(watched.environment);
  const before = scene.site.github.requests.length;
  await startReady(replica);
  await sleep(LOOK_MS);
  const requests = scene.site.github.requests.length - before;
  const found = { inUse: await watched.inUse(), requests };
  await replica.stop('SIGKILL');
  return found;
}

/** Columns that each copy has for itself; `n` counts the copies. */
const OWN: Readonly<Record<string, string>> = {
  pulls: `'pull_key', t.pull_key || '-' || n, 'run_id', t.run_id || '-' || n`,
  runs: `'pull_key', t.pull_key || '-' || n, 'run_id', t.run_id || '-' || n`,
  proposals: `'pull_key', t.pull_key || '-' || n, 'run_id', t.run_id || '-' || n, 'place', nextval('proposals_place_seq')`,
  messages: `'run_id', t.run_id || '-' || n`,
  effects: `'pull_key', t.pull_key || '-' || n, 'id', nextval('effects_id_seq')`,
  inbox: `'pull_key', t.pull_key || '-' || n, 'id', nextval('inbox_id_seq'),
    'delivery_id', t.delivery_id || '-' || n, 'natural_key', t.natural_key || '-' || n`,
};

/** The one run that is there, again and again on as many pull requests. */
async function copyRuns(db: Kysely<Tables>, count: number): Promise<void> {
  for (const [table, own] of Object.entries(OWN)) {
    await sql`
      insert into ${sql.table(table)} select copy.* from ${sql.table(table)} as t cross join generate_series(2, ${sql.lit(count)}) as n,
        lateral jsonb_populate_record(t, jsonb_build_object(${sql.raw(own)})) as copy
    `.execute(db);
  }
}
