import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { MIGRATIONS } from './migrations.ts';

/** A new database keeps five segments of its log on the disk: of a megabyte each, where sixteen are the default. */
export const INITDB_OPTIONS = ['--wal-segsize=1'];

/** Its name says how it was made, so that an outdated one is never unpacked. */
const HOW = createHash('sha256').update(JSON.stringify([MIGRATIONS, INITDB_OPTIONS]));

const NAME = `database-${HOW.digest('hex').slice(0, 12)}.tar.gz`;

/** The places where `prepare-database.ts` and the build leave it: beside the sources, and beside the built files. */
const PLACES = ['../../../../dist/', '../../../../'].map((folder) =>
  fileURLToPath(new URL(`${folder}${NAME}`, import.meta.url)),
);

/** Where `scripts/prepare-database.ts` writes it. */
export const [PREPARED_DATABASE = ''] = PLACES;

/**
 * Unpacks the migrated database into an empty directory: creating one takes three times as long and a gigabyte of
 * memory. Does nothing where the installation made none. A process that is killed meanwhile leaves the directory empty.
 */
export async function unpackPreparedDatabase(directory: string): Promise<void> {
  const archive = PLACES.find((place) => existsSync(place));
  if (archive === undefined) return;
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const tar = extract();
  tar.end(gunzipSync(readFileSync(archive)));
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
