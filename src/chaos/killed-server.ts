import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Chance } from '../simulation/chance.ts';
import { type ChaosDatabase, databaseOn } from './database.ts';
import { ownServer } from './own-server.ts';
import type { ServerPrograms } from './server-programs.ts';

/** How a server dies: all of it, all of it after it hung, or one of its processes, which takes the others along. */
const DEATHS = ['at once', 'frozen', 'one process'] as const;
const FROZEN = [50, 1_500] as const;
/** That a process of it has died is noticed in a moment. */
const NOTICED_MS = 100;

/**
 * A database on a PostgreSQL server of its own, which a restart kills: what was committed without waiting for the disk may
 * be gone afterwards. Throws where the server cannot be made.
 */
export async function killedServer(programs: ServerPrograms, chance: Chance): Promise<ChaosDatabase> {
  const server = await ownServer(programs);
  try {
    await server.start();
    const { environment } = await databaseOn(server.url);
    const witness = await openWitness(server.url);
    return {
      environment,
      forgotten: witness.forgotten,
      async restart(ms) {
        await witness.commits();
        const death = chance.pick(DEATHS);
        if (death === 'one process') {
          server.crashOne(chance.pick);
          await sleep(NOTICED_MS);
          await server.answers();
        } else {
          await server.crash(death === 'frozen' ? chance.between(...FROZEN) : 0);
          await sleep(ms);
          await server.start();
        }
        await witness.looks();
      },
      drop: () => server.remove(),
    };
  } catch (error) {
    await server.remove();
    throw error;
  }
}

/** Somebody whose commits never wait for the disk: how many are gone shows what a death took along. */
type Witness = {
  /** Commits once more; resolves once that is done as far as the server says. */
  readonly commits: () => Promise<void>;
  /** Looks whether the last one is still there. */
  readonly looks: () => Promise<void>;
  /** Commits that were gone. */
  readonly forgotten: () => number;
};

async function openWitness(url: string): Promise<Witness> {
  await ask(url, 'create table witness (commit integer)');
  let [commits, forgotten] = [0, 0];
  return {
    async commits() {
      commits += 1;
      await ask(url, `set synchronous_commit = off; insert into witness values (${commits})`);
    },
    async looks() {
      const rows = await ask(url, `select from witness where commit = ${commits}`);
      if (rows === 0) forgotten += 1;
    },
    forgotten: () => forgotten,
  };
}

/** Gives how many rows there were. */
async function ask(url: string, statement: string): Promise<number> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rowCount } = await client.query(statement);
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}
