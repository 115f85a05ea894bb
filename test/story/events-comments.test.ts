import { describe, expect, it } from 'vitest';
import { MOST_RESTORATIONS } from '../../src/run/restore.ts';
import { quoteReply, stageForAll } from './curtain.ts';
import { edit, type Story, write } from './story.ts';

const stage = stageForAll();

const BIGINT = edit('src/total.ts', '  let total = 0;\n', '  let total = 0n;\n');
const NEW_FILE = write('docs/notes.md', 'Notes.\n');

/** One suggestion in a thread, and one new file in the conversation. */
async function proposed(): Promise<Story> {
  const story = await stage().tell();
  story.model.proposes(BIGINT, NEW_FILE);
  await story.ana.says('/countersign use bigint');
  return story;
}

async function states(story: Story): Promise<readonly string[]> {
  return (await story.stored()).proposals.map((proposal) => proposal.state);
}

describe('somebody edits a comment of the App', () => {
  it('S60, B9: a proposal stands again as it was written, at once; whoever may instruct is told once how to', async () => {
    const { ana, bot, pr, stored } = await proposed();
    const [inThread, inConversation] = [bot.proposal(1), bot.proposal(2)];
    await ana.does((person) => person.editsInThread(inThread.id, 'A typo, nothing more.'));
    expect(bot.proposal(1).body).toBe(inThread.body);
    expect(bot.answer()).toContain('Editing a comment of Countersign changes nothing');
    await ana.does((person) => person.edits(inConversation.id, `${inConversation.body}\n- [x] done`));
    expect(bot.proposal(2).body).toBe(inConversation.body);
    expect(bot.answers()).toHaveLength(1);
    expect((await stored()).proposals.map(({ state }) => state)).toEqual(['proposed', 'proposed']);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
  });

  it('S60, B9: words written while it showed something else approve nothing, even by its id', async () => {
    const story = await proposed();
    const { ana, ben, bot, pr } = story;
    const { id, proposalId } = bot.proposal(1);
    await stage().inOneSecond(async () => {
      ben.person.editsInThread(id, 'A typo, nothing more.');
      ana.person.says(`/approve ${proposalId}`);
      await stage().settle();
    });
    expect(await states(story)).toEqual(['proposed', 'proposed']);
    expect(pr.commits()).toEqual([]);
    await ana.says(`/approve ${proposalId}`);
    expect(pr.commits()).toHaveLength(1);
  });

  it('S60: nobody fights for ever: after three times the change is withdrawn, and it is said once', async () => {
    const story = await proposed();
    const { ben, bot, model, pr } = story;
    const { id } = bot.proposal(1);
    const other = bot.proposal(2);
    for (let times = 0; times <= MOST_RESTORATIONS + 1; times += 1) {
      await ben.does((person) => person.editsInThread(id, `No. (${times})`));
    }
    expect(await states(story)).toEqual(['superseded', 'proposed']);
    expect(bot.answers().filter((answer) => answer.includes('again and again'))).toHaveLength(1);
    expect(pr.now().reviewComments.get(id)?.body).toBe(`No. (${MOST_RESTORATIONS + 1})`);
    await ben.says(`/deny ${other.proposalId} not now`);
    expect(model.heard()[0]).toBe('Withdrawn: no decision was made.');
  });

  it('S60: the run comment is written anew too', async () => {
    const { ana, bot } = await proposed();
    const { body } = bot.run();
    await ana.does((person) => person.edits(bot.run().id, 'Nothing to see here.'));
    expect(bot.run().body).toBe(body);
  });

  it('S60: what a decided change came to stands again as well', async () => {
    const { ana, bot } = await proposed();
    await ana.replies(bot.proposal(1), '/deny');
    const { id, body } = bot.proposal(1);
    await ana.does((person) => person.editsInThread(id, 'Approved by everybody.'));
    expect(bot.proposal(1).body).toBe(body);
  });
});

describe('somebody deletes a comment of the App', () => {
  it('S60: an open proposal is posted again, and only words written after that approve it', async () => {
    const { ana, bot, pr, stored } = await proposed();
    const { id, body, proposalId } = bot.proposal(1);
    await ana.does((person) => person.deletesInThread(id));
    const again = bot.proposals().find((one) => one.proposalId === proposalId);
    expect(again?.body).toBe(body);
    expect(again?.id).not.toBe(id);
    expect((await stored()).proposals[0]?.comment?.id).toBe(again?.id);
    await ana.says(`/approve ${proposalId}`);
    expect(pr.file('src/total.ts')).toContain('0n');
    expect(bot.proposals().find((one) => one.proposalId === proposalId)?.body).toContain('**Applied**');
  });

  it('S60: words written before it stood there again approve nothing: not its id, not a quote of it', async () => {
    const story = await proposed();
    const { ana, ben, bot, pr } = story;
    const { id, body, proposalId } = bot.proposal(2);
    stage().pass(5);
    ben.person.deletes(id);
    ana.person.says(`/approve ${proposalId}`);
    ana.person.says(quoteReply(body, '/approve'));
    stage().pass(5);
    await stage().settle();
    expect(await states(story)).toEqual(['proposed', 'proposed']);
    expect(pr.commits()).toEqual([]);
    expect(bot.answers().filter((answer) => answer.includes('posted after that comment'))).toHaveLength(2);
    const again = bot.proposals().find((one) => one.proposalId === proposalId);
    await ana.says(quoteReply(again?.body ?? '', '/approve'));
    expect(pr.file('docs/notes.md')).toBe('Notes.\n');
  });

  it('S60, B9: one that was deleted unheard is found missing at the approval, and posted again', async () => {
    const story = await proposed();
    const { ana, ben, bot, pr } = story;
    const { id, proposalId } = bot.proposal(2);
    stage().github.deliveries.decide(({ action }) => (action === 'deleted' ? 'drop' : 'send'));
    await ben.does((person) => person.deletes(id));
    stage().github.deliveries.decide(undefined);
    await ana.says(`/approve ${proposalId}`);
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('Nothing was approved: somebody changed or deleted the comment');
    await ana.says(`/approve ${proposalId}`);
    expect(pr.commits()).toHaveLength(1);
  });

  it('S60: one that is deleted again and again is withdrawn, and the model hears so', async () => {
    const story = await proposed();
    const { ben, bot } = story;
    const { proposalId } = bot.proposal(2);
    for (let times = 0; times <= MOST_RESTORATIONS; times += 1) {
      const standing = bot.proposals().find((one) => one.proposalId === proposalId);
      await ben.does((person) => person.deletes(standing?.id ?? 0));
    }
    expect(await states(story)).toEqual(['proposed', 'superseded']);
    expect(bot.proposals().map((one) => one.proposalId)).not.toContain(proposalId);
    expect(bot.answer()).toContain('again and again');
  });

  it('S60: the run comment is made anew with the next change', async () => {
    const { ana, bot } = await proposed();
    await ana.does((person) => person.deletes(bot.run().id));
    expect(() => bot.run()).toThrow('no run comment');
    await ana.replies(bot.proposal(1), '/deny');
    expect(bot.run().body).toContain('rejected');
  });

  it('S60: one that was deleted unheard is made anew as well', async () => {
    const { ana, bot } = await proposed();
    stage().github.deliveries.decide(({ action }) => (action === 'deleted' ? 'drop' : 'send'));
    await ana.does((person) => person.deletes(bot.run().id));
    stage().github.deliveries.decide(undefined);
    await ana.replies(bot.proposal(1), '/deny');
    expect(bot.run().body).toContain('rejected');
  });
});

describe('somebody deletes a comment of their own', () => {
  it('S61: a deleted command does not undo what it decided, and the App says so', async () => {
    const { ana, bot, pr } = await proposed();
    const inThread = await ana.replies(bot.proposal(1), '/approve');
    const inConversation = await ana.says(`/deny ${bot.proposal(2).proposalId} no notes`);
    await ana.does((person) => person.deletesInThread(inThread));
    expect(bot.answer()).toContain('does not undo what it decided');
    expect(bot.answer()).toContain('was already applied');
    await ana.does((person) => person.deletes(inConversation));
    expect(bot.answer()).toContain('was already rejected');
    expect(pr.commits()).toHaveLength(1);
  });

  it('S61: nothing is said where nothing was decided', async () => {
    const { ana, bot } = await proposed();
    const asked = await ana.says('/status');
    const answers = bot.answers().length;
    await ana.does((person) => person.deletes(asked));
    expect(bot.answers()).toHaveLength(answers);
  });
});
