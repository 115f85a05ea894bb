import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../simulation/chance.ts';
import type { ChaosDatabase } from './database.ts';
import type { Replica } from './replica.ts';

/** What was done to the processes, and how they took it; times are ms. */
export type Blows = {
  kills: number;
  ends: number;
  hangs: number;
  restarts: number;
  /** From each kill's or end's new start until deliveries are taken. */
  readonly ready: number[];
  readonly wrong: string[];
};

type OnReplica = 'kill' | 'end' | 'hang';

/** Kills outnumber the rest. */
const ON_REPLICA: readonly OnReplica[] = ['kill', 'kill', 'kill', 'end', 'end', 'hang'];
/** As often as all of these a server dies that may: that is what such a run is about. */
const DEATHS = ON_REPLICA.length;
/** Between two blows, ms. */
const PAUSE = [200, 2_000] as const;
const AWAY = [0, 1_500] as const;

/** Strikes at random until `until` (ms on the wall), and leaves every process running. */
export async function strike(
  { replicas, database, chance }: { replicas: readonly Replica[]; database: ChaosDatabase; chance: Chance },
  until: number,
): Promise<Blows> {
  const blows: Blows = { kills: 0, ends: 0, hangs: 0, restarts: 0, ready: [], wrong: [] };
  const { restart, forgotten } = database;
  const restarts = Array.from({ length: forgotten === null ? 1 : DEATHS }, () => 'restart' as const);
  const kinds = restart === null ? ON_REPLICA : [...ON_REPLICA, ...restarts];
  const busy = new Map<Replica | ChaosDatabase, Promise<void>>();
  while (Date.now() < until) {
    await sleep(chance.between(...PAUSE));
    const kind = chance.pick(kinds);
    const replica = chance.pick(replicas);
    const target = kind === 'restart' ? database : replica;
    if (busy.has(target)) continue;
    const blow = kind === 'restart' ? onDatabase(restart, chance, blows) : onReplica(kind, replica, chance, blows);
    busy.set(
      target,
      blow.finally(() => busy.delete(target)),
    );
  }
  await Promise.all(busy.values());
  return blows;
}

async function onDatabase(restart: ChaosDatabase['restart'], chance: Chance, blows: Blows): Promise<void> {
  if (restart === null) return;
  blows.restarts += 1;
  await restart(chance.between(...AWAY));
}

async function onReplica(kind: OnReplica, replica: Replica, chance: Chance, blows: Blows): Promise<void> {
  const away = chance.between(...AWAY);
  if (kind === 'hang') {
    blows.hangs += 1;
    return replica.hang(away);
  }
  const signal = kind === 'kill' ? 'SIGKILL' : 'SIGTERM';
  blows[kind === 'kill' ? 'kills' : 'ends'] += 1;
  const end = await replica.stop(signal);
  if (signal === 'SIGTERM' && end !== 0 && end !== 'absent')
    blows.wrong.push(`a process ended with ${end} when it was told to end`);
  await sleep(away);
  blows.ready.push(await replica.start());
}
