import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposeRows } from '../support/rows.ts';

const stage = stageForAll({ needsSql: true });

async function statusOf(path: string): Promise<number> {
  return (await fetch(`${stage().server().url}${path}`)).status;
}

/** Waits until the server is ready. A failure shows the lines that it logged since then. */
async function untilReady(from: number): Promise<void> {
  try {
    await expect.poll(() => statusOf('/readyz')).toBe(200);
  } catch (error) {
    throw new Error(`not ready; the log:\n${stage().logged.slice(from).join('')}`, { cause: error });
  }
}

function messages(from: number): readonly unknown[] {
  return stage()
    .logged.slice(from)
    .map(parseJson)
    .map((line) => (isRecord(line) ? line['msg'] : null));
}

async function execute(...statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(stage().db());
}

/** Deliveries do not fit on the disk any more; smaller writes still do. */
async function fillDisk(): Promise<void> {
  await execute(
    `create or replace function refuse_for_space() returns trigger language plpgsql as $body$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $body$`,
    'create trigger no_space before insert on inbox for each statement execute function refuse_for_space()',
  );
}

describe('while the disk is full', () => {
  it('the server is alive but not ready, says so twice, and is ready again by itself once a delivery fits (G10, O13, O17)', async () => {
    const { ana, bot, pr } = await proposeRows(stage(), { 5: 50 });
    expect(await statusOf('/readyz')).toBe(200);
    const before = stage().logged.length;
    await fillDisk();
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await stage().github.whenIdle();
    for (let probe = 0; probe < 20; probe += 1) {
      expect(await statusOf('/readyz')).toBe(503);
      expect(await statusOf('/healthz')).toBe(200);
      await sleep(10);
    }
    const during = messages(before);
    for (const message of ['database cannot store', 'delivery not stored', 'not ready'])
      expect(during.filter((logged) => logged === message)).toEqual([message]);
    expect(stage().logged.slice(before).join('')).not.toContain('"stack"');
    await execute('drop trigger no_space on inbox');
    await untilReady(before);
    expect(messages(before)).toEqual(expect.arrayContaining(['database can store again', 'ready again']));
    const lost = stage().github.deliveries.log.at(-1);
    if (lost !== undefined) stage().github.deliveries.redeliver(lost);
    await stage().settle();
    expect(pr.commits()).toHaveLength(1);
  });
});

describe('while the database denies a right', () => {
  it('the work waits, with one line and no stack, and nothing is lost once the right is back (G8, O17)', async () => {
    const { ana, bot, pr } = await proposeRows(stage(), { 5: 50 });
    const before = stage().logged.length;
    await execute(
      `create or replace function deny() returns trigger language plpgsql as $body$
        begin raise exception 'permission denied for table pulls' using errcode = '42501'; end $body$`,
      'create trigger denied before update on pulls for each statement execute function deny()',
    );
    ana.person.replies(bot.proposal(1).id, '/approve');
    await expect.poll(() => messages(before)).toContain('work failed, will retry');
    await sleep(3_000);
    expect(messages(before).filter((message) => message === 'work failed, will retry')).toHaveLength(1);
    expect(stage().logged.slice(before).join('')).not.toContain('"stack"');
    await execute('drop trigger denied on pulls');
    await stage().settle();
    expect(pr.commits()).toHaveLength(1);
  });
});
