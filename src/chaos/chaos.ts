import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Chance, openChance } from '../simulation/chance.ts';
import { type ChaosDatabase, databaseOn, embeddedDatabase } from './database.ts';
import { isFinished, judge, type Verdict } from './judge.ts';
import { killedServer } from './killed-server.ts';
import { exportLedger, ledgerWrong } from './ledger.ts';
import { type Blows, strike } from './misfortune.ts';
import type { ChaosOptions, ChaosPlace } from './options.ts';
import { openPeople, type People } from './people.ts';
import { openRelay, type RelayCounts } from './relay.ts';
import { openReplica, type Replica } from './replica.ts';
import { findPrograms } from './server-programs.ts';
import { openSite, type Site } from './site.ts';

export type ChaosResult = {
  readonly verdict: Verdict;
  readonly blows: Blows;
  readonly deliveries: Readonly<RelayCounts>;
  /** As the database's. */
  readonly forgotten: number | null;
};

/** How long people look away, ms. */
const LOOK_MS = 150;
/**
 * How long what was begun may take to come to its end, ms: longer than any pause before another try, and than some looks at
 * GitHub's log, which are minutes apart where one does not get through all that the deaths of a database put in doubt.
 */
const END_MS = 900_000;

const NO_PROGRAMS =
  'This machine has no PostgreSQL programs (initdb, postgres) that may be run, so --kill-server is not run.';

type Scene = {
  readonly site: Site;
  readonly people: People;
  readonly replicas: readonly Replica[];
  readonly database: ChaosDatabase;
};

/** It could not begin; the message says why. */
export class ChaosRefused extends Error {}

/** Plays it once. `tell` hears a line now and then. Rejects where it could not begin. */
export async function playChaos(options: ChaosOptions, tell: (line: string) => void): Promise<ChaosResult> {
  const database = await openDatabase(options.database, openChance(options.seed + 3));
  const site = await openSite(options.pulls);
  const cache = await mkdtemp(join(tmpdir(), 'countersign-chaos-cache-'));
  const environment = { ...site.environment, ...database.environment, NODE_COMPILE_CACHE: cache };
  const replicas = Array.from({ length: options.replicas }, () => openReplica(environment));
  const urls = (): readonly string[] => replicas.flatMap((one) => one.url() ?? []);
  const relay = await openRelay(openChance(options.seed + 1), urls);
  const people = openPeople(site, openChance(options.seed));
  try {
    for (const replica of replicas) await replica.start();
    site.github.webhookTarget(`${relay.url}/api/github/webhooks`);
    const scene = { site, people, replicas, database };
    const blows = await trouble(scene, options, tell);
    relay.behave();
    await windUp(scene, tell);
    const forgotten = database.forgotten?.() ?? null;
    const verdict = verdictOf(scene);
    const wrong = [...verdict.wrong, ...(await afterwards(scene, environment))];
    return { verdict: { ...verdict, wrong }, blows, deliveries: relay.counts, forgotten };
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop('SIGKILL')));
    await Promise.all([relay.close(), site.close(), database.drop()]);
    await rm(cache, { recursive: true, force: true });
  }
}

async function openDatabase(place: ChaosPlace, chance: Chance): Promise<ChaosDatabase> {
  switch (place.kind) {
    case 'embedded':
      return embeddedDatabase();
    case 'server':
      return databaseOn(place.url);
    case 'killed-server': {
      const programs = findPrograms();
      if (programs === null) throw new ChaosRefused(NO_PROGRAMS);
      return killedServer(programs, chance);
    }
  }
}

async function trouble(
  { people, replicas, database, site }: Scene,
  { seconds, seed }: ChaosOptions,
  tell: (line: string) => void,
): Promise<Blows> {
  const until = Date.now() + seconds * 1000;
  const striking = strike({ replicas, database, chance: openChance(seed + 2) }, until);
  let told = Date.now();
  while (Date.now() < until) {
    people.look('at work');
    await sleep(LOOK_MS);
    if (Date.now() - told < 5_000) continue;
    told = Date.now();
    const { tasks, approved, commits } = judge(site, people.deeds);
    tell(`${Math.ceil((until - told) / 1000)} s to go: ${tasks} tasks, ${approved} approved, ${commits} committed`);
  }
  return striking;
}

/**
 * Lets everything come to its end. One process starts anew, since webhooks that nobody took are looked for at a start,
 * and otherwise only every five minutes.
 */
async function windUp({ site, people, replicas }: Scene, tell: (line: string) => void): Promise<void> {
  tell('No more trouble: what was begun comes to its end.');
  const deadline = Date.now() + END_MS;
  await replicas[0]?.stop('SIGTERM');
  await replicas[0]?.start();
  while (Date.now() < deadline) {
    people.look('winding up');
    await sleep(LOOK_MS);
    if (!isFinished(site, people.deeds)) continue;
    await site.github.settled();
    return;
  }
}

/** What the App leaves behind once nobody runs it: no process that will not end, and a ledger that explains what it did. */
async function afterwards(
  { site, people, replicas }: Scene,
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const ends = await Promise.all(replicas.map((replica) => replica.stop('SIGTERM')));
  const bad = ends
    .filter((end) => end !== 0 && end !== 'absent')
    .map((end) => `a process ended with ${end} at the end`);
  return [...bad, ...ledgerWrong(site, people.deeds, await exportLedger(environment))];
}

function verdictOf({ site, people, replicas }: Scene): Verdict {
  const verdict = judge(site, people.deeds);
  const falls = replicas.flatMap((replica) => replica.falls.map((fall) => `a process ${fall}`));
  return { ...verdict, wrong: [...verdict.wrong, ...falls, ...site.github.violations, ...site.model.violations] };
}
