import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, ROWS_PATH, row, rows, tellRows } from '../support/rows.ts';
import { edit } from '../support/story.ts';

const stage = stageForAll();

describe('changes of one response in one file', () => {
  it('that touch are refused with the name of a tool that makes them one change (S145, T15)', async () => {
    const { ana, bot, model, pr } = await tellRows(stage());
    model.proposes(editRow(5, 50), edit(ROWS_PATH, row(6), row(6, 60)), editRow(20, 200));
    const edits = [5, 6].map((n) => ({ old_string: row(n), new_string: row(n, n * 10) }));
    model.proposes({ name: 'edit_file', arguments: { path: ROWS_PATH, edits } });
    await ana.says('/countersign give the rows other values');
    expect(model.allToolMessages()[1]).toBe(
      `Not proposed: this change of ${ROWS_PATH} touches that of another call. Put them into one call: edit_file with 'edits', or change_files. 'edits' take all lines from the first place to the last; change_files takes each place alone.`,
    );
    expect(bot.proposals()).toHaveLength(2);
    await ana.says('/approve all');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 6: 60, 20: 200 }));
  });

  it('in blocks that look alike are a change for each block, in any order (S145, S18)', async () => {
    const block = (name: string, word: string) =>
      `test('${name}', () => {\n  a();\n  b();\n  c();\n  say('${word}');\n  d();\n  e();\n  f();\n});\n`;
    const { ana, bot, model, pr } = await stage().tell({ branch: { 'a.js': block('x', 'old') + block('y', 'old') } });
    model.proposes(...['x', 'y'].map((name) => edit('a.js', block(name, 'old'), block(name, 'new'))));
    await ana.says('/countersign say the new word in both');
    expect(bot.proposals()).toHaveLength(2);
    await ana.replies(bot.proposal(2), '/approve');
    expect(pr.file('a.js')).toBe(block('x', 'old') + block('y', 'new'));
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file('a.js')).toBe(block('x', 'new') + block('y', 'new'));
  });
});
