import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { mustMakeDatabase, PREPARED_DATABASE } from '../../../../../src/adapters/store/engine/data-directory.ts';
import { requireCurrentSchema } from '../../../../../src/adapters/store/engine/migrate.ts';
import { openPglite } from '../../../../../src/adapters/store/engine/pglite.ts';
import { scratchFolder } from '../../../../support/scratch-folder.ts';

/** What `initdb` gives each database that it creates. */
async function identifierIn(directory: string): Promise<string> {
  const backend = await openPglite(directory);
  try {
    await requireCurrentSchema(backend.db);
    const { rows } = await sql<{ id: string }>`
      select system_identifier::text as id from pg_control_system()
    `.execute(backend.db);
    return rows[0]?.id ?? '';
  } finally {
    await backend.close();
  }
}

const folder = scratchFolder();

describe('the prepared database', () => {
  it('O10: a first start makes the database itself where none was prepared, or one for another version', () => {
    const prepared = join(folder, basename(PREPARED_DATABASE));
    const mustMake = () => mustMakeDatabase(join(folder, 'data'), prepared);
    writeFileSync(join(folder, 'database-0123456789ab.tar.gz'), '');
    expect(mustMake()).toBe(true);
    writeFileSync(prepared, '');
    expect(mustMake()).toBe(false);
    rmSync(prepared);
    mkdirSync(join(folder, 'data/database'), { recursive: true });
    writeFileSync(join(folder, 'data/database/PG_VERSION'), '18');
    expect(mustMake()).toBe(false);
  });

  it('O10: is unpacked at a first start, migrated, also after a killed one, and never over a database', async () => {
    mkdirSync(join(folder, 'a', 'database.unfinished', 'base'), { recursive: true });
    const first = await identifierIn(join(folder, 'a'));
    expect(existsSync(join(folder, 'a', 'database.unfinished'))).toBe(false);
    expect(await identifierIn(join(folder, 'b'))).toBe(first);
    expect(await identifierIn(join(folder, 'a'))).toBe(first);
  }, 60_000);
});
