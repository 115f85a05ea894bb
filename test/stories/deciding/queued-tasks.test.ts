import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';
import { type Story, write } from '../support/story.ts';

const stage = stageForAll();

const PAGE = write('docs/page.md', '# Page\n');

const LOST = { fault: 'status', status: 401, body: { error: { message: 'no', code: 'x' } } } as const;

/** A run with a pending change, and a queued task. */
async function queued(): Promise<Story> {
  const story = await stage().tell();
  story.model.proposes(BIGINT);
  await story.ana.says('/countersign use bigint');
  await story.ben.says('/countersign write a page');
  return story;
}

describe('queued tasks', () => {
  it('after a model failure the next task starts, and /resume does not interrupt it (S86)', async () => {
    const { ana, ben, bot, model } = await queued();
    stage().model.script(LOST);
    model.proposes(PAGE);
    await ana.says('/approve');
    expect(bot.answer()).toContain(`@${ana.login}, the run ended because the model gave no usable answer`);
    expect(model.requests().at(-1)?.messages[1]?.content).toContain('"write a page"');
    await ana.says('/resume');
    expect(bot.answer()).toMatch(/^`\/resume` had no effect: a run is active or about to start/);
    model.says({ content: 'Done.' });
    await ben.says('/approve');
    expect(bot.answer()).toContain(`@${ben.login}, the run finished`);
    await ana.says('/resume');
    expect(bot.answer()).toMatch(/^There is no run to resume/);
  });

  it('beyond ten of one person are not taken, and others still have places (S86)', async () => {
    const { ana, ben, bot, stored } = await queued();
    for (let count = 1; count <= 10; count += 1) await ana.says(`/countersign write page ${count}`);
    const answers = bot.answers().length;
    stage().pass(3_600);
    await ana.says('/countersign write page 11');
    expect(bot.answers().slice(answers)).toEqual([
      'Your task was not taken: 10 tasks of yours already wait on this pull request. Write it again once one of them is done.',
    ]);
    await ben.says('/countersign write a last page');
    expect(bot.answer()).toContain('Your task is queued and starts by itself after the 12 tasks before it');
    expect((await stored()).queue).toHaveLength(12);
    await ana.says('/stop');
    expect((await stored()).queue).toEqual([]);
  });

  it('/status counts queued tasks (S89a)', async () => {
    const { ana, bot } = await queued();
    await ana.says('/status');
    expect(bot.answer()).toMatch(/^\[A run\]\(http[^)]+\) is active\. 1 task queued\. Pending changes:/);
  });

  it('closing the pull request drops the queue and lists it (S90b, F13)', async () => {
    const { ana, bot, model } = await queued();
    await ana.does((person) => person.closes());
    expect(bot.answers().join('\n')).toContain('These queued tasks were dropped:\n\n- write a page');
    expect(model.requests()).toHaveLength(1);
  });
});
