import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { requireCurrentSchema } from '../../../../../src/adapters/store/engine/migrate.ts';
import { openPglite } from '../../../../../src/adapters/store/engine/pglite.ts';

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

describe('the prepared database', () => {
  it('O10: is unpacked at a first start, migrated, also after a killed one, and never over a database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-prepared-'));
    try {
      mkdirSync(join(folder, 'a', 'database.unfinished', 'base'), { recursive: true });
      const first = await identifierIn(join(folder, 'a'));
      expect(existsSync(join(folder, 'a', 'database.unfinished'))).toBe(false);
      expect(await identifierIn(join(folder, 'b'))).toBe(first);
      expect(await identifierIn(join(folder, 'a'))).toBe(first);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});
