import { migrate } from './migrate.ts';
import { openPglite } from './open-pglite.ts';
import { openPostgres } from './open-postgres.ts';
import type { Store } from './store.ts';
import { storeOn } from './store-on.ts';

/** Which database: PostgreSQL where `databaseUrl` is set, else an embedded one in `dataDir`, or in memory where that is null too. */
export type StorePlace = { readonly databaseUrl: string | null; readonly dataDir: string | null };

/**
 * Opens the store and brings its database to this version's form.
 * An embedded database on disk syncs every commit.
 * Throws `StoreUnusable` where that cannot be: the directory is in use, the database unreachable, or of a newer version.
 */
export async function openStore({ databaseUrl, dataDir }: StorePlace): Promise<Store> {
  const backend = await (databaseUrl === null ? openPglite(dataDir) : openPostgres(databaseUrl));
  try {
    await migrate(backend.db);
  } catch (error) {
    await backend.close();
    throw error;
  }
  return storeOn(backend);
}
