import { expect, it } from 'vitest';
import { quoteReply, stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates } from '../support/proposals.ts';
import { DEFAULT_FILES } from '../support/pull-request.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

const ANSWER = 'Nothing was decided: this repository takes decisions only in the pull request’s conversation';

/** Two pending changes where only comments in the conversation decide. */
async function proposed(more = ''): Promise<Story> {
  const settings = `decide_in: conversation\n${more}`;
  const story = await stage().tell({ files: { ...DEFAULT_FILES, '.github/countersign.yml': settings } });
  story.model.proposes(BIGINT, EXACTLY);
  await story.ana.says('/countersign use bigint');
  return story;
}

it('a decision in a thread gets one answer that says where to decide, and has no effect (X13)', async () => {
  const story = await proposed();
  const { ana, bot, pr } = story;
  const id = bot.proposal(1).proposalId;
  const suggestion = '```suggestion\n  let total = 1n;\n```';
  for (const [words, example] of [
    ['/approve', `/approve ${id}`],
    [`/approve ${id}`, `/approve ${id}`],
    ['/approve all', `/approve ${id}`],
    ['/deny too early', `/deny ${id}`],
    ['/edit use number', `/edit ${id} <instruction>`],
    ['/continue', '/continue'],
    ['Use number.', `/edit ${id} <instruction>`],
  ] as const) {
    const before = bot.answers().length;
    await ana.replies(bot.proposal(1), words);
    expect(bot.answers()).toHaveLength(before + 1);
    expect(bot.answer()).toContain(ANSWER);
    expect(bot.answer()).toContain(`Post \`${example}\` there.`);
  }
  const before = bot.answers().length;
  for (const words of [suggestion, `@countersign use number`, 'lgtm']) await ana.replies(bot.proposal(1), words);
  expect(bot.answers()).toHaveLength(before);
  expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
  expect(pr.commits()).toEqual([]);
});

it('a review decides nothing either, neither by a command nor by how it is submitted (X13)', async () => {
  const story = await proposed('review_approval: approve-all\n');
  const { ana, ben, bot } = story;
  await ana.does((person) => person.reviews({ event: 'COMMENT', body: '/approve all' }));
  await ben.does((person) => person.reviews({ event: 'APPROVE', body: '' }));
  await ben.does((person) => person.reviews({ event: 'REQUEST_CHANGES', body: 'Use number.' }));
  expect(bot.answers()).toHaveLength(3);
  for (const answer of bot.answers()) expect(answer).toContain(ANSWER);
  expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
});

it('the comment of a change says where to decide, and the conversation decides by id, quote or all (X13)', async () => {
  const story = await proposed();
  const { ana, bot } = story;
  const [first, second] = [bot.proposal(1), bot.proposal(2)];
  expect(first.body).toContain(
    `**Pending:** in the pull request’s conversation, not in this thread: \`/approve ${first.proposalId}\``,
  );
  await ana.says(quoteReply(second.body, '/approve'));
  expect(await proposalStates(story)).toEqual(['proposed', 'completed']);
  await ana.says(`/approve ${first.proposalId}`);
  expect(await proposalStates(story)).toEqual(['completed', 'completed']);
});

it.each<[string, (story: Story) => Promise<unknown>]>([
  ['in a thread', ({ ana, bot }) => ana.replies(bot.proposal(1), '/approve')],
  [
    'in a review',
    ({ ana, bot }) =>
      ana.does((person) => person.reviews({ event: 'COMMENT', body: `/approve ${bot.proposal(1).proposalId}` })),
  ],
  ['by a person’s own lines', ({ ana, bot }) => ana.replies(bot.proposal(1), '```suggestion\n  let total = 0n;\n```')],
])(
  'a vote %s that was counted before does not outlive the setting, and its author votes again (X13)',
  async (_place, votes) => {
    const story = await stage().tell();
    const { ana, ben, bot, configures, pr } = story;
    await configures('required_approvals: 2\n');
    story.model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await votes(story);
    expect(bot.proposal(1).body).toContain('**1 of 2 approvals**');
    await configures('required_approvals: 2\ndecide_in: conversation\n');
    const command = `/approve ${bot.proposal(1).proposalId}`;
    await ben.says(command);
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain(
      `Not applied: the approval of \`${ana.login}\` is not in the pull request’s conversation, and \`decide_in: conversation\` is set now. Pending again:`,
    );
    expect(bot.answer()).toContain(`Only a new comment approves, such as \`${command}\`.`);
    await ana.says(command);
    expect(pr.commits()).toHaveLength(1);
  },
);

it('a setting that was added during the run holds for the next approval, and information stays available (X13)', async () => {
  const story = await stage().tell();
  const { ana, bot } = story;
  story.model.proposes(BIGINT);
  await ana.says('/countersign use bigint');
  await story.configures('decide_in: conversation\n');
  await ana.replies(bot.proposal(1), '/approve');
  expect(bot.answer()).toContain(ANSWER);
  await ana.replies(bot.proposal(1), '/show');
  expect(bot.answer()).toContain('0n');
  expect(await proposalStates(story)).toEqual(['proposed']);
});
