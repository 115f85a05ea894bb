import { describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, ROWS_PATH, tellRows } from '../support/rows.ts';

const stage = stageForAll();

const NUDGE =
  'Your answer held no tool call. If you meant to go on, call the tool now. Otherwise answer with your closing words.';

const steps = (...done: readonly boolean[]): ScriptedCall => ({
  name: 'plan',
  arguments: {
    steps: ['Read the rows', 'Change row 5', 'Tell <b>@everyone</b>'].map((text, at) => ({
      text,
      done: done[at] ?? false,
    })),
  },
});

describe('an answer without a call', () => {
  it.each([
    ['a promise', 'I have seen enough. Now I will change row 5.'],
    ['an announcement', 'This is what has to be done:'],
    ['a call written as text', '<tool_call>{"name": "edit_file"}</tool_call>'],
    ['nothing', null],
  ])('%s is asked about once, and the run goes on (S150, T21)', async (_, content) => {
    const { ana, bot, model } = await tellRows(stage());
    model.says({ content });
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give row 5 another value');
    expect(model.requests().at(1)?.messages.at(-1)).toMatchObject({ role: 'user', content: NUDGE });
    expect(bot.proposals()).toHaveLength(1);
  });

  it('that is asked about twice in a row ends the run (S150)', async () => {
    const { ana, bot, model } = await tellRows(stage());
    model.says({ content: 'I will change row 5.' });
    model.says({ content: 'I will do it now.' });
    await ana.says('/countersign give row 5 another value');
    expect(model.requests()).toHaveLength(2);
    expect(bot.answer()).toContain('> I will do it now.');
  });

  it('closing words end the run at once (S150)', async () => {
    const { ana, model } = await tellRows(stage());
    model.says({ content: 'Row 5 was right already. Let me know if another one is meant.' });
    await ana.says('/countersign give row 5 another value');
    expect(model.requests()).toHaveLength(1);
  });
});

describe('an answer that is cut by its length', () => {
  it('says in the result of the cut call where it ends; other calls are held (S151, T22)', async () => {
    const { ana, bot, model } = await tellRows(stage());
    const cut = { name: 'write_file', arguments: '{"path":"a.md","content":"one' };
    model.says({ calls: [editRow(5, 50), cut], finishReason: 'length' });
    await ana.says('/countersign give row 5 another value');
    const outputs = (model.requests().at(1)?.messages ?? []).filter(({ role }) => role === 'tool');
    expect(outputs[1]?.content).toBe(
      'The arguments of write_file end at character 29: the answer was cut at its length limit. Send less at once.',
    );
    expect(bot.proposals()).toHaveLength(1);
  });
});

describe('a plan', () => {
  it('is a checklist in the run comment, updated in place, and nobody is asked (S156)', async () => {
    const { ana, bot, model } = await tellRows(stage());
    model.proposes(steps());
    model.proposes(steps(true, true), editRow(5, 50));
    await ana.says('/countersign give row 5 another value');
    expect(bot.proposals()).toHaveLength(1);
    const { body } = bot.run();
    expect(body).toContain('Plan, written by the model:');
    expect(body).toContain('- ☑ Read the rows\n- ☑ Change row 5\n- ☐ Tell ');
    expect(body).toContain('`<b>@everyone</b>`');
  });
});

describe('the limit of responses', () => {
  it('is announced when three are left, and held changes are shown before the run ends (S155, T25, S149)', async () => {
    const { ana, bot, model } = await tellRows(stage());
    const read = { name: 'read_file', arguments: { path: ROWS_PATH } };
    for (let at = 1; at < 40; at += 1) model.proposes(read);
    model.proposes(read, editRow(5, 50));
    await ana.says('/countersign look around');
    expect(model.requests()).toHaveLength(40);
    const told = model.requests().map(({ messages }) => messages.at(-1)?.content);
    expect(told.indexOf('3 responses are left before this run stops.')).toBe(37);
    expect(bot.proposals()).toHaveLength(1);
  });
});
