import { expect, it } from 'vitest';
import { quoteReply, stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import { type Story, write } from '../support/story.ts';

const stage = stageForAll();

const NEW_PAGE = write('docs/new.md', '# New\n\nIt says more.\n');

async function expectNothingApproved(story: Story): Promise<void> {
  expect(new Set(await proposalStates(story))).toEqual(new Set(['proposed']));
  expect(story.pr.commits()).toEqual([]);
}

/** A reply by e-mail to GitHub's mail about a comment. */
function replyByMail(words: string, page: string): string {
  const [, rendered = ''] = /^<!--.*-->\n+([\s\S]*)$/.exec(page) ?? [];
  const quoted = rendered.replaceAll(/^/gm, '> ');
  return `${words}\n\nOn Mon, Nov 23, 2026 at 9:00 AM countersign[bot] ***@***.***>\nwrote:\n\n${quoted}\n`;
}

it('below a quote of one of our ids, true or forged, /approve counts only with the id, even for the only pending change (X2, S59)', async () => {
  const story = await propose(stage(), NEW_PAGE);
  const { ana, bot, stranger } = story;
  const { body, proposalId } = bot.proposal(1);
  const forgery = body.replace('+It says more.', '+It says less.');
  await stranger.says(forgery);
  const words = [quoteReply(body, '/approve'), quoteReply(forgery, '/approve'), replyByMail('/approve', body)];
  for (const [at, text] of words.entries()) {
    await ana.says(text);
    expect(bot.answers()).toHaveLength(at + 1);
    expect(bot.answer()).toContain('A quote never approves');
    expect(bot.answer()).toContain(`\`/approve ${proposalId}\``);
    await expectNothingApproved(story);
  }
  await ana.says(quoteReply(body, `/approve ${proposalId}`));
  expect(await proposalStates(story)).toEqual(['completed']);
});

it('below a quote of a person’s text, /approve must name even the only pending change (X2)', async () => {
  const story = await propose(stage(), NEW_PAGE);
  await story.ana.says(quoteReply('It only fixes a typo.', '/approve'));
  expect(story.bot.answer()).toContain('`/approve` had no effect');
  await expectNothingApproved(story);
});

it.each([['/deny'], ['Say less.']])('a quote points at its change for %s (S45, S59)', async (words) => {
  const story = await propose(stage(), BIGINT, NEW_PAGE);
  await story.ana.says(quoteReply(story.bot.proposal(2).body, words));
  expect(await proposalStates(story)).toEqual(['proposed', 'rejected']);
});

it('a quote with two of our ids points at none (S59)', async () => {
  const story = await propose(stage(), BIGINT, NEW_PAGE);
  const { ana, bot } = story;
  const quoted = `${bot.proposal(1).body}\n\n${bot.proposal(2).body}`;
  await ana.says(quoteReply(quoted, 'Say less.'));
  await ana.says(quoteReply(quoted, '/deny'));
  await expectNothingApproved(story);
});

it('own lines below a quote approve nothing (X2, S48)', async () => {
  const story = await propose(stage(), NEW_PAGE);
  await story.ana.says(quoteReply(story.bot.proposal(1).body, '```suggestion\n# Mine\n```'));
  expect(story.bot.answer()).toContain('count only in the change’s own thread');
  await expectNothingApproved(story);
});
