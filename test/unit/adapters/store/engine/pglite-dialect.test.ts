import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pgliteDialect } from '../../../../../src/adapters/store/engine/pglite-dialect.ts';
import { fromTemplate } from '../../../../support/borrowed-pglite.ts';

let db: Kysely<unknown>;

let close: () => Promise<void>;

beforeAll(async () => {
  const pglite = await fromTemplate();
  close = () => pglite.close();
  db = new Kysely({ dialect: pgliteDialect(pglite) });
  await sql`create temp table things (id integer primary key, name text, flag boolean, at bigint)`.execute(db);
});

afterAll(() => close());

async function countPrepared(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_prepared_statements`.execute(db);
  return rows[0]?.count ?? -1;
}

describe('statements on an embedded database', () => {
  it('return values unchanged', async () => {
    for (const [id, name, flag, at] of [[1, 'é\n"$1"', true, 2 ** 53 - 1] as const, [2, null, false, -1] as const])
      await sql`insert into things values (${id}, ${name}, ${flag}, ${at})`.execute(db);
    const { rows } = await sql`select * from things order by id`.execute(db);
    expect(rows).toEqual([
      { id: 1, name: 'é\n"$1"', flag: true, at: 2 ** 53 - 1 },
      { id: 2, name: null, flag: false, at: -1 },
    ]);
    const { numAffectedRows } = await sql`update things set flag = ${true}`.execute(db);
    expect(numAffectedRows).toBe(2n);
  });

  it('stay prepared up to a limit', async () => {
    for (let place = 0; place < 300; place += 1) await sql`select ${sql.lit(place)} as place`.execute(db);
    const count = await countPrepared();
    expect(count).toBeLessThanOrEqual(200);
    for (let times = 0; times < 5; times += 1) await sql`select 299 as place`.execute(db);
    expect(await countPrepared()).toBe(count);
  });

  it('leave later statements intact when they fail, in parsing or in execution', async () => {
    const before = await countPrepared();
    for (let times = 0; times < 20; times += 1) {
      await expect(sql`select nothing from nowhere`.execute(db)).rejects.toThrow(/nowhere/);
      await expect(sql`insert into things values (${1})`.execute(db)).rejects.toThrow(/duplicate key/);
      await sql`select ${sql.lit(1_000 + times)} as place`.execute(db);
    }
    expect(await countPrepared()).toBeLessThanOrEqual(Math.max(before, 200) + 2);
  });

  it('wait for a transaction of another user to end', async () => {
    const inside = db.transaction().execute(async (transaction) => {
      await sql`update things set name = 'inside' where id = 1`.execute(transaction);
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('not this');
    });
    const outside = sql`update things set name = 'outside' where id = 2`.execute(db);
    await expect(inside).rejects.toThrow('not this');
    await outside;
    const { rows } = await sql`select name from things order by id`.execute(db);
    expect(rows).toEqual([{ name: 'é\n"$1"' }, { name: 'outside' }]);
  });

  it('roll a transaction back after a failed statement, even if its error was ignored', async () => {
    const hushed = db.transaction().execute(async (transaction) => {
      await sql`update things set name = 'half' where id = 1`.execute(transaction);
      await sql`select nothing from nowhere`.execute(transaction).catch(() => {});
    });
    await expect(hushed).rejects.toThrow('rolled back');
    const { rows } = await sql`select name from things where id = 1`.execute(db);
    expect(rows).toEqual([{ name: 'é\n"$1"' }]);
  });
});
