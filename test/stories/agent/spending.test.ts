import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';
import { read } from '../support/story.ts';

const stage = stageForAll({ price: { input: 2, cachedInput: 0.5, output: 10 } });

describe('what a run spends (S171)', () => {
  it('is shown on its comment: responses, tokens and cost, without a request of its own (S171)', async () => {
    const { ana, bot, model } = await stage().tell();
    model.says({
      calls: [read('src/total.ts')],
      usage: { promptTokens: 100_000, cachedTokens: 50_000, completionTokens: 5_000 },
    });
    model.says({ calls: [BIGINT], usage: { promptTokens: 110_000, cachedTokens: 100_000, completionTokens: 1_000 } });
    await ana.says('/countersign use bigint');
    expect(bot.run().body).toContain('2 responses · 216k of 1,000,000 tokens · $0.26.');
  });

  it('an answer that was cut or lost counts once, and its repetition counts again (S171)', async () => {
    const { ana, bot, model, stored } = await stage().tell();
    const usage = { prompt_tokens: 3_000, completion_tokens: 1_000 };
    const choices = [{ message: { content: 5 }, finish_reason: 'stop' }];
    stage().model.script({ fault: 'invalid-body', body: JSON.stringify({ choices, usage }) });
    model.says({ calls: [BIGINT], usage: { promptTokens: 3_000, completionTokens: 500 } });
    await ana.says('/countersign use bigint');
    await expect.poll(() => bot.proposals().length, { timeout: 20_000 }).toBe(1);
    await stage().settle();
    expect((await stored()).run).toMatchObject({
      turns: 1,
      spending: { usage: { inputTokens: 6_000, outputTokens: 1_500 } },
    });
  });

  it('at its limit of tokens it stops with what was spent, and /resume renews it (S171)', async () => {
    const { ana, ben, bot, carl, model } = await stage().tell();
    model.says({
      calls: [read('src/total.ts')],
      usage: { promptTokens: 990_000, cachedTokens: 900_000, completionTokens: 20_000 },
    });
    await ana.says('/countersign use bigint');
    expect(model.requests()).toHaveLength(1);
    expect(bot.answer()).toContain('the run ended because it reached its limit of tokens. No change was proposed.');
    expect(bot.answer()).toContain(
      'It has spent 1 response, 1,010,000 tokens (990,000 read, of which 900,000 from the cache, and 20,000 written), `$0.83` and 0 minutes of work.',
    );
    expect(bot.answer()).toContain('Use `/resume` to continue this run (until another one starts).');
    await carl.says('/resume');
    expect(model.requests()).toHaveLength(1);
    model.says({ calls: [BIGINT], usage: { promptTokens: 40_000, completionTokens: 0 } });
    await ben.says('/resume');
    expect(bot.proposals()).toHaveLength(1);
    expect(bot.run().body).toContain(
      '2 responses · 40k of 1,000,000 tokens since it was continued, 1,050k in all · $0.91.',
    );
  });
});

describe('the runs of a day', () => {
  const stage = stageForAll({ needsSql: true });

  it('a task beyond 50 in the repository is answered with the time of the next one, and starts nothing (S171)', async () => {
    const { ana, bot, model, stored } = await stage().tell();
    await ana.says('/countersign first');
    const { run } = await stored();
    const first = Date.now();
    for (let count = 1; count < 49; count += 1) {
      await stage()
        .db()
        .insertInto('run_starts')
        .columns(['pull_key', 'requester_id', 'started_at'])
        .expression((query) =>
          query
            .selectFrom('runs')
            .select(({ val }) => ['pull_key', val(run?.task.by.id ?? 0).as('requester_id'), 'created_at'])
            .where('run_id', '=', run?.id ?? ''),
        )
        .execute();
    }
    const requests = model.requests().length;
    await ana.says('/countersign another');
    expect(model.requests()).toHaveLength(requests + 1);
    expect(bot.answer()).not.toContain('50 runs');
    await ana.says('/countersign one too many');
    const nextDay = new Date(first + 24 * 3_600_000).toISOString().slice(0, 10);
    expect(bot.answer()).toContain('Nothing was started: this repository has started 50 runs within 24 hours');
    expect(bot.answer()).toContain(`The next one can start after ${nextDay}`);
    expect(model.requests()).toHaveLength(requests + 1);
    await stage().later(24 * 3_600);
    await ana.says('/countersign the next day');
    expect(model.requests()).toHaveLength(requests + 2);
  });
});
