import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { RUN_SCHEMA } from '../../../src/core/state/run.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, ROWS_PATH, rows, tellRows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** Two changes that need two approvals; the first has one vote. */
async function runInFlight(): Promise<Story> {
  const story = await tellRows(stage());
  const { ana, bot, configures, model } = story;
  await configures('required_approvals: 2\n');
  model.proposes(editRow(5, 50), editRow(12, 120));
  await ana.says('/countersign give the rows other values');
  await ana.says(`/approve ${bot.proposal(1).proposalId}`);
  return story;
}

/** A column with JSON of a run, the key of its rows, and which rows count, in which order. */
const COLUMNS = [
  { table: 'pulls', column: 'state', key: 'pull_key', where: `pull_key like '%/REPOSITORY/%'`, order: 'pull_key' },
  { table: 'runs', column: 'state', key: 'run_id', where: `pull_key like '%/REPOSITORY/%'`, order: 'run_id' },
  { table: 'proposals', column: 'body', key: 'proposal_id', where: `pull_key like '%/REPOSITORY/%'`, order: 'seq' },
  { table: 'messages', column: 'body', key: 'seq', where: `run_id like 'REPOSITORY-%'`, order: 'seq' },
  {
    table: 'effects',
    column: 'body',
    key: 'id',
    where: `pull_key like '%/REPOSITORY/%' and done_at is null`,
    order: 'id',
  },
] as const;

type Column = (typeof COLUMNS)[number];

type StoredRows = Readonly<Record<string, readonly unknown[]>>;

function whereOf({ where }: Column, { pr }: Story): string {
  return where.replaceAll('REPOSITORY', String(pr.repositoryId));
}

async function readRows(story: Story): Promise<StoredRows> {
  const tables = COLUMNS.map(async (column) => {
    const { rows: found } = await sql<{ json: string }>`
      select ${sql.ref(column.column)} as json from ${sql.table(column.table)}
      where ${sql.raw(whereOf(column, story))} order by ${sql.ref(column.order)}
    `.execute(stage().db());
    return [column.table, found.map(({ json }) => parseJson(json))] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

/** Replaces the JSON of all rows of a run, each in its place. */
async function writeRows(story: Story, stored: StoredRows): Promise<void> {
  for (const column of COLUMNS) {
    for (const [index, json] of (stored[column.table] ?? []).entries()) {
      const key = sql.ref(column.key);
      await sql`
        update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${JSON.stringify(json)}
        where ${sql.raw(whereOf(column, story))} and ${key} = (
          select ${key} from ${sql.table(column.table)} where ${sql.raw(whereOf(column, story))}
          order by ${sql.ref(column.order)} offset ${index} limit 1
        )
      `.execute(stage().db());
    }
  }
}

/** A value in the form of an older one, with this run's ids, digests and times in the places that both have. */
function inFormOf(older: unknown, now: unknown): unknown {
  if (Array.isArray(older))
    return older.map((element, at) => inFormOf(element, Array.isArray(now) ? now[at] : undefined));
  if (isRecord(older)) {
    const members = Object.entries(older).map(([name, value]) => [
      name,
      inFormOf(value, isRecord(now) ? now[name] : undefined),
    ]);
    return Object.fromEntries(members);
  }
  return typeof older === typeof now && older !== null && now !== null ? now : older;
}

const FOLDER = new URL('../../fixtures/stored-runs/', import.meta.url);

function readRecorded(schema: number, now: StoredRows): unknown {
  const file = new URL(`schema-${schema}.json`, FOLDER);
  if (schema === RUN_SCHEMA && !existsSync(file)) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, `${JSON.stringify(now, null, 1)}\n`);
    throw new Error(`The rows of schema ${schema} were recorded just now. Look at them, and add them to the commit.`);
  }
  return parseJson(readFileSync(file, 'utf8'));
}

const SCHEMAS = Array.from({ length: RUN_SCHEMA }, (_, index) => index + 1);

describe('an upgrade with a run in flight', () => {
  it.each(SCHEMAS)(
    'a run that schema %i stored goes on: its vote counts, and both decisions reach the agent (J7)',
    async (schema) => {
      const story = await runInFlight();
      const { ana, ben, bot, model, pr } = story;
      const now = await readRows(story);
      const older = inFormOf(readRecorded(schema, now), now);
      if (!isRecord(older)) throw new Error('The recorded rows are no object.');
      await writeRows(
        story,
        Object.fromEntries(Object.entries(older).map(([table, found]) => [table, Array.isArray(found) ? found : []])),
      );
      await stage().restart();
      model.says({ content: 'So be it.' });
      await ben.says(`/approve ${bot.proposal(1).proposalId}`);
      await ben.says(`/deny ${bot.proposal(2).proposalId} not in this release`);
      expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
      expect(pr.commits()).toHaveLength(1);
      for (const { login } of [ana, ben]) expect(pr.commits()[0]?.message).toContain(`Approved-by: ${login}`);
      const [applied, denied] = model.toolMessages();
      expect(parseJson(applied ?? '')).toMatchObject({ path: ROWS_PATH });
      expect(denied).toContain('not in this release');
    },
  );

  it('every member of its own schema is still stored, of the same type; older rows may lack new ones (J7)', async () => {
    const now = await readRows(await runInFlight());
    expect(formOf(now)).toMatchObject(Object(formOf(readRecorded(RUN_SCHEMA, now))));
  });
});

/** Names and types of all members, of which an older run has the same. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(formOf);
  if (!isRecord(value)) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, formOf(member)]));
}
