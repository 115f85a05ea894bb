import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Backend } from './backend.ts';
import { formOf, NEWEST_FORM } from './form.ts';
import { openPglite } from './open-pglite.ts';
import { openPostgres } from './open-postgres.ts';
import type { StorePlace } from './open-store.ts';
import { StoreUnusable } from './store-unusable.ts';
import type { Tables } from './tables.ts';

/**
 * Opens a database to read its ledger; its form is left as it is, because a server of another version may be at work.
 * Throws `StoreUnusable` where there is none, where it cannot be opened, and where its form is not this version's.
 */
export async function openLedger({ databaseUrl, dataDir }: StorePlace): Promise<Backend> {
  if (databaseUrl === null && dataDir !== null && !existsSync(join(dataDir, 'database', 'PG_VERSION')))
    throw new StoreUnusable(
      `There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL to what the server runs with.`,
    );
  const backend = await (databaseUrl === null ? openPglite(dataDir) : openPostgres(databaseUrl));
  try {
    await refuseOtherForm(backend.db);
    return backend;
  } catch (error) {
    await backend.close();
    throw error;
  }
}

async function refuseOtherForm(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('migrations') is not null as there`.execute(db);
  const form = rows[0]?.there === true ? await formOf(db) : 0;
  if (form === NEWEST_FORM) return;
  throw new StoreUnusable(
    `The database has form ${form}, and this version of Countersign reads form ${NEWEST_FORM}. ` +
      `Use the version that its server runs${form < NEWEST_FORM ? ', or start the server of this version once' : ''}.`,
  );
}
