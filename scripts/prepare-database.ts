/**
 * Makes the embedded database that a first start unpacks: initialised, migrated and compressed. npm runs it after an
 * installation. Where it fails, the first start creates the database itself.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { PGlite } from '@electric-sql/pglite';
import { migrate } from '../src/adapters/store/engine/migrate.ts';
import { createPgliteBackend, PGLITE_OPTIONS } from '../src/adapters/store/engine/pglite.ts';
import { DROP_TEMPLATES, PREPARED_DATABASE } from '../src/adapters/store/engine/prepared-database.ts';

async function createArchive(): Promise<Buffer> {
  const pglite = await PGlite.create(PGLITE_OPTIONS);
  await migrate(createPgliteBackend(pglite, async () => {}).db);
  for (const statement of DROP_TEMPLATES) await pglite.exec(statement);
  const archive = await pglite.dumpDataDir('gzip');
  await pglite.close();
  return Buffer.from(await archive.arrayBuffer());
}

try {
  if (!existsSync(PREPARED_DATABASE)) {
    const archive = await createArchive();
    mkdirSync(dirname(PREPARED_DATABASE), { recursive: true });
    writeFileSync(PREPARED_DATABASE, archive);
  }
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`The embedded database could not be prepared (${reason}); the first start creates it.\n`);
}
