import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, propose } from '../support/proposals.ts';

const stage = stageForAll();

describe('an account that answers whatever the App writes', () => {
  it('R13: gets ten replies within an hour, and what it decides counts all the same', async () => {
    const { ana, ben, bot, pr } = await propose(stage(), BIGINT);
    const before = bot.answers().length;
    for (let n = 0; n < 12; n += 1) await ana.says(`/approve a${n}b${n % 10}`);
    expect(bot.answers()).toHaveLength(before + 10);
    await ben.says('/approve a1b1');
    expect(bot.answers()).toHaveLength(before + 11);
    stage().pass(3_600);
    await ana.says('/approve a1b1');
    expect(bot.answers()).toHaveLength(before + 12);
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(pr.file('src/total.ts')).toContain('0n');
  });

  it('R13: gets each hint once for a place', async () => {
    const { ana, ben, bot } = await propose(stage(), BIGINT);
    const before = bot.answers().length;
    for (let n = 0; n < 3; n += 1) await ana.replies(bot.proposal(1), 'lgtm');
    expect(bot.answers()).toHaveLength(before + 1);
    await ben.replies(bot.proposal(1), 'lgtm');
    expect(bot.answers()).toHaveLength(before + 2);
  });

  it('R13: the words to other people that its comment brings are posted all the same', async () => {
    const { ana, ben, bot } = await propose(stage(), BIGINT);
    for (let n = 0; n < 10; n += 1) await ben.says(`/approve a${n}b${n}`);
    const before = bot.answers().length;
    await ben.says('/stop');
    expect(bot.answers()).toHaveLength(before + 1);
    expect(bot.answer()).toContain(`@${ana.login}, the run was stopped by`);
  });
});
