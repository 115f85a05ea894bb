import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates, propose } from '../support/proposals.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

/** Nothing is decided: the change is pending, nothing was committed, and the model got no further request. */
async function expectUndecided({ pr, model, stored }: Story): Promise<void> {
  expect(await proposalStates({ stored })).toEqual(['proposed']);
  expect(pr.commits()).toEqual([]);
  expect(model.requests()).toHaveLength(1);
}

describe('commands in a comment', () => {
  it('the first line that is neither blank nor quoted is a command, indented at most three spaces, in any letter case (S57)', async () => {
    const { ana, bot, pr } = await propose(stage(), BIGINT);
    await ana.says(`\n> some words of somebody\n\n   /APPROVE ${bot.proposal(1).proposalId}  `);
    expect(pr.commits()).toHaveLength(1);
  });

  it('/approve in code, quotes or HTML, or below or inside other text, does nothing and gets no answer (S58)', async () => {
    const story = await propose(stage(), BIGINT);
    const bodies = [
      '```\n/approve\n```',
      '    /approve',
      '> /approve',
      '<!--\n/approve\n-->',
      '<!-- hi -->\n/approve',
      'I would say\n/approve',
      'please /approve',
      '<details>\n/approve\n</details>',
    ];
    for (const body of bodies) await story.ana.says(body);
    await expectUndecided(story);
    expect(story.bot.answers()).toEqual([]);
  });

  it('a decision below other text, behind it or in its formatting gets a hint in a proposal’s thread and rejects nothing (S45, S58, S62)', async () => {
    const story = await propose(stage(), BIGINT);
    const app = `@${stage().github.app.slug}`;
    const bodies = [
      'Looks good to me!\n\n/approve',
      '`/approve`',
      '- **/approve**',
      '> quoted\n/approve',
      `${app} nice\n/approve`,
    ];
    for (const [n, body] of bodies.entries()) {
      const writer = await story.person(`writer${n}`, 'write');
      await writer.replies(story.bot.proposal(1), body);
      expect(story.bot.answer()).toContain('write `/approve` as the first line');
    }
    expect(story.bot.answers()).toHaveLength(bodies.length);
    await expectUndecided(story);
    await story.ana.replies(story.bot.proposal(1), '/edit explain the command\n/approve');
    expect(story.model.toolMessages()).toEqual([
      '[USER FEEDBACK - Tool was not executed]: explain the command\n/approve',
    ]);
  });

  it('an invalid id is refused by name, a typo gets the form, and another bot’s command is left alone (S62)', async () => {
    const story = await propose(stage(), BIGINT);
    await story.ana.says('/approve z9z9');
    expect(story.bot.answer()).toContain('no change of this pull request has the id `z9z9`');
    await story.ana.says('/aprove');
    expect(story.bot.answer()).toContain('in this form: `/approve');
    await story.ana.says('/retest');
    expect(story.bot.answers()).toHaveLength(2);
    await expectUndecided(story);
  });
});

describe('comments and reactions that never decide', () => {
  it('a comment that is edited into a command, in thread or conversation, gets one hint (S60, B7)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot } = story;
    const commentId = await ana.says('Looks interesting.');
    await ana.does((person) => person.edits(commentId, '/approve'));
    await ana.does((person) => person.edits(commentId, '/approve '));
    await expectUndecided(story);
    expect(bot.answers()).toHaveLength(1);
    expect(bot.answer()).toMatch(/^An edited comment has no effect/);
    const replied = await ana.replies(bot.proposal(1), `@${story.ben.login} what about this?`);
    await ana.does((person) => person.editsInThread(replied, '/approve'));
    await expectUndecided(story);
    expect(bot.answers()).toHaveLength(2);
  });

  it('editing a command away does not undo it, and editing it again does not repeat it (S60, B7)', async () => {
    const { ana, bot, pr } = await propose(stage(), BIGINT);
    const commentId = await ana.replies(bot.proposal(1), '/approve');
    await ana.does((person) => person.editsInThread(commentId, 'never mind'));
    await ana.does((person) => person.editsInThread(commentId, '/deny'));
    expect(pr.commits()).toHaveLength(1);
    expect(pr.file('src/total.ts')).toContain('0n');
  });

  it('a plain review, approving or commenting, and reactions decide nothing (S54, A14)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, bot } = story;
    await ana.does((person) => person.reviews({ event: 'APPROVE' }));
    await ana.does((person) => person.reviews({ event: 'COMMENT', body: 'Looks good to me.' }));
    const commentId = bot.proposal(1).id;
    const content = '+1';
    await ana.does(({ actor }) => {
      const react = { actor, repositoryId: story.pr.repositoryId, commentId, content } as const;
      stage().github.apply(OPERATIONS.reactToReviewComment, react);
    });
    await expectUndecided(story);
    expect(bot.answers()).toEqual([]);
  });

  it('a review whose body begins with a command decides (S55)', async () => {
    const { ana, pr } = await propose(stage(), BIGINT);
    await ana.does((person) => person.reviews({ event: 'COMMENT', body: '/approve all' }));
    expect(pr.commits()).toHaveLength(1);
  });
});
