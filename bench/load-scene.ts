import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosDatabase } from '../src/chaos/database.ts';
import { openReplica, type Replica } from '../src/chaos/replica.ts';
import { openSite, type Site } from '../src/chaos/site.ts';
import type { Backend } from '../src/store/backend.ts';
import { openPglite } from '../src/store/open-pglite.ts';
import { openPostgres } from '../src/store/open-postgres.ts';

/** What was measured beside its goal. */
export type Finding = {
  readonly what: string;
  readonly measured: string;
  readonly goal: string;
  readonly met: boolean;
};

/** A simulated GitHub with a model, a database, and processes of the App. */
export type Scene = {
  readonly site: Site;
  readonly database: ChaosDatabase;
  /** Another process of the App that has not begun yet, with these variables too. */
  readonly replica: (more?: Readonly<Record<string, string>>) => Replica;
  /** Ends all processes and drops everything. */
  readonly close: () => Promise<void>;
};

export async function openScene(open: () => Promise<ChaosDatabase>, pulls = 1): Promise<Scene> {
  const [site, database] = [await openSite(pulls), await open()];
  const replicas: Replica[] = [];
  return {
    site,
    database,
    replica(more = {}) {
      const replica = openReplica({ ...site.environment, ...database.environment, ...more });
      replicas.push(replica);
      return replica;
    },
    async close() {
      await Promise.all(replicas.map((one) => one.stop('SIGKILL')));
      await Promise.all([site.close(), database.drop()]);
    },
  };
}

/** Starts it; resolves once it says that it is ready, with the ms that took. */
export async function startReady(replica: Replica): Promise<number> {
  const begun = performance.now();
  await replica.start();
  await until(async () => (await fetch(`${replica.url()}/readyz`)).ok);
  return performance.now() - begun;
}

/** From now on neither GitHub nor the model answers anything. */
export function stall({ github, model }: Site): void {
  github.faults.add({ on: '*', kind: 'hang', applied: false, times: Number.POSITIVE_INFINITY });
  model.otherwise({ fault: 'hang' });
}

/** Works on the database while no process of the App does. */
export async function onDatabase<Value>(
  { environment: { DATABASE_URL, DATA_DIR } }: ChaosDatabase,
  work: (backend: Backend) => Promise<Value>,
): Promise<Value> {
  const backend = await (DATABASE_URL === undefined ? openPglite(DATA_DIR ?? null) : openPostgres(DATABASE_URL));
  try {
    return await work(backend);
  } finally {
    await backend.close();
  }
}

/** Looks every few ms; throws after so many ms. */
export async function until(done: () => boolean | Promise<boolean>, ms = 120_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error(`It did not happen within ${ms} ms.`);
    await sleep(5);
  }
}
