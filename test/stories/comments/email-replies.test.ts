import { expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';

const stage = stageForAll();

it('a “yes” with a signature, in formatting or as an emoji gets a hint, and the change stays pending (S62)', async () => {
  const { ana, bot, model, stored } = await propose(stage(), BIGINT);
  const yes = ['Yes\n\nSent from my iPhone', 'ok\n\n-- \nBob Smith', '**LGTM**', '\u2705', 'lgtm :rocket:'];
  for (const words of yes) {
    await ana.replies(bot.proposal(1), words);
    expect(bot.answer()).toContain('this reply decides nothing');
  }
  expect(await proposalStates({ stored })).toEqual(['proposed']);
  expect(model.requests()).toHaveLength(1);
});

it('a signature below a denial is not a reason, so the run ends; with a reason it continues (S110)', async () => {
  for (const [words, requests] of [
    ['/deny\n\nSent from my iPhone', 1],
    ['/deny no\n-- \nAna', 2],
  ] as const) {
    const { ana, bot, model } = await propose(stage(), BIGINT);
    await ana.replies(bot.proposal(1), words);
    expect(model.requests()).toHaveLength(requests);
  }
});

it('an approval above another command approves nothing and says so (F18, S65)', async () => {
  const { ana, bot, pr, stored } = await propose(stage(), BIGINT);
  await ana.says(`/approve ${bot.proposal(1).proposalId}\n/deny z9z9`);
  expect(bot.answer()).toContain('Nothing was decided.');
  expect(pr.commits()).toEqual([]);
  expect(await proposalStates({ stored })).toEqual(['proposed']);
});
