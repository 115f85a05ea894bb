import { afterEach, describe, expect, it } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';
import { StoreUnusable } from '../../src/store/store-unusable.ts';
import type { DatabaseBench } from './bench.ts';
import { delivery } from './samples.ts';

/** The database's form moves forward, whole, once, and over the data that is there. */
export function formContract({ backend, store, value, rebuild }: DatabaseBench): void {
  describe('form', () => {
    afterEach(rebuild);

    const next = MIGRATIONS.length + 1;
    const good = { number: next, name: 'next', statements: ['alter table inbox add column more text'] };

    it('migrations are numbered from 1 without gaps', () => {
      expect(MIGRATIONS.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
    });

    it('migrating again, even at the same time, changes nothing', async () => {
      await Promise.all([migrate(backend().db), migrate(backend().db), migrate(backend().db)]);
      expect(await value('select count(*) from migrations')).toBe(MIGRATIONS.length);
    });

    it('J5: a database that lost this form under a running process is not ready; a newer one is', async () => {
      await expect(store().ping()).resolves.toBeUndefined();
      await migrate(backend().db, [...MIGRATIONS, good]);
      await expect(store().ping()).resolves.toBeUndefined();
      await value(`delete from migrations where number >= ${MIGRATIONS.length}`);
      await expect(store().ping()).rejects.toThrow(`form ${MIGRATIONS.length - 1}`);
      await value('drop table migrations');
      await expect(store().ping()).rejects.toThrow('migrations');
    });

    it('G15: a newer form is reached over the data that is there', async () => {
      await store().receive([delivery('a')], 1);
      await migrate(backend().db, [...MIGRATIONS, good]);
      expect(await value('select count(*) from inbox where more is null')).toBe(1);
    });

    it('G15: a migration that breaks midway leaves the former form whole', async () => {
      await store().receive([delivery('a')], 1);
      const bad = { ...good, statements: [...good.statements, 'alter table inbox drop column signal', 'nonsense'] };
      await expect(migrate(backend().db, [...MIGRATIONS, bad])).rejects.toThrow('syntax error');
      await migrate(backend().db);
      expect(await store().receive([delivery('a'), delivery('b')], 2)).toEqual(['duplicate', 'stored']);
      expect(await value('select count(*) from inbox where signal is not null')).toBe(2);
    });

    it('G14: a database of a newer version is refused in words that help, and left alone', async () => {
      await migrate(backend().db, [...MIGRATIONS, good]);
      const refused = migrate(backend().db);
      await expect(refused).rejects.toThrow(StoreUnusable);
      await expect(refused).rejects.toThrow(/newer version .*Nothing was changed\. Run the newer version/);
      expect(await value('select max(number) from migrations')).toBe(next);
    });
  });
}
