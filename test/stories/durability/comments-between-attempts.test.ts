import { afterEach, describe, expect, it, vi } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { editRow, proposeRows, ROWS_PATH, row, rows, tellRows } from '../support/rows.ts';
import { write } from '../support/story.ts';

const stage = stageForAll();

afterEach(() => stage().github.faults.clear());

const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

const PULL = 'graphql pull';

const COMMIT = 'graphql createCommitOnBranch';

const NOT_DONE = { kind: 'fail-before-apply', status: 502 } as const;

const DONE_UNHEARD = { kind: 'fail-after-apply', status: 502 } as const;

/** Waits until the fault has occurred, so that the App waits for its next attempt. */
function faultOccurred(): Promise<void> {
  const { faults } = stage().github;
  return vi.waitFor(() => expect(faults.pending()).toEqual([]), { timeout: 25_000, interval: 5 });
}

describe('comments between two commit attempts', () => {
  it('after a stop nothing is committed, even when a new run has begun (S51, S77, B14)', async () => {
    const { pr, ana, bot } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ ...NOT_DONE, route: COMMIT });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await faultOccurred();
    stage().pass(2);
    ana.person.says('/stop');
    stage().pass(2);
    await ana.says('/countersign something else');
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Cancelled**'), { timeout: 25_000 });
    await stage().settle();
    expect(pr.commits()).toEqual([]);
  });

  it('a denial with its reason ends a change whose attempt failed, and the agent gets the reason (S44, S77, T4)', async () => {
    const { pr, ana, ben, bot, model } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ ...NOT_DONE, route: COMMIT });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await faultOccurred();
    await ben.replies(bot.proposal(1), '/deny use a constant');
    await vi.waitFor(() => expect(model.toolMessages().join()).toContain(`(write access): use a constant.`), {
      timeout: 25_000,
    });
    expect(pr.commits()).toEqual([]);
  });
});

describe('effects that reached GitHub without a received response', () => {
  it('a commit with the App’s name and trailers but other content is not treated as the App’s (B21, S78)', async () => {
    const { pr, ana, ben, bot, stored } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ ...NOT_DONE, route: COMMIT });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await faultOccurred();
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
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Completed:** applied'), { timeout: 25_000 });
    await stage().settle();
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 20: 200 }));
  });

  it('a commit that landed is never reported as failed because a lookup returned 404 (S78)', async () => {
    const { pr, ana, bot } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ ...DONE_UNHEARD, route: COMMIT });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await faultOccurred();
    stage().github.faults.add({ kind: 'fail-before-apply', status: 404, route: PULL });
    await faultOccurred();
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Completed:** applied'), { timeout: 25_000 });
    await stage().settle();
    expect(pr.commits()).toHaveLength(1);
  });

  it('a review whose response was lost is found and closed, although its run was stopped meanwhile (S51, S72)', async () => {
    const { ana, bot, model } = await tellRows(stage());
    model.proposes(editRow(5, 50));
    stage().github.faults.add({ ...DONE_UNHEARD, route: REVIEW });
    stage().pass(2);
    ana.person.says('/countersign give the row another value');
    await faultOccurred();
    stage().pass(2);
    ana.person.says('/stop');
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Cancelled**'), { timeout: 25_000 });
    await stage().settle();
    expect(bot.proposal(1).body).not.toContain('```suggestion');
    expect(bot.proposal(1).resolved).toBe(true);
  });

  it('a denial by id stands although the comment is deleted before the App knows that it posted it (S41a, S44)', async () => {
    const story = await tellRows(stage());
    const { pr, ana, ben, bot } = story;
    story.model.proposes(editRow(5, 50));
    stage().github.faults.add({ ...DONE_UNHEARD, route: REVIEW });
    stage().pass(2);
    ana.person.says('/countersign give the row another value');
    await faultOccurred();
    const { id, proposalId } = bot.proposal(1);
    ben.person.says(`/deny ${proposalId}`);
    stage().pass(2);
    ana.person.deletesInThread(id);
    await vi.waitFor(async () => expect(await proposalStates(story)).toEqual(['rejected']), { timeout: 25_000 });
    await ana.says(`/approve ${proposalId}`);
    expect(bot.answer()).toContain('was already rejected');
    expect(pr.commits()).toEqual([]);
  });
});

describe('people approve exactly the change that they saw', () => {
  it('a new file never replaces a file that took the place of its directory meanwhile (E16, S93)', async () => {
    const { pr, ana, ben, bot, model } = await tellRows(stage());
    model.proposes(write('docs/a.md', 'hello\n'));
    await ana.says('/countersign write docs');
    await ben.pushes({ docs: 'a precious file\n' });
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(pr.file('docs')).toBe('a precious file\n');
    expect(pr.bytes('docs/a.md')).toBeNull();
  });

  it('neither of two simultaneous pushes is credited to the other’s author (S50, S71)', async () => {
    const { ana, ben, bot } = await proposeRows(stage(), { 5: 50 });
    stage().pass(2);
    ben.person.pushes({ 'other.txt': 'x\n' });
    ana.person.pushes({ [ROWS_PATH]: rows().replace(row(5), row(5, 50)) });
    await stage().settle();
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
    expect(bot.proposal(1).body).not.toContain(`by \`${ben.login}\``);
  });

  it('a pull request closed and reopened before it is processed is open (F6, F13)', async () => {
    const { ben, bot, ana, pr } = await proposeRows(stage(), { 5: 50 });
    stage().pass(2);
    ben.person.closes();
    ben.person.reopens();
    await stage().settle();
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });
});
