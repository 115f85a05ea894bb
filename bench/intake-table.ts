import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { ChaosDatabase } from '../src/chaos/database.ts';
import { firstUrl, openReplica } from '../src/chaos/replica.ts';
import { openSite } from '../src/chaos/site.ts';
import { type Intake, measureIntake } from './intake.ts';
import { quantile } from './measure.ts';
import { usageOf } from './usage.ts';

/** Somebody who takes deliveries while this is open. */
type Taker = {
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly pid: number | null | undefined;
  readonly close: () => Promise<void>;
};

/** What a taker did in all turns: each turn, and the time of processors that all deliveries took (ms). */
export type Taken = { readonly name: string; readonly turns: readonly Intake[]; readonly cpuMs: number };

export type NamedDatabase = readonly [name: string, open: () => Promise<ChaosDatabase>];

const TURNS = 9;
const TURN_MS = 2_000;

/**
 * A Probot server that does nothing, and the App on each database, in turn: what else the machine does falls on each
 * alike. All of them are warm; the App's worker is paused, for there is nothing to compare it with.
 */
export async function measureIntakes(databases: readonly NamedDatabase[]): Promise<readonly Taken[]> {
  const takers = [await openProbot()];
  try {
    for (const database of databases) takers.push(await openApp(database));
    const taken = takers.map(({ name }) => ({ name, turns: [] as Intake[], cpuMs: 0 }));
    for (const taker of takers) await turnOf(taker);
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [place, taker] of takers.entries()) {
        const { intake, cpuMs } = await turnOf(taker);
        const one = taken[place];
        one?.turns.push(intake);
        if (one !== undefined) one.cpuMs += cpuMs;
      }
    }
    return taken;
  } finally {
    await Promise.all(takers.map((taker) => taker.close()));
  }
}

async function turnOf({ url, secret, pid }: Taker): Promise<{ readonly intake: Intake; readonly cpuMs: number }> {
  const before = usageOf(pid).cpuMs;
  const intake = await measureIntake(url, secret, TURN_MS);
  return { intake, cpuMs: usageOf(pid).cpuMs - before };
}

/** A line for each; the first is what the others are compared with. */
export function intakeTable(all: readonly Taken[]): readonly string[] {
  const rows = all.map(({ name, turns, cpuMs }) => {
    const times = turns.flatMap((turn) => turn.times);
    const rate = quantile(
      turns.map(({ perSecond }) => perSecond),
      0.5,
    );
    const refused = turns.reduce((sum, turn) => sum + turn.refused, 0);
    return { name, rate, cpu: cpuMs / times.length, slow: quantile(times, 0.99), refused };
  });
  const [yardstick] = rows;
  return rows.map(({ name, rate, cpu, slow, refused }) => {
    const ratios = `${times(rate, yardstick?.rate)} Probot's rate, ${times(yardstick?.cpu, cpu)} its rate by time of processors`;
    return `${name.padEnd(38)} ${rate.toFixed(0).padStart(6)} (${ratios}; p99 ${slow.toFixed(0)} ms; refused ${refused})`;
  });
}

function times(one = Number.NaN, other = Number.NaN): string {
  return `${(one / other).toFixed(2)} ×`;
}

async function openApp([name, open]: NamedDatabase): Promise<Taker> {
  const [site, database] = [await openSite(1), await open()];
  const replica = openReplica({ ...site.environment, ...database.environment, PAUSED: '1' });
  await replica.start();
  return {
    name: `Countersign, stored on ${name}`,
    url: replica.url() ?? '',
    secret: site.github.app.webhookSecret,
    pid: replica.pid(),
    async close() {
      await replica.stop('SIGKILL');
      await Promise.all([site.close(), database.drop()]);
    },
  };
}

async function openProbot(): Promise<Taker> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('probot-server.ts', import.meta.url)), 'secret'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_ENV: 'production' },
  });
  const url = (await firstUrl(child)) ?? '';
  const close = async (): Promise<void> => void child.kill('SIGKILL');
  return { name: 'Probot, a handler that does nothing', url, secret: 'secret', pid: child.pid, close };
}
