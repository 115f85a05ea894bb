/**
 * Makes the embedded database that a first start unpacks: initialised, migrated and compressed. npm runs it after an
 * installation. Where it fails, the first start creates the database itself.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { PGlite } from '@electric-sql/pglite';

/** Loaded late: an installation for production has no tools to load it, and `npm ci` goes on there. */
async function loadEngine() {
  return {
    ...(await import('../src/adapters/store/engine/migrate.ts')),
    ...(await import('../src/adapters/store/engine/pglite.ts')),
    ...(await import('../src/adapters/store/engine/data-directory.ts')),
  };
}

async function createArchive(engine: Awaited<ReturnType<typeof loadEngine>>): Promise<Buffer> {
  const pglite = await PGlite.create(engine.PGLITE_OPTIONS);
  await engine.migrate(engine.createPgliteBackend(pglite, async () => {}).db);
  for (const statement of engine.DROP_TEMPLATES) await pglite.exec(statement);
  const archive = await pglite.dumpDataDir('gzip');
  await pglite.close();
  return Buffer.from(await archive.arrayBuffer());
}

try {
  const engine = await loadEngine();
  if (!existsSync(engine.PREPARED_DATABASE)) {
    const archive = await createArchive(engine);
    mkdirSync(dirname(engine.PREPARED_DATABASE), { recursive: true });
    writeFileSync(engine.PREPARED_DATABASE, archive);
  }
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`The embedded database was not prepared (${reason}). Without one the first start creates it.\n`);
}
