import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { comments } from '../support/first-message.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { asks, newestId } from '../support/questions.ts';
import { editRow, ROWS_PATH, rows } from '../support/rows.ts';
import type { Speaker } from '../support/speaker.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

const WISH = 'Row 5 must become 666.';

const READ_DISCUSSION = { name: 'read_discussion', arguments: {} };

/** A pull request where nobody who told the agent something approves. */
function begin(): Promise<Story> {
  return stage().tell({
    files: { '.github/countersign.yml': 'require_non_requester: true\n' },
    branch: { [ROWS_PATH]: rows() },
  });
}

/** Ana starts a run whose agent, after these calls, proposes what Ben wished. */
async function propose(story: Story, task: string, ...calls: readonly (typeof READ_DISCUSSION)[]): Promise<void> {
  for (const call of calls) story.model.proposes(call);
  story.model.proposes(editRow(5, 666));
  await story.ana.says(`/countersign ${task}`);
}

async function expectRefusal(story: Story, person: Speaker): Promise<void> {
  const commits = story.pr.commits().length;
  await person.replies(story.bot.proposal(story.bot.proposals().length), '/approve');
  expect(story.pr.commits()).toHaveLength(commits);
  expect(story.bot.answer()).toContain(`\`${person.login}\` instructed the agent before this change was proposed`);
}

async function expectCommitBy(story: Story, person: Speaker): Promise<void> {
  await person.replies(story.bot.proposal(story.bot.proposals().length), '/approve');
  expect(story.pr.commits().at(-1)?.message).toContain(`Approved-by: ${person.login}`);
}

function isHeard({ model }: Story): boolean {
  return (
    model
      .requests()
      .at(-1)
      ?.messages.some(({ content }) => content?.includes('must become 666')) === true
  );
}

describe('require_non_requester: people whom the agent read', () => {
  it('a person whose comment read_discussion showed does not approve what follows (X7)', async () => {
    const story = await begin();
    const dora = await story.person('dora', 'write');
    await story.ben.says(WISH);
    await dora.says('/status');
    await propose(story, 'finish what is open here', READ_DISCUSSION);
    expect(isHeard(story)).toBe(true);
    await expectRefusal(story, story.ben);
    await expectCommitBy(story, dora);
  });

  it('a change that was proposed before the comment was read keeps its approvers (X7)', async () => {
    const story = await begin();
    const { ana, ben, bot, model, pr } = story;
    await ben.says(WISH);
    model.proposes(editRow(10, 100));
    await ana.says('/countersign give row 10 another value');
    model.proposes(READ_DISCUSSION);
    model.proposes(editRow(5, 666));
    await ana.replies(bot.proposal(1), '/edit rather finish what is open here');
    await expectRefusal(story, ben);
    expect(pr.commits()).toEqual([]);
    const [first] = (await story.stored()).proposals;
    expect(first?.shapers.requesters.map(({ id }) => id)).toEqual([ana.id]);
  });

  it('the author of the description is no instructor by it, because require_non_author is for them (X7)', async () => {
    const story = await begin();
    story.grants(story.carl, 'write');
    await propose(story, 'finish what is open here', READ_DISCUSSION);
    await expectCommitBy(story, story.carl);
  });

  it('a person whose words an answer beside the run is made of does not approve what follows (X7)', async () => {
    const story = await begin();
    const { ana, ben, model } = story;
    await ben.says(WISH);
    model.proposes(READ_DISCUSSION);
    model.says({ content: 'Ben says that row 5 must become 666.' });
    await ana.says('/countersign ask what does ben want?');
    await propose(story, 'do so');
    expect(isHeard(story)).toBe(true);
    await expectRefusal(story, ben);
    await expectCommitBy(story, await story.person('dora', 'write'));
  });
});

describe('require_non_requester: people to whose words the task points', () => {
  it.each<[string, (story: Story) => Promise<unknown>, readonly (typeof READ_DISCUSSION)[]]>([
    ['the first message', ({ carl }) => carl.says(WISH), []],
    [
      'read_discussion',
      ({ carl }) => carl.does((person) => person.reviews({ body: WISH, event: 'COMMENT' })),
      [READ_DISCUSSION],
    ],
  ])('a person whose words %s showed before they got write access does not approve (X7)', async (_, speak, calls) => {
    const story = await begin();
    await speak(story);
    await propose(story, `finish it as @${story.carl.login} wants`, ...calls);
    expect(isHeard(story)).toBe(true);
    story.grants(story.carl, 'write');
    // A refused permission is remembered for a minute.
    await stage().later(60);
    await expectRefusal(story, story.carl);
    await expectCommitBy(story, story.ben);
  });

  it.each<[string, string, (story: Story) => Promise<unknown>]>([
    [
      'a review',
      'the conversation',
      ({ ben }) => ben.does((person) => person.reviews({ body: WISH, event: 'COMMENT' })),
    ],
    [
      'a thread',
      'the conversation',
      (story) => comments(stage(), story, story.ben, { path: ROWS_PATH, line: 5 }, WISH),
    ],
    ['the conversation', 'a review', ({ ben }) => ben.says(WISH)],
  ])('a person whose words of %s a task in %s quotes does not approve (X7)', async (_, place, speak) => {
    const story = await begin();
    const { ana, ben, model } = story;
    await speak(story);
    const dora = await story.person('dora', 'write');
    stage().pass(2);
    await dora.does((person) => person.reviews({ body: `> ${WISH}\n\nI doubt it.`, event: 'COMMENT' }));
    model.proposes(editRow(5, 666));
    const task = `> ${WISH}\n\n/countersign do so`;
    if (place === 'a review') await ana.does((person) => person.reviews({ body: task, event: 'COMMENT' }));
    else await ana.says(task);
    expect(isHeard(story)).toBe(true);
    await expectRefusal(story, ben);
    await expectCommitBy(story, dora);
  });

  it('a person for whom an App wrote does not approve (X7)', async () => {
    const story = await begin();
    const { ben, pr } = story;
    const { github } = stage();
    const actor = { accountId: ben.id, viaAppId: github.app.id };
    const comment = { repositoryId: pr.repositoryId, number: pr.number, body: WISH };
    github.apply(OPERATIONS.createIssueComment, { actor, ...comment });
    await stage().settle();
    stage().pass(2);
    await propose(story, `finish it as @${ben.login} wants`);
    expect(isHeard(story)).toBe(true);
    await expectRefusal(story, ben);
    await expectCommitBy(story, await story.person('dora', 'write'));
  });
});

describe('require_non_requester: people of an earlier run, which the agent is told about', () => {
  it.each<[string, (story: Story) => Promise<unknown>]>([
    ['the task', ({ ben }) => ben.says(`/countersign only remember this: ${WISH}`)],
    [
      'an instruction',
      async ({ ana, ben, bot, model }) => {
        model.proposes(editRow(5, 50));
        await ana.says('/countersign give row 5 another value');
        await ben.replies(bot.proposal(1), `/edit ${WISH}`);
      },
    ],
    [
      'the reason of a denial, which that run never heard',
      async ({ ana, ben, bot, model }) => {
        model.proposes(editRow(5, 50), editRow(10, 100));
        await ana.says('/countersign give rows 5 and 10 other values');
        await ben.replies(bot.proposal(1), `/deny ${WISH}`);
        await ana.says('/stop');
      },
    ],
    [
      'an answer',
      async (story) => {
        story.model.proposes(asks({ input_type: 'text' }));
        await story.ana.says('/countersign tidy the rows');
        await story.ben.says(`/answer ${newestId(story)} ${WISH}`);
      },
    ],
    [
      'words that its agent repeated',
      async ({ ana, ben, model }) => {
        model.says({ content: 'Noted.' });
        await ana.says('/countersign listen to ben');
        model.says({ content: `Ben said: ${WISH}` });
        await ben.says(`@countersign ${WISH}`);
      },
    ],
    [
      'a comment that its agent read',
      async ({ ana, ben, model }) => {
        await ben.says(WISH);
        model.proposes(READ_DISCUSSION);
        model.says({ content: `Ben said: ${WISH}` });
        await ana.says('/countersign what is open here?');
      },
    ],
  ])('%s makes its author an instructor of the next run (X7)', async (_words, speak) => {
    const story = await begin();
    await speak(story);
    stage().pass(2);
    await propose(story, 'go on');
    expect(story.model.requests().at(-1)?.messages[1]?.content).toContain('must become 666');
    await expectRefusal(story, story.ben);
    await expectCommitBy(story, await story.person('dora', 'write'));
  });

  it('a person who only approved or denied without a word may approve in the next run (X7)', async () => {
    const story = await begin();
    const { ana, ben, bot, model } = story;
    model.proposes(editRow(10, 100), editRow(15, 150));
    await ana.says('/countersign give rows 10 and 15 other values');
    await ben.replies(bot.proposal(1), '/approve');
    await ben.replies(bot.proposal(2), '/deny');
    stage().pass(2);
    await propose(story, 'go on');
    await expectCommitBy(story, ben);
  });
});
