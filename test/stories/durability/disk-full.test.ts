import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposeRows, ROWS_PATH, rows } from '../support/rows.ts';

const stage = stageForAll({ needsSql: true });

/** Refuses every write to this table, like a full disk. */
async function fill(table: string): Promise<void> {
  await sql
    .raw(`create or replace function refuse_for_space() returns trigger language plpgsql as $body$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $body$`)
    .execute(stage().db());
  await sql
    .raw(`create trigger no_space before insert or update on ${table} for each row execute function refuse_for_space()`)
    .execute(stage().db());
}

async function makeRoom(table: string): Promise<void> {
  await sql.raw(`drop trigger no_space on ${table}`).execute(stage().db());
}

describe('a temporarily full disk', () => {
  const tables = ['votes', 'effects', 'committed_changes', 'messages'];

  it.each(tables)('%s: the approval is stored, and finally executed once (G10)', async (table) => {
    const { pr, ana, bot, model } = await proposeRows(stage(), { 5: 50 });
    await fill(table);
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    stage().pass(2);
    await stage().github.whenIdle();
    expect(stage().github.deliveries.log.at(-1)?.statuses).toEqual([202]);
    // Long enough for the first attempt of every effect of the approval.
    await sleep(300);
    await makeRoom(table);
    await stage().later(120);
    expect(pr.commits()).toHaveLength(1);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(bot.proposals()).toHaveLength(1);
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
    expect(model.toolMessages()).toHaveLength(1);
  });
});
