import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposeRows, ROWS_PATH, rows } from '../support/rows.ts';

const stage = stageForAll();

/** Nothing can be written to this table, as where the disk is full. */
async function fill(table: string): Promise<void> {
  await sql
    .raw(`create or replace function refuse_for_space() returns trigger language plpgsql as $body$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $body$`)
    .execute(stage().db());
  await sql
    .raw(
      `create trigger no_space before insert or update on ${table} for each statement execute function refuse_for_space()`,
    )
    .execute(stage().db());
}

async function makeRoom(table: string): Promise<void> {
  await sql.raw(`drop trigger no_space on ${table}`).execute(stage().db());
}

describe('a disk that is full for a while', () => {
  it.each([
    ['inbox', 503],
    ['pulls', 202],
    ['proposals', 202],
    ['votes', 202],
    ['effects', 202],
    ['proposal_outcomes', 202],
    ['committed_changes', 202],
    ['messages', 202],
  ])('G10: %s: the yes is refused with 503 or kept, and in the end carried out once', async (table, status) => {
    const { pr, ana, bot, model } = await proposeRows(stage(), { 5: 50 });
    await fill(table);
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    stage().pass(2);
    const said = stage().github.deliveries.log.at(-1);
    await stage().github.whenIdle();
    expect(said?.statuses).toEqual([status]);
    // Long enough for a first try of all that a yes leads to.
    await sleep(300);
    await makeRoom(table);
    if (said !== undefined && status === 503) stage().github.deliveries.redeliver(said);
    await stage().later(120);
    expect(pr.commits()).toHaveLength(1);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(bot.proposals()).toHaveLength(1);
    expect(bot.proposal(1).body).toContain('**Applied**');
    expect(model.heard()).toHaveLength(1);
  });
});
