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

  it('R13: its questions are answered ten times within an hour, also where no run ever was', async () => {
    const { ana, ben, bot, model } = await stage().tell();
    for (let n = 0; n < 10; n += 1) {
      model.says({ content: `Because of ${n}.` });
      await ben.says('@countersign why is that?');
    }
    expect(bot.answer()).toContain('Because of 9.');
    for (let n = 0; n < 3; n += 1) await ben.says('@countersign why is that?');
    expect(bot.answers()).toHaveLength(11);
    expect(bot.answer()).toContain('Write it again later.');
    expect(model.requests()).toHaveLength(10);
    model.says({ content: 'Because of Ana.' });
    await ana.says('@countersign why is that?');
    expect(bot.answer()).toContain('Because of Ana.');
  });

  it('R13: its replies to closing words go on with the run ten times within an hour', async () => {
    const { ana, bot, model } = await stage().tell();
    for (let n = 0; n < 11; n += 1) model.says({ content: 'Shall I go on?' });
    await ana.says('/countersign what does it do?');
    for (let n = 0; n < 13; n += 1) await ana.says('Yes, please.');
    expect(model.requests()).toHaveLength(11);
    expect(bot.answers()).toHaveLength(12);
    stage().pass(3_600);
    model.says({ content: 'Done.' });
    await ana.says('Yes, please.');
    expect(bot.answer()).toContain('Done.');
  });
});
