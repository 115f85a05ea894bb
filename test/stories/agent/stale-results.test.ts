import { expect, it } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, ROWS_PATH, row, rows, tellRows } from '../support/rows.ts';

const stage = stageForAll();

/** Such a change is not tried again by itself after a push. */
const THREE_ROWS: ScriptedCall = {
  name: 'edit_file',
  arguments: { path: ROWS_PATH, old_string: '3;', new_string: '30;', replace_all: true },
};

it('a stale result says who pushed (T7)', async () => {
  const { ana, ben, model } = await tellRows(stage());
  model.proposes(editRow(5, 50));
  await ana.says('/countersign give row 5 another value');
  await ben.pushes({ [ROWS_PATH]: rows({ 5: 55 }) });
  expect(model.toolMessages()[0]).toContain(
    `Tool was not executed. Read the file again before proposing. ${ben.login} pushed the change.`,
  );
});

it('a push that GitHub fails to describe does not hold the stale result back for ever (S140)', async () => {
  const { ana, ben, model } = await tellRows(stage());
  model.proposes(THREE_ROWS);
  await ana.says('/countersign give row 5 another value');
  const route = 'GET /repos/{owner}/{repo}/compare/{basehead}';
  for (let n = 0; n < 8; n += 1) stage().github.faults.add({ route, kind: 'fail-before-apply', status: 502 });
  await ben.pushes({ [ROWS_PATH]: rows({ 12: 120 }) });
  expect(model.requests()).toHaveLength(1);
  for (let n = 0; n < 8; n += 1) await stage().later(60);
  const messages = model.requests()[1]?.messages.slice(-2) ?? [];
  expect(messages[1]?.content).toContain('What it changed could not be read.');
});

/** A file of many rows, with these rows changed. */
function manyRows(changed: Readonly<Record<number, number>> = {}): string {
  return Array.from({ length: 400 }, (_, at) => `${row(at + 1, changed[at + 1] ?? at + 1)}\n`).join('');
}

/** The model wants other values of rows 5 and 350, and ben pushes first. */
async function proposeFarApart(pushed: Readonly<Record<number, number>>) {
  const story = await stage().tell({ branch: { [ROWS_PATH]: manyRows() } });
  const edits = [5, 350].map((n) => ({ old_string: row(n), new_string: row(n, 0) }));
  story.model.proposes({ name: 'edit_file', arguments: { path: ROWS_PATH, edits } });
  await story.ana.says('/countersign give rows 5 and 350 another value');
  await story.ben.pushes({ [ROWS_PATH]: manyRows(pushed) });
  return story;
}

it('an edit in several places that still fits after a push between them is shown again by itself (S94)', async () => {
  const { ana, bot, model, pr } = await proposeFarApart({ 100: 101 });
  expect(model.requests()).toHaveLength(1);
  expect(bot.proposal(1).body).toContain('**Withdrawn**');
  await ana.says(`/approve ${bot.proposal(2).proposalId}`);
  expect(pr.file(ROWS_PATH)).toBe(manyRows({ 5: 0, 100: 101, 350: 0 }));
  expect(JSON.parse(model.toolMessages()[0] ?? '')).toMatchObject({ replacements_made: 2 });
});
