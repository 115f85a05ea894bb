/**
 * `npm run bench:app [rounds] [PostgreSQL URL]`: how quick the whole App is, as a process of its own, where GitHub and the
 * model answer at once; and how many deliveries it takes a second, beside a Probot server that does nothing with them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type ChaosDatabase, databaseOn, embeddedDatabase } from '../src/chaos/database.ts';
import { openReplica } from '../src/chaos/replica.ts';
import { openSite } from '../src/chaos/site.ts';
import { isRecord, parseJson } from '../src/trust.ts';
import { HOPS, measureHops } from './hops.ts';
import { type Intake, measureIntake } from './intake.ts';
import { measureLatencies, HOPS as REMOTE_HOPS } from './latency.ts';

const INTAKE_MS = 4_000;
const [given = '5', server] = process.argv.slice(2);
const rounds = Number(given);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('the number of rounds must be 1 or more');

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function at(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function row(name: string, values: readonly number[], goal: string): void {
  say(`${name.padEnd(44)} ${at(values, 0.5).toFixed(0).padStart(6)} ms (longest ${at(values, 1).toFixed(0)}; ${goal})`);
}

async function onDatabase(name: string, open: () => Promise<ChaosDatabase>): Promise<void> {
  say(`\n${name}`);
  const database = await open();
  try {
    const { review, commit, hops } = await measureLatencies(database.environment, rounds);
    row('task to posted review', review, 'goal 500');
    row('/approve to commit', commit, 'goal 300');
    row(`${REMOTE_HOPS} hops, with HTTP and the simulation`, hops, 'no goal');
  } finally {
    await database.drop();
  }
}

/** What is the App's own of a chain: GitHub and the model are in this process, and their own work is taken off. */
async function hopsOn(open: () => Promise<ChaosDatabase>): Promise<void> {
  const database = await open();
  const { DATABASE_URL: databaseUrl = null, DATA_DIR: dataDir = null } = database.environment;
  try {
    const chains = await measureHops({ databaseUrl, dataDir }, rounds * 4);
    const own = chains.map(({ whole, answering }) => whole - answering);
    row(`${HOPS} hops, GitHub and model at once`, own, 'goal 50');
  } finally {
    await database.drop();
  }
}

async function intakeOfApp(open: () => Promise<ChaosDatabase>): Promise<Intake> {
  const site = await openSite(1);
  const database = await open();
  const replica = openReplica({ ...site.environment, ...database.environment, PAUSED: '1' });
  try {
    await replica.start();
    return await measureIntake(replica.url() ?? '', site.github.app.webhookSecret, INTAKE_MS);
  } finally {
    await replica.stop('SIGKILL');
    await Promise.all([site.close(), database.drop()]);
  }
}

async function intakeOfProbot(): Promise<Intake> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('probot-server.ts', import.meta.url)), 'secret'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_ENV: 'production' },
  });
  try {
    return await measureIntake(await urlOf(child), 'secret', INTAKE_MS);
  } finally {
    child.kill('SIGKILL');
  }
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('It has no output.');
  let text = '';
  const said = (): string | undefined =>
    text
      .split('\n')
      .slice(0, -1)
      .find((line) => line.startsWith('{"url"'));
  while (said() === undefined) text += String((await once(stdout, 'data'))[0]);
  const line = parseJson(said() ?? '');
  return isRecord(line) ? String(line['url']) : '';
}

const databases = [
  ['PGlite', embeddedDatabase],
  ...(server === undefined ? [] : [['PostgreSQL', () => databaseOn(server)] as const]),
] as const;

for (const [name, open] of databases) {
  await onDatabase(name, open);
  await hopsOn(open);
}

say('\ndeliveries acknowledged a second (20 kB, signed; median of three turns)');
const kinds: readonly (readonly [string, () => Promise<Intake>])[] = [
  ['Probot, a handler that does nothing', intakeOfProbot],
  ...databases.map(([name, open]) => [`Countersign, stored on ${name}`, () => intakeOfApp(open)] as const),
];
const taken = kinds.map((): Intake[] => []);
for (let turn = 0; turn < 3; turn += 1) {
  for (const [place, [, measure]] of kinds.entries()) taken[place]?.push(await measure());
}
const yardstick = at(
  (taken[0] ?? []).map(({ perSecond }) => perSecond),
  0.5,
);
for (const [place, [name]] of kinds.entries()) {
  const turns = taken[place] ?? [];
  const rate = at(
    turns.map(({ perSecond }) => perSecond),
    0.5,
  );
  const slow = at(
    turns.flatMap(({ times }) => times),
    0.99,
  );
  const refused = turns.reduce((sum, one) => sum + one.refused, 0);
  say(
    `${name.padEnd(44)} ${rate.toFixed(0).padStart(6)} (${(rate / yardstick).toFixed(2)} × Probot; p99 ${slow.toFixed(0)} ms; refused ${refused})`,
  );
}
