import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedTurn } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';

const stage = stageForAll({ environment: { MODEL_IDLE_TIMEOUT: '1' } });

afterEach(() => stage().model.setRules({}));

const READ = { name: 'read_file', arguments: { path: 'src/total.ts' } };

describe('a model whose endpoint wants its thoughts back', () => {
  it('gets each signature back, through readings, decisions and questions (S164)', async () => {
    stage().model.setRules({ signatures: true });
    const { ana, bot, model, pr } = await stage().tell();
    model.proposes(READ);
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    model.says({ content: 'Because money is exact.' });
    await ana.says('/ask why?');
    expect(bot.answer()).toContain('Because money is exact.');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
    // The fake refuses a history without them: see the violations after each story.
    expect(model.requests()).toHaveLength(4);
  });
});

describe('a stream that goes wrong', () => {
  it.each<[string, ScriptedTurn]>([
    ['falls silent', { calls: [BIGINT], delivery: { stallAfter: 2 } }],
    ['is cut', { calls: [BIGINT], delivery: { cutAfter: 3 } }],
  ])('that %s is asked for again, and the run goes on (S163)', async (_, turn) => {
    const { ana, bot, model } = await stage().tell();
    model.says(turn);
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await expect.poll(() => bot.proposals().length, { timeout: 25_000, interval: 20 }).toBe(1);
    await stage().settle();
    expect(model.requests()).toHaveLength(2);
    expect(bot.answers()).toEqual([]);
  });
});

describe('while the model thinks', () => {
  it('the run’s comment says since when (S163)', async () => {
    const { ana, bot, model } = await stage().tell();
    const { promise: sendAfter, resolve: answers } = Promise.withResolvers<void>();
    model.proposes(READ);
    model.says({ calls: [BIGINT], sendAfter });
    const said = ana.says('/countersign use bigint');
    await expect
      .poll(
        () =>
          bot
            .comments()
            .map(({ body }) => body)
            .join('\n'),
        { timeout: 25_000, interval: 20 },
      )
      .toMatch(/\*\*Working\.\*\* The model has been thinking since \d{4}-\d\d-\d\d \d\d:\d\d UTC\./);
    answers();
    await said;
    expect(bot.run().body).toContain('Waiting for review');
  });
});

describe('an endpoint that refuses', () => {
  it('a parameter is asked without it, and the run goes on as if nothing had been (S165)', async () => {
    await stage().restart({ MODEL_TEMPERATURE: '0.2', MODEL_MAX_OUTPUT_TOKENS: '5000' });
    stage().model.setRules({ refusedParameters: ['temperature'] });
    const { ana, bot, model } = await stage().tell();
    model.proposes(READ);
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.proposals()).toHaveLength(1);
    expect(model.requests().map(({ body }) => body['temperature'])).toEqual([0.2, undefined, undefined]);
    expect(model.requests().every(({ body }) => body['max_tokens'] === 5000)).toBe(true);
    await stage().restart();
  });
});
