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

/** What is written here reaches the App only after everything else that happens here. */
async function heardLate(deeds: () => void): Promise<void> {
  const { deliveries } = stage().github;
  deliveries.decide(({ action }) => (action === 'deleted' ? 'send' : 'hold'));
  deeds();
  await stage().settle();
  deliveries.decide(undefined);
  deliveries.release();
  await stage().settle();
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

  it('S60: the text of the App’s review stands again too, three times at most, and decides nothing', async () => {
    const { ben, bot, pr, stored } = await proposed();
    const [before] = bot.reviews();
    const reviewId = (await stored()).run?.reviews[0]?.id ?? 0;
    for (let times = 1; times <= MOST_RESTORATIONS; times += 1) {
      await ben.does((person) => person.editsReview(reviewId, `/approve all (${times})`));
      expect(bot.reviews()).toEqual([before]);
    }
    await ben.does((person) => person.editsReview(reviewId, 'Mine now.'));
    expect(bot.reviews()).toEqual(['Mine now.']);
    expect(pr.commits()).toEqual([]);
    expect(bot.answers()).toEqual([]);
  });

  it('S60, B7: a review of one’s own that is edited into a command gets the hint as well', async () => {
    const { ana, bot, pr } = await proposed();
    const { id } = await ana.does((person) => person.reviews({ event: 'COMMENT', body: 'Looks fine.' }));
    await ana.does((person) => person.editsReview(id, '/approve all'));
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toMatch(/^An edited comment never decides anything/);
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

  it('S60, B9: in the thread that it began a no still counts, and a yes does not', async () => {
    const story = await proposed();
    const { ana, ben, bot, pr } = story;
    const { id, proposalId } = bot.proposal(1);
    await heardLate(() => {
      ana.person.replies(id, '/approve');
      ana.person.replies(id, '```suggestion\n  let total = 1n;\n```');
      ben.person.deletesInThread(id);
    });
    expect(bot.proposals().find((one) => one.proposalId === proposalId)?.id).not.toBe(id);
    expect(await states(story)).toEqual(['proposed', 'proposed']);
    expect(bot.answers().filter((answer) => answer.startsWith('Nothing was approved: somebody'))).toHaveLength(2);
    const again = bot.proposals().find((one) => one.proposalId === proposalId);
    await heardLate(() => {
      ana.person.replies(again?.id ?? 0, '/deny not this one');
      ben.person.deletesInThread(again?.id ?? 0);
    });
    expect(await states(story)).toEqual(['rejected', 'proposed']);
    expect((await story.stored()).proposals[0]?.votes).toMatchObject([{ action: 'deny', text: 'not this one' }]);
    expect(pr.commits()).toEqual([]);
  });

  it('S60, S28: so it does where the text of the same review says something else', async () => {
    const story = await proposed();
    const { ana, ben, bot, pr } = story;
    const { id } = bot.proposal(1);
    await heardLate(() => {
      ana.person.reviews({ event: 'COMMENT', body: '/approve all', replies: [{ inReplyTo: id, body: '/deny' }] });
      ben.person.deletesInThread(id);
    });
    expect((await states(story))[0]).toBe('rejected');
    expect(pr.file('src/total.ts')).not.toContain('0n');
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
