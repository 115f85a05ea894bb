import { afterEach, describe, expect, it } from 'vitest';
import { DatabaseError } from '../../../src/adapters/store/engine/errors.ts';
import { listMissingMigrations, migrate } from '../../../src/adapters/store/engine/migrate.ts';
import { MIGRATIONS } from '../../../src/adapters/store/engine/migrations.ts';
import { delivery } from './samples.ts';
import type { DatabaseHarness } from './store-under-test.ts';

/** Migrations keep the data, run once, and apply completely or not at all. */
export function schemaVersionContract({ backend, store, value, rebuild }: DatabaseHarness): void {
  describe('schema version', () => {
    afterEach(rebuild);

    const next = MIGRATIONS.length + 1;
    const good = { number: next, name: 'next', sql: 'alter table inbox add column more text' };

    it('migrations are numbered from 1 without gaps', () => {
      expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
    });

    it('migrating again, even concurrently, changes nothing', async () => {
      await Promise.all([migrate(backend().db), migrate(backend().db), migrate(backend().db)]);
      expect(await value('select count(*) from migrations')).toBe(MIGRATIONS.length);
    });

    it('ping rejects an older schema, which a restored backup can bring, and accepts a newer one (J5)', async () => {
      await expect(store().ping()).resolves.toBeUndefined();
      await migrate(backend().db, [...MIGRATIONS, good]);
      await expect(store().ping()).resolves.toBeUndefined();
      await value(`delete from migrations where number >= ${MIGRATIONS.length}`);
      await expect(store().ping()).rejects.toThrow(`schema version ${MIGRATIONS.length - 1}`);
      await value('drop table migrations');
      await expect(store().ping()).rejects.toThrow('migrations');
    });

    it('migrates existing data, and says from which version to which (G15, O11)', async () => {
      await store().receive(delivery('a'), 1);
      const migrated = await migrate(backend().db, [...MIGRATIONS, good]);
      expect(migrated).toEqual({ from: MIGRATIONS.length, to: next, seconds: expect.any(Number) });
      expect(await migrate(backend().db, [...MIGRATIONS, good])).toBeNull();
      expect(await value('select count(*) from inbox where more is null')).toBe(1);
    });

    it('keeps the previous schema when a migration fails midway (G15)', async () => {
      await store().receive(delivery('a'), 1);
      const bad = { ...good, sql: `${good.sql};\n\nalter table inbox drop column signal;\n\nnonsense` };
      await expect(migrate(backend().db, [...MIGRATIONS, bad])).rejects.toThrow('syntax error');
      await migrate(backend().db);
      expect(await store().receive(delivery('a'), 2)).toBe('duplicate');
      expect(await store().receive(delivery('b'), 2)).toBe('stored');
      expect(await value('select count(*) from inbox where signal is not null')).toBe(2);
    });

    it('a command that only looks names what is missing, and refuses a newer version (O11)', () => {
      expect(listMissingMigrations(0)).toEqual(MIGRATIONS.map(({ name }) => name));
      expect(listMissingMigrations(MIGRATIONS.length)).toEqual([]);
      expect(() => listMissingMigrations(next)).toThrow('newer version');
    });

    it('refuses a newer database with instructions, and leaves it unchanged (G14)', async () => {
      await migrate(backend().db, [...MIGRATIONS, good]);
      const refused = migrate(backend().db);
      await expect(refused).rejects.toThrow(DatabaseError);
      await expect(refused).rejects.toThrow(/newer version .*Nothing was changed\. Run the newer version/);
      expect(await value('select max(number) from migrations')).toBe(next);
    });
  });
}
