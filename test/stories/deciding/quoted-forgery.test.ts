import { expect, it } from 'vitest';
import { quoteReply, stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import { edit, type Story, write } from '../support/story.ts';

const stage = stageForAll();

const NEW_PAGE = write('docs/new.md', '# New\n\nIt says more.\n');

/** A comment that looks like the App's, with the real title and id line of a pending change above other lines. */
function forgeryOf(body: string): string {
  return body.replace('+It says more.', '+It says less.');
}

async function expectNothingApproved(story: Story, command = 'approve'): Promise<void> {
  expect(story.bot.answer()).toContain(`\`/${command}\` had no effect`);
  expect(story.bot.answer()).toContain(story.bot.proposal(1).proposalId);
  expect(new Set(await proposalStates(story))).toEqual(new Set(['proposed']));
  expect(story.pr.commits()).toEqual([]);
}

it('a quoted forgery approves nothing (X2)', async () => {
  const story = await propose(stage(), NEW_PAGE);
  const { ana, bot, stranger } = story;
  const { body } = bot.proposal(1);
  const [, ...lines] = body.split('\n');
  const [header = ''] = body.split('\n\n').slice(1);
  const forgeries = [
    forgeryOf(body),
    body.replace('docs/new.md', 'docs/old.md'),
    body
      .split('\n')
      .filter((line) => line !== '+It says more.')
      .join('\n'),
    `${header}\n\nThis only fixes a typo.`,
    `${header}\n\n![the diff](https://example.com/diff.png)`,
    lines.filter((line) => !line.startsWith('Change 1 of 1')).join('\n'),
  ];
  for (const forgery of forgeries) {
    await stranger.says(forgery);
    await ana.says(quoteReply(forgery, '/approve'));
    await expectNothingApproved(story);
  }
  expect(bot.answers()).toHaveLength(forgeries.length);
  await ana.says(quoteReply(body, '/approve'));
  expect(await proposalStates(story)).toEqual(['completed']);
});

it('a quoted forgery denies and changes nothing either, and a plain reply to it gets the list (X2)', async () => {
  const story = await propose(stage(), NEW_PAGE, BIGINT);
  const { ana, bot, stranger } = story;
  const forgery = forgeryOf(bot.proposals().find(({ body }) => body.includes('docs/new.md'))?.body ?? '');
  await stranger.says(forgery);
  for (const [words, command] of [
    ['/deny', 'deny'],
    ['Say less.', 'edit'],
    ['```suggestion\n# Mine\n```', 'edit'],
  ] as const) {
    await ana.says(quoteReply(forgery, words));
    await expectNothingApproved(story, command);
  }
  await stranger.says(quoteReply(forgery, 'Say less.'));
  expect(bot.answers()).toHaveLength(3);
});

it('a quote of the comment as it was before it changed approves nothing (X2)', async () => {
  const story = await propose(stage(), edit('README.md', 'Sells things.', 'Sells things, exactly.'));
  const { ana, ben, bot, pr } = story;
  const { body } = bot.proposal(1);
  await ben.pushes({ 'README.md': `# Top\n\n${pr.file('README.md')}` });
  expect(bot.proposal(1).body).not.toBe(body);
  await ana.says(quoteReply(body, '/approve'));
  expect(pr.file('README.md')).toContain('Sells things.\n');
  await ana.says(quoteReply(bot.proposal(1).body, '/approve'));
  expect(pr.file('README.md')).toContain('Sells things, exactly.');
});

it('below a quote of a person’s words the only pending change must be named (X2)', async () => {
  const story = await propose(stage(), NEW_PAGE);
  await story.stranger.says('It only fixes a typo.');
  await story.ana.says(quoteReply('It only fixes a typo.', '/approve'));
  await expectNothingApproved(story);
  await story.ana.says(quoteReply('It only fixes a typo.', `/approve ${story.bot.proposal(1).proposalId}`));
  expect(await proposalStates(story)).toEqual(['completed']);
});
