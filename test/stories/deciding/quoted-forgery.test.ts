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

it('below a quote of a person’s text, /approve must name even the only pending change (X2)', async () => {
  const story = await propose(stage(), NEW_PAGE);
  await story.stranger.says('It only fixes a typo.');
  await story.ana.says(quoteReply('It only fixes a typo.', '/approve'));
  await expectNothingApproved(story);
  await story.ana.says(quoteReply('It only fixes a typo.', `/approve ${story.bot.proposal(1).proposalId}`));
  expect(await proposalStates(story)).toEqual(['completed']);
});

/** A reply by e-mail to GitHub's mail about a comment, as mail programs quote it. */
function replyByMail(words: string, page: string, mail: { readonly header: string; readonly footer: string }): string {
  const [, rendered = ''] = /^(?:<!--.*-->\n+)?([\s\S]*)$/.exec(page) ?? [];
  const quoted = [mail.header, rendered, mail.footer].filter((part) => part !== '').join('\n\n');
  const lines = quoted.split('\n').map((line) => (line === '' ? '>' : `> ${line}`));
  return `${words}\n\nOn Mon, Nov 23, 2026 at 9:00 AM countersign[bot] ***@***.***>\nwrote:\n\n${lines.join('\n')}\n`;
}

const MAIL = {
  header: '*countersign[bot]* left a comment (acme/shop#1)\n<https://github.com/acme/shop/pull/1#issuecomment-1001>',
  footer: [
    '—',
    'Reply to this email directly, view it on GitHub',
    '<https://github.com/acme/shop/pull/1#issuecomment-1001>, or unsubscribe',
    '<https://github.com/notifications/unsubscribe-auth/AAAAAAAAAAAAAAAA>',
    '.',
    'You are receiving this because you authored the thread.Message ID:',
    '***@***.***>',
  ].join('\n'),
};

const TEXT_MAIL = {
  header: 'countersign[bot] left a comment (acme/shop#1)',
  footer:
    '-- \nReply to this email directly or view it on GitHub:\nhttps://github.com/acme/shop/pull/1#issuecomment-1001\nYou are receiving this because you were mentioned.\n\nMessage ID: <acme/shop/pull/1/c1001@github.com>',
};

it.each([
  ['as HTML', MAIL],
  ['as text', TEXT_MAIL],
  ['without its header', { ...MAIL, header: '' }],
  ['without its footer', { ...TEXT_MAIL, footer: '' }],
])(
  'a reply by e-mail that quotes GitHub’s mail %s approves nothing, because a stranger can write such lines too (X2)',
  async (_, mail) => {
    const story = await propose(stage(), NEW_PAGE, BIGINT);
    const page = story.bot.proposals().find(({ body }) => body.includes('docs/new.md'))?.body ?? '';
    await story.ana.says(replyByMail('/approve', page, mail));
    await expectNothingApproved(story);
    await story.ana.says(
      `/approve ${story.bot.proposals().find(({ body }) => body.includes('docs/new.md'))?.proposalId}`,
    );
    expect((await proposalStates(story)).toSorted()).toEqual(['completed', 'proposed']);
  },
);

it('a reply by e-mail to a forgery, or with other text around the quote, approves nothing (X2)', async () => {
  const story = await propose(stage(), NEW_PAGE, BIGINT);
  const { ana, bot, stranger } = story;
  const page = bot.proposals().find(({ body }) => body.includes('docs/new.md'))?.body ?? '';
  await stranger.says(forgeryOf(page));
  const replies = [
    replyByMail('/approve', forgeryOf(page), MAIL),
    replyByMail('/approve', page, { ...MAIL, header: MAIL.header.replace('[bot]', '') }),
    replyByMail('/approve', page, { ...MAIL, header: `${MAIL.header}\nThis only fixes a typo.` }),
    replyByMail('/approve', page, { ...MAIL, header: `This only fixes a typo.\n${MAIL.header}` }),
    replyByMail('/approve', page, { ...MAIL, footer: `${MAIL.footer}\nThis only fixes a typo.` }),
    replyByMail('/approve', page, {
      ...MAIL,
      footer: MAIL.footer.replace('you authored', 'it only fixes a typo. You authored'),
    }),
    replyByMail('/approve', `${page}\n\nThis only fixes a typo.`, MAIL),
    replyByMail('/approve', 'It only fixes a typo.', MAIL),
  ];
  for (const reply of replies) {
    await ana.says(reply);
    await expectNothingApproved(story);
  }
  expect(bot.answers()).toHaveLength(replies.length);
});
