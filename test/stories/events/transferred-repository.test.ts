import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, proposeRows, ROWS_PATH, rows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

const UNKNOWN = /^Nothing was decided: this installation of Countersign does not know this change/;

/** Transfers the repository to an account that has its own installation of the App. */
async function transfer({ pr }: Story): Promise<void> {
  const { id: repositoryId, name } = pr.repository();
  const { github } = stage();
  const { id: ownerId } = github.apply(OPERATIONS.addAccount, { login: `new-${name}`, type: 'Organization' });
  github.apply(OPERATIONS.installApp, { appId: github.app.id, accountId: ownerId });
  github.apply(OPERATIONS.transferRepository, { repositoryId, ownerId });
  await stage().settle();
}

describe('a repository that is transferred to an account with another installation', () => {
  it('a decision below a change gets one answer, decides nothing, and the change can be asked for again (R12)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, bot, model } = story;
    await transfer(story);
    const before = bot.answers().length;
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.answers().slice(before)).toEqual([expect.stringMatching(UNKNOWN)]);
    await ana.says(`/deny ${bot.proposal(1).proposalId}`);
    await ben.replies(bot.proposal(1), '/approve');
    expect(bot.answers()).toHaveLength(before + 1);
    expect(pr.commits()).toEqual([]);
    model.proposes(editRow(5, 50));
    await ana.says('/countersign change row 5');
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });

  it.each(['/deny {id}', '/approve {id}', '> **Edit** `rows.txt` · `{id}`\n\n/deny'])(
    'so does %j in the conversation (R12)',
    async (text) => {
      const story = await proposeRows(stage(), { 5: 50 });
      await transfer(story);
      await story.ana.says(text.replace('{id}', story.bot.proposal(1).proposalId));
      expect(story.bot.answer()).toMatch(UNKNOWN);
    },
  );

  it('nobody else gets an answer: strangers, people among themselves, and commands that can be another bot’s (R12)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, stranger, bot } = story;
    await transfer(story);
    const before = bot.answers().length;
    await stranger.replies(bot.proposal(1), '/approve');
    await ana.replies(bot.proposal(1), 'I like it.');
    await ana.says('/approve');
    const comments = [{ path: ROWS_PATH, line: 9, body: 'Why nine?' }];
    await ben.does((person) => person.reviews({ event: 'COMMENT', body: 'Look.', comments }));
    const remark = [...pr.now().reviewComments.values()].find(({ body }) => body === 'Why nine?');
    await ana.does((person) => person.replies(remark?.id ?? 0, '/approve'));
    expect(bot.answers()).toHaveLength(before);
  });
});
