import type { PGlite } from '@electric-sql/pglite';
import { Kysely, PGliteDialect, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withPreparedStatements } from '../../../../../src/adapters/store/engine/pglite.ts';
import { fromTemplate } from '../../../../support/borrowed-pglite.ts';

let pglite: PGlite;
let db: Kysely<unknown>;
beforeAll(async () => {
  pglite = await fromTemplate();
  db = new Kysely({ dialect: new PGliteDialect({ pglite: withPreparedStatements(pglite) }) });
}, 60_000);
afterAll(() => db.destroy());

/** A statement with a text of its own for each number, which it returns. */
const count = (places: number) =>
  sql<{ value: number }>`
    select count(*)::integer as value from (values ${sql.join(Array.from({ length: places }, () => sql`(${1}::integer)`))}) as places
  `.execute(db);

it('keeps a bounded number of statements, and takes their names over for new ones', async () => {
  for (const _ of [1, 2])
    for (let places = 1; places <= 210; places += 1) expect((await count(places)).rows).toEqual([{ value: places }]);
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from pg_prepared_statements`.execute(
    db,
  );
  expect(rows[0]?.count).toBeLessThanOrEqual(200);
});

it('goes on after a statement that cannot be parsed, and after one that fails', async () => {
  for (const _ of [1, 2]) {
    await expect(sql`selec 1`.execute(db)).rejects.toThrow('syntax error');
    await expect(sql`select ${'x'}::integer as value`.execute(db)).rejects.toThrow('invalid input syntax');
    expect((await sql`select ${7}::integer as value`.execute(db)).rows).toEqual([{ value: 7 }]);
  }
});

it('shares the names between the users of one session', async () => {
  const other = new Kysely<unknown>({ dialect: new PGliteDialect({ pglite: withPreparedStatements(pglite) }) });
  const answers = Array.from({ length: 20 }, (_, index) =>
    sql<{ value: number }>`select ${index}::integer as ${sql.ref(index % 2 === 0 ? 'value' : `other${index}`)}`.execute(
      index % 3 === 0 ? db : other,
    ),
  );
  expect((await Promise.all(answers)).map(({ rows }) => Object.values(rows[0] ?? {}))).toEqual(
    Array.from({ length: 20 }, (_, index) => [index]),
  );
});

it('stores nothing of a transaction in which a statement failed', async () => {
  await sql`create table things (id integer)`.execute(db);
  const failing = db.transaction().execute(async (transaction) => {
    await sql`insert into things values (1)`.execute(transaction);
    await sql`select 1 / 0`.execute(transaction).catch(() => undefined);
  });
  await expect(failing).rejects.toThrow();
  expect((await sql`select * from things`.execute(db)).rows).toEqual([]);
});
