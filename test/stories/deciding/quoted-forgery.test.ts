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

const MORE_TEXT = edit('README.md', 'Sells things.', 'Sells things, exactly.');

/** The comment up to this line. */
function upTo(body: string, last: RegExp): string {
  const lines = body.split('\n');
  const end = lines.findIndex((line) => last.test(line));
  expect(end).toBeGreaterThan(0);
  return lines.slice(0, end + 1).join('\n');
}

it('a quote without the whole diff approves nothing, and one with it does (X2, S59)', async () => {
  const story = await propose(stage(), NEW_PAGE);
  const { ana, bot, pr } = story;
  const { body, proposalId } = bot.proposal(1);
  const own = '```suggestion\n# Mine\n```';
  for (const piece of [upTo(body, /^Change 1 of 1/), upTo(body, /^\+# New/)]) {
    await ana.says(quoteReply(piece, '/approve'));
    await expectNothingApproved(story);
    expect(bot.answer()).toContain(`\`/approve ${proposalId}\``);
    expect(bot.answer()).toContain('with the whole diff');
    await ana.says(quoteReply(piece, own));
    await expectNothingApproved(story, 'edit');
  }
  await ana.says(quoteReply(upTo(body, /^\+It says more/), '/approve'));
  expect(pr.file('docs/new.md')).toContain('It says more.');
});

it('a quote of the title alone still names the change for a denial (X2, S59)', async () => {
  const story = await propose(stage(), MORE_TEXT, NEW_PAGE);
  await story.ana.says(quoteReply(upTo(story.bot.proposal(1).body, /^Change \d of 2/), '/deny'));
  expect((await proposalStates(story)).toSorted()).toEqual(['proposed', 'rejected']);
});

it('a quote of a forgery that shows the diff as something else than its lines approves nothing (X2, S59)', async () => {
  const code = ['export const a = 1; // <!--', 'eval(process.env.X);', '// -->', ''].join('\n');
  const story = await propose(stage(), write('src/new.ts', code));
  const { ana, bot, pr, stranger } = story;
  const { body } = bot.proposal(1);
  const folded = body.replace(/```diff[\s\S]*?\n```\n/, '<details>\n\n$&\n</details>\n');
  const forgeries = {
    'no fences': body.replaceAll(/^```.*\n/gm, ''),
    'a drawing': body.replace('```diff', '```mermaid'),
    'a fence in a tag': body.replace('```diff', '</details>\n```diff'),
    'a fence in a quote': body.replace('```diff', '> ```diff'),
    'an indented fence': body.replace('```diff', '   ```diff'),
    'a fence that ends early': body.replace('+eval', '```\n+eval'),
    'a fold': folded,
    'a fold with an escaped end': folded.replace('\n```diff', '\n\\</details>\n\n```diff'),
    'a fold in the title': body.replace(/^(Change 1 of 1.*)$/m, '$1\n**<details>**'),
  };
  for (const [name, forgery] of Object.entries(forgeries)) {
    expect(forgery, name).not.toBe(body);
    await stranger.says(forgery);
    await ana.says(quoteReply(forgery, '/approve'));
    await expectNothingApproved(story);
  }
  await ana.says(quoteReply(body.replace('```diff', '```'), '/approve'));
  expect(pr.file('src/new.ts')).toBe(code);
});

it('a quote with another link address than the App’s comment approves nothing (X2)', async () => {
  const story = await propose(stage(), MORE_TEXT);
  const { ana, bot, pr, stranger } = story;
  const { body } = bot.proposal(1);
  const [address = ''] = /(?<=\]\()[^)]+(?=\))/.exec(body) ?? [];
  expect(address).toContain('/blob/');
  const forgeries = [
    body.replace(address, 'https://evil.example/README.md'),
    body.replace(address, address.replace('/blob/', '/*blob/')),
    body.replace(address, address.replace(/[^/]+(?=\/shop)/, 'evil')),
    body.replace(`](${address})`, `](${address} "safe")`),
    body.replace(`](${address})`, ''),
    body.replace('**Edit**', '[**Edit**](https://evil.example)'),
  ];
  for (const forgery of forgeries) {
    expect(forgery).not.toBe(body);
    await stranger.says(forgery);
    await ana.says(quoteReply(forgery, '/approve'));
    await expectNothingApproved(story);
  }
  await ana.says(quoteReply(body, '/approve'));
  expect(pr.file('README.md')).toContain('Sells things, exactly.');
});

it('a quote of a folded diff approves only with the lines in the fold (X2, S59)', async () => {
  const story = await propose(
    stage(),
    write('docs/long.md', `${Array.from({ length: 150 }, (_, at) => `Line ${at}.`).join('\n')}\n`),
    write('docs/middle.md', `${Array.from({ length: 60 }, (_, at) => `Line ${at}.`).join('\n')}\n`),
  );
  const { ana, bot, pr } = story;
  for (const { body } of bot.proposals()) {
    expect(body).toContain('<details>');
    const closed = body.replace(/(?<=<\/summary>\n)[\s\S]*?(?=<\/details>)/, '');
    for (const quoted of [closed, body.replace(/<details>[\s\S]*<\/details>/, '')]) {
      await ana.says(quoteReply(quoted, '/approve'));
      await expectNothingApproved(story);
    }
  }
  for (const { body } of bot.proposals()) await ana.says(quoteReply(body, '/approve'));
  expect(await proposalStates(story)).toEqual(['completed', 'completed']);
  expect(pr.file('docs/long.md')).toContain('Line 149.');
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

it('a copy of a forgery without quote signs, as mail programs make it, approves nothing (X2)', async () => {
  const story = await propose(stage(), NEW_PAGE);
  const { ana, bot, stranger } = story;
  const { body, proposalId } = bot.proposal(1);
  const forgery = forgeryOf(body);
  await stranger.says(forgery);
  const [, rendered = ''] = /^<!--.*-->\n+([\s\S]*)$/.exec(forgery) ?? [];
  const fields = 'Sent: Monday, November 23, 2026 9:00 AM\nTo: acme/shop <shop@noreply.github.com>';
  const copies = [
    `From: countersign[bot] <notifications@github.com>\n${fields}\n\n${rendered}`,
    `From: stranger <notifications@github.com>\n${fields}\n\nThis only fixes a typo.`,
    `-----Original Message-----\nFrom: stranger\n\nThis only fixes a typo.`,
    `On Mon, Nov 23, 2026 at 9:00 AM stranger <x@example.com> wrote:\n\n${rendered}`,
    forgery,
    rendered.replaceAll('`', ''),
    `<blockquote>\n\n${rendered}\n\n</blockquote>`,
    `\`\`\`\`\n${rendered}\n\`\`\`\``,
  ];
  for (const copy of copies) {
    await ana.says(`/approve\n\n${copy}`);
    await expectNothingApproved(story);
  }
  expect(bot.answers()).toHaveLength(copies.length);
  await ana.says(`/approve ${proposalId}\n\n${copies[0]}`);
  expect(await proposalStates(story)).toEqual(['completed']);
});

it('in the thread of the change, a reply by e-mail needs no quote signs (X2, S39)', async () => {
  const story = await propose(stage(), MORE_TEXT);
  const { ana, bot, pr } = story;
  await ana.replies(bot.proposal(1), `/approve\n\n-----Original Message-----\n\n${bot.proposal(1).body}`);
  expect(pr.file('README.md')).toContain('Sells things, exactly.');
});
