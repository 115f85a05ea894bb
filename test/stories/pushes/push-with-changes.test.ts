import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, proposeRows, ROWS_PATH, row, rows } from '../support/rows.ts';
import { edit, type Story, write } from '../support/story.ts';

const stage = stageForAll();

const BOT = 'countersign[bot]';

function appCommitShas({ pr }: Story): readonly string[] {
  return pr.commits().flatMap(({ author, sha }) => (author === BOT ? [sha] : []));
}

describe('a push that carries changes', () => {
  it('Commit suggestion is approval and execution, credited to the person who pressed it (S50, B10)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, bot, model } = story;
    await ben.commitsSuggestion(bot.proposal(1));
    expect(appCommitShas(story)).toEqual([]);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    const [commit] = pr.commits();
    expect(bot.proposal(1).body).toContain(
      `**Completed:** applied by \`${ben.login}\` in [\`${commit?.sha.slice(0, 7)}\`]`,
    );
    expect(bot.proposal(1).body).not.toContain('```suggestion');
    expect(bot.proposal(1).resolved).toBe(true);
    expect(JSON.parse(model.toolMessages()[0] ?? '')).toMatchObject({
      path: ROWS_PATH,
      replacements_made: 1,
      message: expect.stringContaining(`Successfully replaced text in ${ROWS_PATH}.`),
      details: { userModified: false },
    });
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(pr.commits()).toHaveLength(1);
    expect(bot.answer()).toContain('already');
  });

  it('a batch over two files is credited to the person who sent it; changes left out stay pending (S50, S66)', async () => {
    const OTHER = 'src/other.ts';
    const story = await stage().tell({ branch: { [ROWS_PATH]: rows(), [OTHER]: rows() } });
    const { pr, ana, ben, bot, model } = story;
    model.proposes(editRow(5, 50), editRow(12, 120), edit(OTHER, row(7), row(7, 70)));
    await ana.says('/countersign give the rows other values');
    await ben.commitsSuggestion(bot.proposal(1), bot.proposal(3));
    const { proposals } = await story.stored();
    expect(proposals.map(({ state }) => state)).toEqual(['completed', 'proposed', 'completed']);
    expect(proposals[0]?.votes).toMatchObject([{ action: 'commit', by: { id: ben.id }, permission: 'write' }]);
    expect(proposals[2]?.votes).toMatchObject([{ action: 'commit', by: { id: ben.id }, permission: 'write' }]);
    await ana.says('/approve all');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 12: 120 }));
    expect(pr.file(OTHER)).toBe(rows({ 7: 70 }));
    expect(pr.commits()).toHaveLength(2);
  });

  it('an ordinary push of one of three changes completes that one; the others stay pending and land (S50, S83)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 7: 70, 12: 120 });
    const { pr, ana, ben, bot, model } = story;
    const asked = model.requests().length;
    await ben.pushes({ [ROWS_PATH]: rows({ 7: 70 }) });
    expect(bot.proposal(2).body).toContain(`**Completed:** applied by \`${ben.login}\``);
    expect(bot.proposal(1).body).toContain('`/approve`');
    expect(bot.proposal(3).body).toContain('`/approve`');
    expect(model.requests()).toHaveLength(asked);
    await ana.says('/approve all');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 7: 70, 12: 120 }));
    expect(appCommitShas(story)).toHaveLength(1);
    expect(model.toolMessages()).toHaveLength(3);
  });

  it('a pusher without permission to approve is named, and the comment says that this is no approval (S50)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, bot } = story;
    const dora = await story.person('dora', 'write');
    stage().github.deliveries.intercept(() => 'hold');
    await dora.pushes({ [ROWS_PATH]: rows({ 5: 50 }) });
    const access = { repositoryId: pr.repositoryId, accountId: dora.id, permission: 'read' } as const;
    stage().github.apply(OPERATIONS.setPermission, access);
    stage().github.deliveries.intercept(undefined);
    stage().github.deliveries.releaseHeld();
    await stage().settle();
    expect(bot.proposal(1).body).toContain(`Not an approval: \`${dora.login}\` may not approve here.`);
    expect(appCommitShas(story)).toEqual([]);
  });

  it('an approval after a push without a webhook finds the change there and commits nothing (S50)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, bot } = story;
    stage().github.deliveries.intercept(({ event }) => (event === 'issue_comment' ? 'send' : 'drop'));
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 50 }) });
    await ana.says('/approve');
    stage().github.deliveries.intercept(undefined);
    expect(appCommitShas(story)).toEqual([]);
    expect(pr.commits()).toHaveLength(1);
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
  });
});

describe('a push of something else', () => {
  it('a push elsewhere in the file keeps the proposal pending, and the commit lands on the right lines (S94, S50)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, bot } = story;
    await ben.pushes({ [ROWS_PATH]: rows({ 20: 'other' }, ['// one', '// two']) });
    expect(bot.proposals()).toHaveLength(1);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 20: 'other' }, ['// one', '// two']));
    expect(pr.commits().at(-1)?.message).toMatch(/^Countersign-Range: 7,1 7,1$/m);
  });

  it('a push within the shown context shows the change again under a new id; the old id decides nothing (S94, S50)', async () => {
    const story = await proposeRows(stage(), { 5: 50 });
    const { pr, ana, ben, bot, model } = story;
    const asked = model.requests().length;
    await ben.pushes({ [ROWS_PATH]: rows({ 6: 'other' }) });
    const [old, again] = bot.proposals();
    expect(old?.body).toContain('**Withdrawn** without a decision.');
    expect(old?.body).toContain(`Replaced by [\`${again?.proposalId}\`]`);
    expect(old?.resolved).toBe(true);
    expect(again?.body).toContain(`head \`${pr.head().slice(0, 7)}\``);
    expect(model.requests()).toHaveLength(asked);
    await ana.says(`/approve ${old?.proposalId}`);
    expect(appCommitShas(story)).toEqual([]);
    await ana.says(`/approve ${again?.proposalId}`);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 6: 'other' }));
    expect(model.toolMessages()).toHaveLength(1);
    expect(JSON.parse(model.toolMessages()[0] ?? '')).toMatchObject({ replacements_made: 1 });
  });

  it('a new file that another person created meanwhile is not overwritten (T7, S93)', async () => {
    const { pr, ana, ben, bot, model } = await stage().tell();
    model.proposes(write('docs/new.md', 'ours\n'));
    await ana.says('/countersign write the page');
    await ben.pushes({ 'docs/new.md': 'theirs\n' });
    expect(bot.proposal(1).body).toContain('**Withdrawn**');
    expect(model.toolMessages()[0]).toMatch(/^Not applied: docs\/new\.md changed after this change was proposed/);
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(pr.file('docs/new.md')).toBe('theirs\n');
  });
});

describe('after a decision', () => {
  it('a commit by the App leaves nearby changes in the same file pending, even inside their context (S97, B21)', async () => {
    const story = await proposeRows(stage(), { 5: 50, 7: 70, 9: 90 });
    const { pr, ana, bot } = story;
    await ana.replies(bot.proposal(2), '/approve');
    expect(bot.proposals()).toHaveLength(3);
    await ana.replies(bot.proposal(1), '/approve');
    await ana.replies(bot.proposal(3), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 7: 70, 9: 90 }));
    expect(appCommitShas(story)).toHaveLength(3);
  });
});
