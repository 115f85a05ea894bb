import { afterEach, describe, expect, it, vi } from 'vitest';
import { stageForAll } from './curtain.ts';
import { editRow, proposeRows, ROWS_PATH, row, rows, tellRows } from './rows.ts';
import { write } from './story.ts';

const stage = stageForAll();

afterEach(() => stage().github.faults.clear());

const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
const PULL = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
const COMMIT = 'graphql createCommitOnBranch';
const NOT_DONE = { kind: 'before', status: 502 } as const;
const DONE_UNHEARD = { kind: 'after', status: 502 } as const;

/** Waits until the fault has struck: the App now waits for its next try. */
function struck(): Promise<void> {
  const { faults } = stage().github;
  return vi.waitFor(() => expect(faults.waiting()).toEqual([]), { timeout: 25_000, interval: 5 });
}

describe('people who speak between two attempts', () => {
  it('S51, S77, B14: after a stop nothing is committed, even when a new run has begun', async () => {
    const { pr, ana, bot } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ ...NOT_DONE, on: COMMIT });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await struck();
    stage().pass(2);
    ana.person.says('/stop');
    stage().pass(2);
    await ana.says('/countersign something else');
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Cancelled**'), { timeout: 25_000 });
    await stage().settle();
    expect(pr.commits()).toEqual([]);
  });

  it('S44, S77, T4: a denial with its reason ends a change whose attempt failed, and the agent hears why', async () => {
    const { pr, ana, ben, bot, model } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ ...NOT_DONE, on: COMMIT });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await struck();
    await ben.replies(bot.proposal(1), '/deny use a constant');
    await vi.waitFor(() => expect(model.heard().join()).toContain('Edit rejected by user: use a constant.'), {
      timeout: 25_000,
    });
    expect(pr.commits()).toEqual([]);
  });

  it('S45, S77: so do other wishes, which the agent hears as the result', async () => {
    const { pr, ana, ben, bot, model } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ ...NOT_DONE, on: COMMIT });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await struck();
    await ben.replies(bot.proposal(1), 'use a constant instead');
    await vi.waitFor(() => expect(model.heard().join()).toContain('use a constant instead'), { timeout: 25_000 });
    await stage().settle();
    expect(pr.commits()).toEqual([]);
  });

  it('S71, S77: who approves second counts as well', async () => {
    const { ana, ben, bot, stored, pr } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ ...NOT_DONE, on: COMMIT });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await struck();
    stage().pass(2);
    ben.person.replies(bot.proposal(1).id, '/approve');
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Applied**'), { timeout: 25_000 });
    await stage().settle();
    expect(pr.commits()).toHaveLength(1);
    const { proposals } = await stored();
    const people = proposals[0]?.votes.filter((vote) => vote.action === 'approve').map((vote) => vote.by.id);
    expect(people).toContain(ana.id);
  });
});

describe('what stands on GitHub although nobody heard', () => {
  it('B21, S78: a commit under our name with our trailers is not taken for ours where it does something else', async () => {
    const { pr, ana, ben, bot, stored } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ ...NOT_DONE, on: COMMIT });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await struck();
    const [proposal] = (await stored()).proposals;
    ben.person.pushes(
      { [ROWS_PATH]: rows({ 20: 200 }) },
      {
        author: {
          name: 'countersign[bot]',
          email: `${stage().github.app.botId}+countersign[bot]@users.noreply.github.com`,
        },
        message: [
          'Change a row\n',
          `Countersign-Proposal: ${proposal?.id}`,
          `Countersign-Digest: sha256:${proposal?.change.digest}`,
          'Countersign-Range: 5,1 5,1',
          `Approved-by: ${ana.login}`,
        ].join('\n'),
      },
    );
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Applied**'), { timeout: 25_000 });
    await stage().settle();
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 20: 200 }));
  });

  it('S78: a commit that landed is never called failed because a look around was answered 404', async () => {
    const { pr, ana, bot } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ ...DONE_UNHEARD, on: COMMIT });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await struck();
    stage().github.faults.add({ kind: 'before', status: 404, on: PULL });
    await struck();
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Applied**'), { timeout: 25_000 });
    await stage().settle();
    expect(pr.commits()).toHaveLength(1);
  });

  it('S51, S72: a review whose answer was lost is found and closed, although its run was stopped meanwhile', async () => {
    const { ana, bot, model } = await tellRows(stage());
    model.proposes(editRow(5, 50));
    stage().github.faults.add({ ...DONE_UNHEARD, on: REVIEW });
    stage().pass(2);
    ana.person.says('/countersign give the row another value');
    await struck();
    stage().pass(2);
    ana.person.says('/stop');
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Cancelled**'), { timeout: 25_000 });
    await stage().settle();
    expect(bot.proposal(1).body).not.toContain('```suggestion');
    expect(bot.proposal(1).resolved).toBe(true);
  });

  it('S39, B6: an approval in a thread means that thread, never the only other pending change', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 9: 90 });
    stage().pass(2);
    const { comments } = { comments: [{ path: ROWS_PATH, line: 5, body: 'why five?' }] };
    const review = ben.person.reviews({ body: 'a question', event: 'COMMENT', comments });
    await stage().settle();
    const asked = [...pr.now().reviewComments.values()].find((one) => one.reviewId === review.id);
    await ana.does(() => ana.person.replies(asked?.id ?? 0, '/approve'));
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain(bot.proposal(1).proposalId);
  });
});

describe('what people saw is what they approve', () => {
  it('S60, B9: a proposal that somebody edited unheard is written anew, and the approval asked for again', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 5: 50 });
    const shown = bot.proposal(1).body;
    stage().github.deliveries.decide(({ action }) => (action === 'edited' ? 'drop' : 'send'));
    await ben.does(() => ben.person.editsInThread(bot.proposal(1).id, shown.replace('50', '5')));
    stage().github.deliveries.decide(undefined);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.proposal(1).body).toBe(shown);
    expect(bot.answer()).toContain('Nothing was approved: somebody changed or deleted the comment');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });

  it('E16, S93: a new file never replaces what took its directory’s place meanwhile', async () => {
    const { pr, ana, ben, bot, model } = await tellRows(stage());
    model.proposes(write('docs/a.md', 'hello\n'));
    await ana.says('/countersign write docs');
    await ben.pushes({ docs: 'a precious file\n' });
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(pr.file('docs')).toBe('a precious file\n');
    expect(pr.bytes('docs/a.md')).toBeNull();
  });

  it('S50, S71: of two pushes at once nobody is credited with the other’s', async () => {
    const { ana, ben, bot } = await proposeRows(stage(), { 5: 50 });
    stage().pass(2);
    ben.person.pushes({ 'other.txt': 'x\n' });
    ana.person.pushes({ [ROWS_PATH]: rows().replace(row(5), row(5, 50)) });
    await stage().settle();
    expect(bot.proposal(1).body).toContain('**Applied**');
    expect(bot.proposal(1).body).not.toContain(`by \`${ben.login}\``);
  });

  it('F6, F13: closed and opened again before we look is open', async () => {
    const { ben, bot, ana, pr } = await proposeRows(stage(), { 5: 50 });
    stage().pass(2);
    ben.person.closes();
    ben.person.reopens();
    await stage().settle();
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });
});
