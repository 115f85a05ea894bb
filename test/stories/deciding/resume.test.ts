import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

const LOST = { fault: 'status', status: 401, body: { error: { message: 'no', code: 'x' } } } as const;

/** A run whose model failed before it proposed anything. */
async function failed(): Promise<Story> {
  const story = await stage().tell();
  stage().model.script(LOST);
  await story.ana.says('/countersign use bigint');
  return story;
}

describe('/resume', () => {
  it('a run whose model failed continues from its transcript, and ends like any other (S107)', async () => {
    const { ana, ben, bot, model, pr } = await failed();
    expect(bot.answer()).toContain('Use `/resume` to continue this run (until another one starts).');
    await ana.says('/status');
    expect(bot.answer()).toMatch(/^No run is active\..*\n\nUse `\/resume` to continue the last run\./);
    model.proposes(BIGINT);
    const commentId = await ben.says('/resume');
    expect(bot.reactionsOn(commentId)).toEqual(['+1']);
    expect(bot.run().body).toContain('**Waiting for review** of 1 change.');
    const messages = model.requests().at(-1)?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'user']);
    expect(messages[1]?.content).toContain('use bigint');
    expect(messages[2]?.content).toContain(`${ben.login} resumed the run`);
    await ana.says('/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
    expect(bot.answer()).toContain(`@${ana.login}, the run finished`);
  });

  it('no decision is lost or repeated when the model was interrupted after the outcomes (S107)', async () => {
    const { ana, bot, model, pr } = await stage().tell();
    model.proposes(BIGINT);
    model.says({ content: 'First I', finishReason: 'length' });
    await ana.says('/countersign use bigint');
    await ana.says('/approve');
    expect(bot.answer()).toContain('The answer was cut off');
    await ana.says('/resume');
    const roles = model.lastMessages().map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    expect(pr.commits()).toHaveLength(1);
    expect(bot.run().body).toContain('The run finished');
  });

  it('two people resume at once: the run continues once, and not again when it fails again (S76)', async () => {
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
    expect(bot.answers().some((text) => /active or about to start|posted before the run ended/.test(text))).toBe(true);
  });

  it('has no effect if it was written before the run ended (S41a)', async () => {
    const { ana, bot, model } = await stage().tell();
    stage().github.deliveries.intercept(({ request }) => (request.body.includes('/resume') ? 'hold' : 'send'));
    await ana.says('/resume');
    stage().github.deliveries.intercept(undefined);
    stage().model.script(LOST);
    await ana.says('/countersign use bigint');
    stage().github.deliveries.releaseHeld();
    await stage().settle();
    expect(model.requests()).toHaveLength(1);
    expect(bot.answer()).toMatch(/^`\/resume` had no effect: it was posted before the run ended/);
  });

  it('is refused with a reason while a run is active and when there is none to resume (S85)', async () => {
    const { ana, bot, model } = await stage().tell();
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await ana.says('/resume');
    expect(bot.answer()).toMatch(/^`\/resume` had no effect: a run is active or about to start/);
    await ana.says('/stop');
    await ana.says('/resume');
    expect(bot.answer()).toMatch(/^There is no run to resume/);
    expect(model.requests()).toHaveLength(1);
  });
});
