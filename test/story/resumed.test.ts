import { describe, expect, it } from 'vitest';
import { stageForAll } from './curtain.ts';
import { edit, type Story } from './story.ts';

const stage = stageForAll();

const BIGINT = edit('src/total.ts', '  let total = 0;\n', '  let total = 0n;\n');
const LOST = { fault: 'status', status: 401, body: { error: { message: 'no', code: 'x' } } } as const;

/** A run whose model went away before it proposed anything. */
async function failed(): Promise<Story> {
  const story = await stage().tell();
  stage().model.script(LOST);
  await story.ana.says('/countersign use bigint');
  return story;
}

describe('/resume', () => {
  it('S107: a run whose model failed goes on from its transcript, and ends like any other', async () => {
    const { ana, ben, bot, model, pr } = await failed();
    expect(bot.answer()).toContain('`/resume` lets it go on, while no other has begun.');
    expect(bot.run().body).toContain('`/resume` lets it go on');
    await ana.says('/status');
    expect(bot.answer()).toMatch(/^No run is active\..*\n\n`\/resume` lets the last run go on\./);
    model.proposes(BIGINT);
    const said = await ben.says('/resume');
    expect(bot.reactionsOn(said)).toEqual(['+1']);
    expect(bot.run().body).toContain('**Waiting** for people to decide on 1 change.');
    const messages = model.requests().at(-1)?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'user']);
    expect(messages[1]?.content).toContain('use bigint');
    expect(messages[2]?.content).toContain(`${ben.login} lets the run go on`);
    await ana.says('/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
    expect(bot.answer()).toContain(`@${ana.login}, the run finished`);
  });

  it('S107: after outcomes were heard and the model was cut short, nothing that was decided is lost or repeated', async () => {
    const { ana, bot, model, pr } = await stage().tell();
    model.proposes(BIGINT);
    model.says({ content: 'First I', finishReason: 'length' });
    await ana.says('/countersign use bigint');
    await ana.says('/approve');
    expect(bot.answer()).toContain('The answer was cut off');
    await ana.says('/resume');
    const roles = model
      .requests()
      .at(-1)
      ?.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    expect(pr.commits()).toHaveLength(1);
    expect(bot.run().body).toContain('The run finished');
  });

  it('S76: two people say it at once: the run goes on once, and not again when it fails again', async () => {
    const { ana, ben, bot, model } = await failed();
    stage().model.script(LOST);
    stage().pass(2);
    await stage().inOneSecond(async () => {
      ana.person.says('/resume');
      ben.person.says('/resume');
    });
    await stage().settle();
    expect(model.requests()).toHaveLength(2);
    expect(bot.answers().filter((text) => text.includes('gave no usable answer'))).toHaveLength(2);
    expect(bot.answers().some((text) => /active or about to begin|written before the run ended/.test(text))).toBe(true);
  });

  it('S41a: one that was written before the run ended is not for that end', async () => {
    const { ana, bot, model } = await stage().tell();
    stage().github.deliveries.decide(({ request }) => (request.body.includes('/resume') ? 'hold' : 'send'));
    await ana.says('/resume');
    stage().github.deliveries.decide(undefined);
    stage().model.script(LOST);
    await ana.says('/countersign use bigint');
    stage().github.deliveries.release();
    await stage().settle();
    expect(model.requests()).toHaveLength(1);
    expect(bot.answer()).toMatch(/^That `\/resume` was written before the run ended/);
  });

  it('S85: is refused in words where nothing waits for it, and while a run is active', async () => {
    const { ana, bot, model } = await stage().tell();
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await ana.says('/resume');
    expect(bot.answer()).toMatch(/^A run is active or about to begin/);
    await ana.says('/stop');
    await ana.says('/resume');
    expect(bot.answer()).toMatch(/^There is no run to go on with/);
    expect(model.requests()).toHaveLength(1);
  });

  it('F13: a pull request that was closed since is refused with its state', async () => {
    const { ana, bot, model } = await failed();
    await ana.does((person) => person.closes());
    await ana.says('/resume');
    expect(bot.answer()).toMatch(/^This pull request is closed/);
    expect(model.requests()).toHaveLength(1);
  });

  it('S66, S67: whoever may not write cannot say it', async () => {
    const { bot, carl, model } = await failed();
    await carl.says('/resume');
    expect(bot.answer()).toMatch(/`\/resume` is for people with write access/);
    expect(model.requests()).toHaveLength(1);
  });

  it('S89: what people told the agent before it failed is heard when it goes on', async () => {
    const { ana, bot, model } = await stage().tell();
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await ana.says('@countersign mind the tests');
    stage().model.script(LOST);
    await ana.says('/approve');
    expect(bot.answer()).toContain('gave no usable answer');
    await ana.says('/resume');
    expect(JSON.stringify(model.requests().at(-1)?.messages)).toContain('mind the tests');
  });
});
