import { describe, expect, it } from 'vitest';
import { MAX_COMMENT_REPAIRS } from '../../../src/core/actions/comment-repair.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import { write } from '../support/story.ts';

const stage = stageForAll();

const NEW_FILE = write('docs/notes.md', 'Notes.\n');

/** Delivers the comments of `perform` only after its other events. */
async function deliverCommentsLast(perform: () => void): Promise<void> {
  const { deliveries } = stage().github;
  deliveries.intercept(({ action }) => (action === 'deleted' ? 'send' : 'hold'));
  perform();
  await stage().settle();
  deliveries.intercept(undefined);
  deliveries.releaseHeld();
  await stage().settle();
}

describe('editing the comment of a task', () => {
  it('has no effect, and the reply says that the task goes on as it was written (S60)', async () => {
    const { ana, bot, pr } = await propose(stage(), BIGINT);
    const task = [...pr.now().comments.values()].find(({ body }) => body.startsWith('/countersign'));
    await ana.does((person) => person.edits(task?.id ?? 0, '/countersign use bigint. Fix nothing else.'));
    expect(bot.answer()).toContain('The task goes on as it was first written; mention this App');
  });
});

describe('editing a comment of the App', () => {
  it('a proposal is restored at once, and the editor gets one hint if allowed to instruct (S60, B9)', async () => {
    const { ana, bot, pr, stored } = await propose(stage(), BIGINT, NEW_FILE);
    const [inThread, inConversation] = [bot.proposal(1), bot.proposal(2)];
    await ana.does((person) => person.editsInThread(inThread.id, 'A typo, nothing more.'));
    expect(bot.proposal(1).body).toBe(inThread.body);
    expect(bot.answer()).toContain('Editing this comment has no effect');
    await ana.does((person) => person.edits(inConversation.id, `${inConversation.body}\n- [x] done`));
    expect(bot.proposal(2).body).toBe(inConversation.body);
    expect(bot.answers()).toHaveLength(1);
    expect(await proposalStates({ stored })).toEqual(['proposed', 'proposed']);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
  });

  it('the body of the App’s review is restored too, three times at most, and decides nothing (S60)', async () => {
    const { ben, bot, pr, stored } = await propose(stage(), BIGINT, NEW_FILE);
    const [before] = bot.reviews();
    const reviewId = (await stored()).run?.reviews[0]?.id ?? 0;
    for (let times = 1; times <= MAX_COMMENT_REPAIRS; times += 1) {
      await ben.does((person) => person.editsReview(reviewId, `/approve all (${times})`));
      expect(bot.reviews()).toEqual([before]);
    }
    await ben.does((person) => person.editsReview(reviewId, 'Mine now.'));
    expect(bot.reviews()).toEqual(['Mine now.']);
    expect(pr.commits()).toEqual([]);
    expect(bot.answers()).toEqual([]);
  });

  it('comments written while a proposal was altered approve nothing, even by its id (S60, B9)', async () => {
    const story = await propose(stage(), BIGINT, NEW_FILE);
    const { ana, ben, bot, pr } = story;
    const { id, proposalId } = bot.proposal(1);
    await stage().inOneSecond(async () => {
      ben.person.editsInThread(id, 'A typo, nothing more.');
      ana.person.says(`/approve ${proposalId}`);
      await stage().settle();
    });
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
    expect(pr.commits()).toEqual([]);
    await ana.says(`/approve ${proposalId}`);
    expect(pr.commits()).toHaveLength(1);
  });

  it('the run comment is restored too (S60)', async () => {
    const { ana, bot } = await propose(stage(), BIGINT, NEW_FILE);
    const { body } = bot.run();
    await ana.does((person) => person.edits(bot.run().id, 'Nothing to see here.'));
    expect(bot.run().body).toBe(body);
  });
});

describe('deleting a comment of the App', () => {
  it('an open proposal is posted again, and only later comments approve it (S60)', async () => {
    const { ana, bot, pr, stored } = await propose(stage(), BIGINT, NEW_FILE);
    const { id, body, proposalId } = bot.proposal(1);
    await ana.does((person) => person.deletesInThread(id));
    const again = bot.proposals().find((one) => one.proposalId === proposalId);
    expect(again?.body).toBe(body);
    expect(again?.id).not.toBe(id);
    expect((await stored()).proposals[0]?.comment?.id).toBe(again?.id);
    await ana.says(`/approve ${proposalId}`);
    expect(pr.file('src/total.ts')).toContain('0n');
    expect(bot.proposals().find((one) => one.proposalId === proposalId)?.body).toContain('**Completed:** applied');
  });

  it('comments written before it was posted again approve nothing (S60)', async () => {
    const story = await propose(stage(), BIGINT, NEW_FILE);
    const { ana, ben, bot, pr } = story;
    const { id, proposalId } = bot.proposal(2);
    stage().pass(5);
    ben.person.deletes(id);
    ana.person.says(`/approve ${proposalId}`);
    stage().pass(5);
    await stage().settle();
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
    expect(pr.commits()).toEqual([]);
    expect(bot.answers().filter((answer) => answer.includes('because they were posted later'))).toHaveLength(1);
    await ana.says(`/approve ${proposalId}`);
    expect(pr.file('docs/notes.md')).toBe('Notes.\n');
  });

  it('a denial in the deleted comment’s thread still counts, and an approval does not (S60, B9)', async () => {
    const story = await propose(stage(), BIGINT, NEW_FILE);
    const { ana, ben, bot, pr } = story;
    const { id, proposalId } = bot.proposal(1);
    await deliverCommentsLast(() => {
      ana.person.replies(id, '/approve');
      ana.person.replies(id, '```suggestion\n  let total = 1n;\n```');
      ben.person.deletesInThread(id);
    });
    expect(bot.proposals().find((one) => one.proposalId === proposalId)?.id).not.toBe(id);
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
    expect(bot.answers().filter((answer) => answer.startsWith('Nothing was approved: the comment'))).toHaveLength(2);
    const again = bot.proposals().find((one) => one.proposalId === proposalId);
    await deliverCommentsLast(() => {
      ana.person.replies(again?.id ?? 0, '/deny not this one');
      ben.person.deletesInThread(again?.id ?? 0);
    });
    expect(await proposalStates(story)).toEqual(['rejected', 'proposed']);
    expect((await story.stored()).proposals[0]?.votes).toMatchObject([{ action: 'deny', text: 'not this one' }]);
    expect(pr.commits()).toEqual([]);
  });

  it('a proposal deleted without a webhook is found missing at the approval, and posted again (S60, B9)', async () => {
    const story = await propose(stage(), BIGINT, NEW_FILE);
    const { ana, ben, bot, pr } = story;
    const { id, proposalId } = bot.proposal(2);
    stage().github.deliveries.intercept(({ action }) => (action === 'deleted' ? 'drop' : 'send'));
    await ben.does((person) => person.deletes(id));
    stage().github.deliveries.intercept(undefined);
    await ana.says(`/approve ${proposalId}`);
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('Nothing was approved: the comment that shows this change was edited or deleted');
    await ana.says(`/approve ${proposalId}`);
    expect(pr.commits()).toHaveLength(1);
  });

  it('a proposal that is deleted repeatedly is withdrawn, and the model learns of it (S60)', async () => {
    const story = await propose(stage(), BIGINT, NEW_FILE);
    const { ben, bot } = story;
    const { proposalId } = bot.proposal(2);
    for (let times = 0; times <= MAX_COMMENT_REPAIRS; times += 1) {
      const shown = bot.proposals().find((one) => one.proposalId === proposalId);
      await ben.does((person) => person.deletes(shown?.id ?? 0));
    }
    expect(await proposalStates(story)).toEqual(['proposed', 'superseded']);
    expect(bot.proposals().map((one) => one.proposalId)).not.toContain(proposalId);
    expect(bot.answer()).toContain('edited or deleted repeatedly');
  });

  it('the run comment is created again with the next change (S60)', async () => {
    const { ana, bot } = await propose(stage(), BIGINT, NEW_FILE);
    await ana.does((person) => person.deletes(bot.run().id));
    expect(() => bot.run()).toThrow('no run comment');
    await ana.replies(bot.proposal(1), '/deny');
    expect(bot.run().body).toContain('rejected');
  });
});

describe('deleting one’s own comment', () => {
  it('a deleted command does not undo what it decided, and the App says so (S61)', async () => {
    const { ana, bot, pr } = await propose(stage(), BIGINT, NEW_FILE);
    const inThread = await ana.replies(bot.proposal(1), '/approve');
    const inConversation = await ana.says(`/deny ${bot.proposal(2).proposalId} no notes`);
    await ana.does((person) => person.deletesInThread(inThread));
    expect(bot.answer()).toContain('does not undo its decision');
    expect(bot.answer()).toContain('was already applied');
    await ana.does((person) => person.deletes(inConversation));
    expect(bot.answer()).toContain('was already rejected');
    expect(pr.commits()).toHaveLength(1);
  });

  it('a deleted comment that decided nothing gets no reply (S61)', async () => {
    const { ana, bot } = await propose(stage(), BIGINT, NEW_FILE);
    const asked = await ana.says('/status');
    const answers = bot.answers().length;
    await ana.does((person) => person.deletes(asked));
    expect(bot.answers()).toHaveLength(answers);
  });
});
