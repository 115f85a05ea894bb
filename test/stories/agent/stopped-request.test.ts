import { expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';

const stage = stageForAll();

it('/stop ends the run at once and the request to a slow model soon, and what the answer cost counts (S171)', async () => {
  const { ana, bot, model } = await stage().tell();
  // All of the stream but its end, so that the tokens are known.
  model.says({
    content: 'Thinking.',
    usage: { promptTokens: 123_400, completionTokens: 5_600 },
    delivery: { omitDone: true, stallAfter: 20 },
  });
  ana.person.says('/countersign think');
  await expect.poll(() => model.requests().length, { timeout: 10_000 }).toBe(1);
  // Resolves only once nothing is in progress any more.
  await ana.says('/stop');
  expect(bot.answer()).toContain('stopped');
  expect(model.requests()).toHaveLength(1);
  expect(bot.run().body).toMatch(/\b129k of 1,000,000 tokens/);
});
