import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import { write } from '../support/story.ts';

const stage = stageForAll();

const NEW_PAGE = write('docs/new.md', '# New\n');

describe('approving', () => {
  it('/approve in a thread approves that change only (S39)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    await story.ana.replies(story.bot.proposal(2), '/approve');
    expect(story.pr.file('README.md')).toContain('Sells things, exactly.');
    expect(story.pr.file('src/total.ts')).toContain('let total = 0;');
    expect(await proposalStates(story)).toEqual(['proposed', 'completed']);
    expect(story.model.requests()).toHaveLength(1);
  });

  it('a bare /approve with three pending changes approves nothing and lists them (S40, B5)', async () => {
    const { ana, bot, pr } = await propose(stage(), BIGINT, EXACTLY, NEW_PAGE);
    await ana.says('/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toMatch(/^`\/(?:approve|deny)` had no effect: several changes are pending/);
    for (const { proposalId } of bot.proposals()) expect(bot.answer()).toContain(`\`${proposalId}\``);
    expect(bot.answer()).toContain('`/approve all`');
  });

  it('a bare /approve on the pull request approves the only pending change (S40)', async () => {
    const { ana, pr } = await propose(stage(), BIGINT);
    await ana.says('/approve');
    expect(pr.file('src/total.ts')).toContain('0n');
  });

  it('two ids on one line land in one commit, and the third change stays pending (S96)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY, NEW_PAGE);
    const { ana, bot, pr } = story;
    await ana.says(`/approve ${bot.proposal(1).proposalId.toUpperCase()} ${bot.proposal(3).proposalId}`);
    expect(pr.commits()).toHaveLength(1);
    expect(pr.file('docs/new.md')).toBe('# New\n');
    expect(await proposalStates(story)).toEqual(['completed', 'proposed', 'completed']);
    expect(bot.answer()).toContain('2 changes');
  });

  it('/approve all skips a change posted in the same second, which a second /approve all commits (S41)', async () => {
    const { ana, bot, model, pr } = await stage().tell();
    model.proposes(BIGINT, EXACTLY);
    await stage().inOneSecond(async () => {
      await ana.says('/countersign use bigint');
      await ana.says('/approve all');
    });
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toMatch(
      /^Your comment doesn’t cover these changes, because they were posted later or in the same second/,
    );
    await ana.says('/approve all');
    expect(pr.commits()).toHaveLength(1);
  });

  it('the id of an earlier run’s change approves nothing, in its thread or by name (B6)', async () => {
    const { ana, bot, model, pr } = await propose(stage(), BIGINT);
    await ana.says('/deny');
    model.proposes(EXACTLY);
    await ana.says('/countersign then the page');
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    for (const answer of bot.answers().slice(-2)) expect(answer).toContain('was already rejected by');
  });

  it('a denial that arrives before the commit attempt starts wins over the approval (S77, B14)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, ben, bot, pr } = story;
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    stage().github.faults.add({ route: 'graphql pull', kind: 'delay', until });
    stage().pass(5);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await expect.poll(() => proposalStates(story), { interval: 5 }).toEqual(['approved']);
    ben.person.replies(bot.proposal(1).id, '/deny callers expect a number');
    await stage().github.whenIdle();
    release();
    await stage().settle();
    expect(await proposalStates(story)).toEqual(['rejected']);
    expect(pr.commits()).toEqual([]);
    expect(story.model.toolMessages()[0]).toContain(
      `Edit rejected by ${ben.login} (write access): callers expect a number.`,
    );
  });

  it('text below /approve reaches the model as a note; text on the same line decides nothing (S42)', async () => {
    const { ana, bot, model, pr } = await propose(stage(), BIGINT);
    await ana.replies(bot.proposal(1), '/approve but rename it');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('in this form: `/approve');
    await ana.replies(bot.proposal(1), '/approve\nMind the callers.');
    expect(pr.file('src/total.ts')).toContain('  let total = 0n;\n');
    expect(JSON.parse(model.toolMessages()[0] ?? '')).toMatchObject({ user_note: 'Mind the callers.' });
  });
});

describe('denying, or asking for something else', () => {
  it('/deny, /reject and /dismiss deny only one change and leave the others pending (S44)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY, NEW_PAGE);
    const { ana, bot, pr } = story;
    await ana.replies(bot.proposal(1), '/reject too early');
    await ana.says(`/dismiss ${bot.proposal(3).proposalId}`);
    expect(await proposalStates(story)).toEqual(['rejected', 'proposed', 'rejected']);
    await ana.says('/deny');
    expect(await proposalStates(story)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(pr.commits()).toEqual([]);
  });

  it('a bare /deny with several pending changes denies nothing; /deny all in a thread denies all of them (S44)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, bot } = story;
    await ana.says('/deny not like this');
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
    expect(bot.answer()).toContain('`/deny all`');
    await ana.replies(bot.proposal(1), '/deny all');
    expect(await proposalStates(story)).toEqual(['rejected', 'rejected']);
  });

  it('/deny all with a reason on its line denies all of them with that reason (S162)', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    await story.ana.says('/deny all callers expect a number');
    expect(await proposalStates(story)).toEqual(['rejected', 'rejected']);
    for (const output of story.model.toolMessages()) expect(output).toContain('callers expect a number');
    expect(story.model.toolMessages()).toHaveLength(2);
  });

  it('plain text in the thread is an instruction, without its quotes (S45)', async () => {
    const { ana, bot, model } = await propose(stage(), BIGINT);
    await ana.replies(bot.proposal(1), '> let total = 0n;\n\n  Call it sum.  ');
    expect(model.toolMessages()).toEqual(['[USER FEEDBACK - Tool was not executed]: Call it sum.']);
  });

  it('/edit on the pull request applies to every pending change (S47)', async () => {
    const { ana, model } = await propose(stage(), BIGINT, EXACTLY);
    await ana.says('/edit in French, please');
    const output = '[USER FEEDBACK - Tool was not executed]: in French, please';
    expect(model.toolMessages()).toEqual([output, output]);
  });
});
