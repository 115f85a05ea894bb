import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, ROWS_PATH, row, rows, tellRows } from '../support/rows.ts';
import { edit, write } from '../support/story.ts';

const stage = stageForAll();

describe('changes of one response in one file', () => {
  it('that touch or build on each other are one change with one decision, and each call gets it (S145)', async () => {
    const { ana, bot, model, pr } = await tellRows(stage());
    model.proposes(
      edit(ROWS_PATH, row(5), row(5, 50), { reason: 'Rows need room.' }),
      edit(ROWS_PATH, row(6), `${row(6, 60)}\nhelp();`, { reason: 'So does this one.' }),
      edit(ROWS_PATH, 'help();', 'helper();'),
      editRow(20, 200),
    );
    await ana.says('/countersign give the rows other values');
    expect(bot.proposals()).toHaveLength(2);
    expect(bot.proposal(1).body).toContain('Rows need room. So does this one.');
    await ana.replies(bot.proposal(2), '/deny');
    await ana.replies(bot.proposal(1), '/approve');
    const expected = rows({ 5: 50, 6: 60 }).replace(row(6, 60), `${row(6, 60)}\nhelper();`);
    expect(pr.file(ROWS_PATH)).toBe(expected);
    const [first, second, third, other] = model.toolMessages();
    expect(first).toContain('"replacements_made":3');
    expect([second, third]).toEqual([first, first]);
    expect(other).toContain('Edit rejected by ');
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

  it('are made once where a call is repeated, also after its change was joined (S145, S18)', async () => {
    const { ana, bot, model, pr } = await tellRows(stage());
    const nameRow = (reason: string) => edit(ROWS_PATH, row(5), `${row(5)} // five`, { reason });
    model.proposes(nameRow('Names it.'), edit(ROWS_PATH, row(6), row(6, 60)), nameRow('Names the row.'));
    await ana.says('/countersign name row five');
    expect(bot.proposals()).toHaveLength(1);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 6: 60 }).replace(row(5), `${row(5)} // five`));
    const [first, second, third] = model.toolMessages();
    expect([second, third]).toEqual([first, first]);
  });

  it('of one call come as one change with a diff of its places (S145)', async () => {
    const { ana, bot, model, pr } = await tellRows(stage());
    const edits = [
      { old_string: row(3), new_string: row(3, 30) },
      { old_string: row(18), new_string: row(18, 180) },
    ];
    model.proposes({ name: 'edit_file', arguments: { path: ROWS_PATH, edits } });
    await ana.says('/countersign give the rows other values');
    expect(bot.proposals()).toHaveLength(1);
    expect(bot.proposal(1).body).not.toContain(row(10));
    await ana.says('/approve all');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 3: 30, 18: 180 }));
  });

  it('an edit of one call that cannot be made refuses the call and says which (S145)', async () => {
    const { ana, bot, model } = await tellRows(stage());
    const edits = [
      { old_string: row(3), new_string: row(3, 30) },
      { old_string: row(3), new_string: row(3, 31) },
    ];
    model.proposes({ name: 'edit_file', arguments: { path: ROWS_PATH, edits } });
    await ana.says('/countersign give the rows other values');
    expect(bot.proposals()).toEqual([]);
    expect(model.toolMessages()[0]).toMatch(/^Edit 2 of 2: old_string not found/);
  });

  it('a new file and edits of it are one new file (S145)', async () => {
    const { ana, bot, model, pr } = await tellRows(stage());
    model.proposes(write('docs/a.md', 'one\ntwo\n'), edit('docs/a.md', 'two', 'zwei'));
    await ana.says('/countersign document it');
    expect(bot.proposals()).toHaveLength(1);
    await ana.says('/approve all');
    expect(pr.file('docs/a.md')).toBe('one\nzwei\n');
    expect(model.toolMessages()).toHaveLength(2);
  });

  it('a call sent twice is shown once and answered twice (S145)', async () => {
    const { ana, bot, model } = await tellRows(stage());
    model.proposes(editRow(5, 50), editRow(5, 50));
    await ana.says('/countersign give row 5 another value');
    expect(bot.proposals()).toHaveLength(1);
    await ana.says('/deny no');
    const [first, second] = model.toolMessages();
    expect(first).toContain('(write access): no.');
    expect(second).toBe(first);
  });

  it('a joined change is shown again as one after a push above it (S145, S94)', async () => {
    const { ana, ben, bot, model, pr } = await tellRows(stage());
    model.proposes(editRow(5, 50), editRow(6, 60));
    await ana.says('/countersign give the rows other values');
    await ben.pushes({ [ROWS_PATH]: rows({ 4: 40 }) });
    await ana.says('/approve all');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 4: 40, 5: 50, 6: 60 }));
    expect(bot.proposals()).toHaveLength(2);
  });
});
