import { describe, expect, it } from 'vitest';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import { write } from '../support/story.ts';

const stage = stageForAll();

const NEW_FILE = write('docs/notes.md', 'Notes.\n');

describe('editing the comment of a task', () => {
  it('has no effect, and the reply says so (S60)', async () => {
    const { ana, bot, pr } = await propose(stage(), BIGINT);
    const task = [...pr.now().comments.values()].find(({ body }) => body.startsWith('/countersign'));
    await ana.does((person) => person.edits(task?.id ?? 0, '/countersign use bigint. Fix nothing else.'));
    expect(bot.answer()).toContain('An edited comment has no effect');
  });
});

describe('a page of the App that somebody else changes', () => {
  it('is not approved while it is edited: it is written again, and the next approval counts (S92, X6)', async () => {
    const story = await propose(stage(), BIGINT, NEW_FILE);
    const { ana, ben, bot, pr } = story;
    const { id, body, proposalId } = bot.proposal(1);
    await ben.does((person) => person.editsInThread(id, body.replace('0n', '666n')));
    await ana.says(`/approve ${proposalId}`);
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
    expect(bot.answer()).toContain('Nothing was approved: the comment that shows this change was edited or deleted');
    expect(bot.proposal(1).body).toBe(body);
    expect(pr.commits()).toEqual([]);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
  });

  it.each(['src/total.ts', 'docs/notes.md'])('is posted anew once an approval finds %s deleted (S92)', async (path) => {
    const story = await propose(stage(), BIGINT, NEW_FILE);
    const { ana, ben, bot, pr } = story;
    const isInThread = path === 'src/total.ts';
    const { id, body, proposalId } = bot.proposal(isInThread ? 1 : 2);
    await ben.does((person) => (isInThread ? person.deletesInThread(id) : person.deletes(id)));
    await ana.says(`/approve ${proposalId}`);
    await stage().surely();
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('Nothing was approved: the comment that shows this change was edited or deleted');
    const again = bot.proposals().find((one) => one.proposalId === proposalId);
    expect(again?.body).toBe(body);
    expect(again?.id).not.toBe(id);
    await ana.says(`/approve ${proposalId}`);
    expect(pr.commits()).toHaveLength(1);
  });

  it('is not approved by words from before it was posted anew (S92, B9)', async () => {
    const story = await propose(stage(), BIGINT, NEW_FILE);
    const { ana, ben, bot, pr } = story;
    const { id, proposalId } = bot.proposal(2);
    stage().pass(5);
    ben.person.deletes(id);
    ana.person.says(`/approve ${proposalId}`);
    ben.person.says(`/approve ${proposalId}`);
    stage().pass(5);
    await stage().settle();
    await stage().surely();
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
    expect(pr.commits()).toEqual([]);
    expect(bot.answers().filter((answer) => answer.includes('because they were posted later'))).toHaveLength(1);
  });

  it('decides nothing and is not undone by an edit after the vote (X6)', async () => {
    const { ana, ben, bot, pr } = await propose(stage(), BIGINT);
    const { id, body } = bot.proposal(1);
    let [isRead, isEdited] = [false, false];
    const edit = (name: string): void => {
      // The page is read for the vote; the commit's own checks follow.
      isRead ||= name === 'graphql commentTexts';
      if (!isRead || isEdited || name !== 'graphql pull') return;
      isEdited = true;
      ben.person.editsInThread(id, body.replace('0n', '666n'));
    };
    await beforeCalls(stage(), edit, () => ana.replies(bot.proposal(1), '/approve'));
    expect(isEdited).toBe(true);
    expect(pr.file('src/total.ts')).toContain('0n');
    expect(bot.proposal(1).body).not.toContain('666n');
  });

  it('is posted again with the next change where it is the comment of the run (S60)', async () => {
    const { ana, bot } = await propose(stage(), BIGINT, NEW_FILE);
    await ana.does((person) => person.deletes(bot.run().id));
    expect(() => bot.run()).toThrow('no run comment');
    await ana.replies(bot.proposal(1), '/deny');
    await stage().surely();
    expect(bot.run().body).toContain('rejected');
  });
});

describe('deleting one’s own comment', () => {
  it('undoes nothing that it decided (S61)', async () => {
    const { ana, bot, pr, stored } = await propose(stage(), BIGINT, NEW_FILE);
    const inThread = await ana.replies(bot.proposal(1), '/approve');
    const inConversation = await ana.says(`/deny ${bot.proposal(2).proposalId} no notes`);
    await ana.does((person) => person.deletesInThread(inThread));
    await ana.does((person) => person.deletes(inConversation));
    expect(await proposalStates({ stored })).toEqual(['completed', 'rejected']);
    expect(pr.commits()).toHaveLength(1);
  });
});
