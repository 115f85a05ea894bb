import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MIGRATIONS } from './migrations.ts';

/** Its name says which migrations it has, so that an outdated one is never unpacked. */
const NAME = `database-${createHash('sha256').update(JSON.stringify(MIGRATIONS)).digest('hex').slice(0, 12)}.tar.gz`;

/** The places where `prepare-database.ts` and the build leave it: beside the sources, and beside the built files. */
const PLACES = ['../../../../dist/', '../../../../'].map((folder) =>
  fileURLToPath(new URL(`${folder}${NAME}`, import.meta.url)),
);

/** Where `scripts/prepare-database.ts` writes it. */
export const [PREPARED_DATABASE = ''] = PLACES;

/**
 * The migrated database that a first start unpacks: creating one takes three times as long and a gigabyte of memory.
 * Null where the installation made none.
 */
export function readPreparedDatabase(): Blob | null {
  const path = PLACES.find((place) => existsSync(place));
  return path === undefined ? null : new Blob([readFileSync(path)], { type: 'application/x-gzip' });
}
