import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import { edit, write } from '../support/story.ts';

const stage = stageForAll();

const NEW_FILE = write('src/deep/new.ts', 'export {};\n');

describe('CK18: a decision on the changes of some paths', () => {
  it('approves what is pending there, and lists it', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY, NEW_FILE);
    const { ana, bot } = story;
    await ana.says('/approve src/*.ts');
    expect(await proposalStates(story)).toEqual(['completed', 'proposed', 'proposed']);
    expect(bot.answer()).toContain('`src/*.ts` took 1 change:');
    await ana.says('/approve src/**');
    expect(await proposalStates(story)).toEqual(['completed', 'proposed', 'completed']);
  });

  it('denies with a reason, which the agent gets', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    await story.ana.says('/deny *.md too long');
    expect(await proposalStates(story)).toEqual(['proposed', 'rejected']);
    expect(story.bot.answer()).toContain('`*.md` took 1 change:');
    await story.ana.says('/deny src/total.ts');
    expect(story.model.toolMessages().join()).toContain('too long');
  });

  it('decides nothing where no pending change is, and says so', async () => {
    const story = await propose(stage(), BIGINT);
    await story.ana.says('/approve docs/**');
    await story.ana.says('/deny and/or');
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(story.bot.answers()).toHaveLength(2);
    expect(story.bot.answer()).toContain('no change that waited when you posted this is on the paths of `and/or`');
  });

  it('takes a change of several files for an approval with all of them, and for a denial with one', async () => {
    const changes = [
      { op: 'edit', path: 'src/total.ts', old_string: '  let total = 0;\n', new_string: '  let total = 0n;\n' },
      { op: 'edit', path: 'README.md', old_string: 'Sells things.', new_string: 'Sells things, exactly.' },
    ];
    const both = { name: 'change_files', arguments: { summary: 'Use bigint', changes } };
    const story = await propose(stage(), both);
    await story.ana.says('/approve src/**');
    expect(await proposalStates(story)).toEqual(['proposed']);
    await story.ana.says('/deny src/**');
    expect(await proposalStates(story)).toEqual(['rejected']);
  });

  it('is no glob in a thread', async () => {
    const story = await propose(stage(), BIGINT, EXACTLY);
    const { ana, bot, model } = story;
    await ana.replies(bot.proposal(1), '/approve **');
    expect(await proposalStates(story)).toEqual(['proposed', 'proposed']);
    await ana.replies(bot.proposal(1), '/deny README.md says otherwise');
    expect(await proposalStates(story)).toEqual(['rejected', 'proposed']);
    await ana.replies(bot.proposal(2), '/deny');
    expect(model.toolMessages().join()).toContain('README.md says otherwise');
  });

  it('leaves out what was posted right before while another change ended (R73)', async () => {
    const story = await propose(stage(), BIGINT);
    const { ana, ben, bot, model, pr } = story;
    stage().pass(60);
    model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let total = 0x0;\n'));
    await ben.replies(bot.proposal(1), 'say zero in hexadecimal');
    await ana.does((person) => person.says('/approve src/*'));
    expect(bot.answer()).toContain('less than 30 seconds before it while another change ended');
    expect(pr.commits()).toEqual([]);
  });
});
