import { describe, expect, it } from 'vitest';
import { appliedRow, botCommits } from '../support/applied-changes.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposeRows, ROWS_PATH, row, rows } from '../support/rows.ts';
import { edit } from '../support/story.ts';

const stage = stageForAll();

describe('/undo of an applied change', () => {
  it('is proposed like every change, and once approved restores the file (S72, S73, S92)', async () => {
    const story = await appliedRow(stage());
    const { pr, ana, ben, bot, model, id } = story;
    const asked = model.requests().length;
    await ben.says(`/undo ${id}`);
    const undo = bot.proposal(2);
    expect(undo.body).toContain(`**Edit** \`${ROWS_PATH}\` (line 5)`);
    expect(undo.body).toContain(
      `This is the exact reverse of \`${id}\`, requested by \`${ben.login}\`, not by the agent.`,
    );
    expect(undo.body).toContain(`\`\`\`suggestion\n${row(5)}\n\`\`\``);
    expect(undo.body).not.toContain('what to change');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    await ana.replies(undo, '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows());
    const message = botCommits(story).at(-1) ?? '';
    expect(message).toMatch(new RegExp(`^Undo ${id} in src/rows.ts: replace 1 line\n`));
    expect(message).toContain(`Countersign-Proposal: ${undo.proposalId}\nCountersign-Digest: sha256:`);
    expect(message).toContain(`Approved-by: ${ana.login}`);
    expect(bot.proposal(2).body).toContain('**Completed:** applied');
    expect(bot.proposal(2).resolved).toBe(true);
    expect(bot.run().body).toContain(`undoes \`${id}\``);
    expect(model.requests()).toHaveLength(asked);
  });

  it('an undo is undone in its own thread, and the change applies again', async () => {
    const { pr, ana, bot, id } = await appliedRow(stage());
    await ana.says(`/undo ${id}`);
    await ana.says('/approve');
    await ana.replies(bot.proposal(2), '/undo');
    expect(bot.proposal(3).body).toContain(`exact reverse of \`${bot.proposal(2).proposalId}\``);
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });

  it('only applied changes can be undone; for any other id the answer lists those that can', async () => {
    const { ana, bot } = await proposeRows(stage(), { 5: 50, 9: 90 });
    const [first, second] = bot.proposals().map(({ proposalId }) => proposalId);
    await ana.says(`/deny ${second}`);
    for (const command of [`/undo ${first}`, `/undo ${second}`, '/undo zz99', '/undo']) {
      await ana.says(command);
      expect(bot.answer()).toBe(
        '`/undo` needs the id of an applied change, as in `/undo <id>`. The last run has no such change.',
      );
    }
    expect(bot.proposals()).toHaveLength(2);
  });

  it('/undo and /show without an id list what they can mean (S62)', async () => {
    const { ana, bot } = await proposeRows(stage(), { 5: 50, 9: 90 });
    const [first, second] = bot.proposals().map(({ proposalId }) => proposalId);
    await ana.says('/approve all');
    stage().pass(2);
    for (const command of ['undo', 'show']) {
      await ana.says(`/${command}`);
      expect(bot.answer()).toContain(`It can mean:\n\n- [\`${second}\`]`);
      expect(bot.answer()).toContain(`- [\`${first}\`]`);
    }
    await ana.says('/show zz99');
    expect(bot.answer()).toContain('no change of this pull request has the id `zz99`');
  });

  it('under require_non_requester the person who requested the undo cannot approve it; others can (S70)', async () => {
    const { pr, ana, ben, bot, configures, id } = await appliedRow(stage());
    await configures('require_non_requester: true\n');
    await ben.says(`/undo ${id}`);
    await ben.says('/approve');
    expect(bot.answer()).toContain(`\`${ben.login}\` requested this change`);
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows());
  });
});

describe('the place of an undo', () => {
  it('lines that moved since are found at their current place (S94)', async () => {
    const { pr, ana, ben, bot, id } = await appliedRow(stage());
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 50, 20: 'other' }, ['// one', '// two']) });
    await ana.says(`/undo ${id}`);
    expect(bot.proposal(2).body).toContain('(line 7)');
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 20: 'other' }, ['// one', '// two']));
  });

  it('lines that changed since, or now appear twice, are not guessed at (S94, B4)', async () => {
    const { pr, ana, ben, bot, id } = await appliedRow(stage());
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 55 }) });
    await ana.says(`/undo ${id}`);
    expect(bot.answer()).toContain(`has changed since, and the lines of \`${id}\` are gone`);
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 50 }) + rows({ 5: 50 }) });
    await ana.says(`/undo ${id}`);
    expect(bot.answer()).toContain('or occur more than once');
    expect(bot.proposals()).toHaveLength(1);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }) + rows({ 5: 50 }));
  });

  it('an edit in several places is undone exactly, as long as the file is unchanged since (S93)', async () => {
    const story = await stage().tell({ branch: { [ROWS_PATH]: rows({ 3: 'same', 15: 'same' }) } });
    const { pr, ana, bot, model } = story;
    model.proposes(edit(ROWS_PATH, 'same', 'equal', { replace_all: true }));
    await ana.says('/countersign use another word');
    await ana.says('/approve');
    await ana.says(`/undo ${bot.proposal(1).proposalId}`);
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 3: 'same', 15: 'same' }));
  });

  it('a pending undo that no longer fits is withdrawn, and its comment says how to ask again (S94)', async () => {
    const { ana, ben, bot, id } = await appliedRow(stage());
    await ana.says(`/undo ${id}`);
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 55 }) });
    expect(bot.proposal(2).body).toContain('**Withdrawn** without a decision. Nothing was changed.');
    expect(bot.proposal(2).body.replaceAll('`', '')).toContain(`To ask for it again, write /undo ${id}`);
  });
});
