import type { Kysely } from 'kysely';
import { formOf, NEWEST_FORM } from './form.ts';
import type { Tables } from './tables.ts';

/**
 * Throws where the database does not answer, or has not the form that this version needs: it may have been restored
 * under a process that runs. A newer one is no reason to stop, for versions are replaced one process after the other.
 */
export async function ping(db: Kysely<Tables>): Promise<void> {
  const form = await formOf(db);
  if (form < NEWEST_FORM) throw new Error(`the database has form ${form}; this version needs ${NEWEST_FORM}`);
}
