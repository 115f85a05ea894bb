import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';

const stage = stageForAll();

const app = () => `@${stage().github.app.slug}`;

describe('a command below words for the agent', () => {
  it.each(['/approve', '/approve all', '/stop', '/deny all'])(
    '%s does nothing, and neither it nor the words become a note (S58, S62)',
    async (command) => {
      const story = await propose(stage(), BIGINT);
      const { ana, bot, model, pr, stored } = story;
      await ana.says(`${app()} looks good to me!\n\n${command}`);
      expect(bot.answer()).toContain('A command counts only on the first line of a comment');
      expect((await stored()).run?.agentNotes).toEqual([]);
      expect(await proposalStates(story)).toEqual(['proposed']);
      expect(pr.commits()).toEqual([]);
      expect(model.requests()).toHaveLength(1);
    },
  );

  it('as code it is part of the words (S58)', async () => {
    const { ana, bot, stored } = await propose(stage(), BIGINT);
    await ana.says(`${app()} explain this line in the page:\n\n\`\`\`\n/approve\n\`\`\``);
    expect(bot.answers()).toEqual([]);
    expect((await stored()).run?.agentNotes).toHaveLength(1);
  });
});
