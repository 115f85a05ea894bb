import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';

const stage = stageForAll();

describe('a change instead of which a person asked for something else', () => {
  it('is shown as that and not as a denial, on its page, in the run’s table and at the end (S72, S90, K19)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, ben, bot } = story;
    await ben.replies(bot.proposal(1), 'use a constant');
    expect(bot.proposal(1).body).toContain(
      `**Asked for something else** by \`${ben.login}\`. Nothing was changed.\n\n> use a constant`,
    );
    expect(bot.proposal(1).body).not.toContain('Rejected');
    expect(bot.run().body).toContain(`| asked for something else | \`${ben.login}\` |`);
    expect(bot.run().body).toContain('Changes: 1 pending, 1 asked for something else.');
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(bot.answer()).toContain(`was already sent back by \`${ben.login}\` for something else`);
    await ben.replies(bot.proposal(2), '/deny');
    expect(bot.answer()).toContain('nothing was changed, 1 asked for something else, 1 rejected');
    expect(await proposalStates(story)).toEqual(['rejected', 'rejected']);
  });
});

describe('what ended without a decision', () => {
  it('says why where somebody asks for it, and is counted at the end (S53, S90b, T12)', async () => {
    const { ana, ben, bot } = await propose(stage(), BIGINT, EXACTLY);
    await ben.replies(bot.proposal(1), '/deny too long');
    await ana.says('/continue');
    expect(bot.proposal(2).body).toContain(
      `**Withdrawn** without a decision. Nothing was changed. \`${ana.login}\` went on without it with`,
    );
    expect(bot.answer()).toContain('nothing was changed, 1 rejected, 1 withdrawn');
    await ben.says(`/approve ${bot.proposal(2).proposalId}`);
    expect(bot.answer()).toContain(`was already withdrawn (\`${ana.login}\` went on without it with`);
    expect(bot.answer()).toContain('That is final.');
  });
});
