import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { PACKAGE_ROOT } from '../../../lib/package-root.ts';
import { MIGRATIONS } from './migrations.ts';

/** A new database keeps five segments of its log on the disk: of a megabyte each, where sixteen are the default. */
export const INITDB_OPTIONS = ['--wal-segsize=1'];

/** Halves the files of a new database: nothing is ever created from its templates. */
export const DROP_TEMPLATES = ['template0', 'template1'].flatMap((name) => [
  `alter database ${name} is_template false`,
  `drop database ${name}`,
]);

/** Its name says how it was made, so that an outdated one is never unpacked. */
const HOW = createHash('sha256').update(JSON.stringify([MIGRATIONS, INITDB_OPTIONS, DROP_TEMPLATES]));

const NAME = `database-${HOW.digest('hex').slice(0, 12)}.tar.gz`;

/** Where `scripts/prepare-database.ts` writes it, in a checkout and in the package. */
export const PREPARED_DATABASE = join(PACKAGE_ROOT, 'dist', NAME);

/** Whether the next start makes a database, because there is none and the installation prepared none for this version. */
export function mustMakeDatabase(dataDir: string, prepared: string = PREPARED_DATABASE): boolean {
  return !existsSync(prepared) && !existsSync(join(dataDir, 'database', 'PG_VERSION'));
}

/** The migrated database as a tar archive; null where the installation made none. */
export function readPreparedDatabase(): Buffer<ArrayBuffer> | null {
  return existsSync(PREPARED_DATABASE) ? gunzipSync(readFileSync(PREPARED_DATABASE)) : null;
}

/**
 * Unpacks the migrated database into an empty directory: creating one takes three times as long and a gigabyte of
 * memory. Does nothing where the installation made none. A process that is killed meanwhile leaves the directory empty.
 */
export async function unpackPreparedDatabase(directory: string): Promise<void> {
  const archive = readPreparedDatabase();
  if (archive === null) return;
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const tar = extract();
  tar.end(archive);
  await writeEntries(tar, unfinished);
  rmSync(directory, { recursive: true });
  renameSync(unfinished, directory);
}

async function writeEntries(tar: Extract, directory: string): Promise<void> {
  for await (const entry of tar) {
    const path = join(directory, entry.header.name);
    if (entry.header.type === 'directory') mkdirSync(path, { recursive: true, mode: 0o700 });
    else writeFileSync(path, await buffer(entry), { mode: 0o600 });
  }
}
