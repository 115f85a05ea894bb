import { afterEach, describe, expect, it, vi } from 'vitest';
import type { InjectedFault } from '../../../fakes/github/faults.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { newestId, results, TEXT } from '../support/questions.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

afterEach(() => {
  const { faults } = stage().github;
  expect(faults.pending()).toEqual([]);
  faults.clear();
});

const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

const COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

const PERMISSION = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';

const COMMIT = 'graphql createCommitOnBranch';

/** GitHub executed the call, and its response is lost. */
const LOST = [
  { kind: 'fail-after-apply', status: 502 },
  { kind: 'reset', applied: true },
  { kind: 'truncate' },
] as const;

/** GitHub did not execute the call. */
const REFUSED = [
  { kind: 'fail-before-apply', status: 502 },
  { kind: 'reset', applied: false },
  { kind: 'fail-before-apply', status: 429, headers: { 'retry-after': '1' } },
] as const;

/** One pull request per fault, each with one proposal. */
function proposeFor(faults: readonly unknown[]): Promise<Story[]> {
  return Promise.all(faults.map(() => proposeRows(stage(), { 5: 50 })));
}

async function tellFor(faults: readonly unknown[]): Promise<Story[]> {
  const stories = await Promise.all(faults.map(() => tellRows(stage())));
  for (const { model } of stories) model.proposes(editRow(5, 50));
  return stories;
}

function addFaults(route: string, faults: readonly InjectedFault[]): void {
  for (const fault of faults) stage().github.faults.add({ ...fault, route });
}

function approveAll(stories: readonly Story[]): void {
  stage().pass(2);
  for (const { ana, bot } of stories) ana.person.replies(bot.proposal(1).id, '/approve');
}

function giveTask(stories: readonly Story[]): void {
  stage().pass(2);
  for (const { ana } of stories) ana.person.says('/countersign give the row another value');
}

function allApplied(stories: readonly Story[]): Promise<void> {
  return eventually(() => {
    for (const { bot } of stories) expect(bot.proposal(1).body).toContain('**Completed:** applied');
  });
}

function runComments({ bot }: Story): number {
  return bot.comments().filter(({ body }) => body.startsWith('<!-- countersign:run:')).length;
}

/** Retries take a second or more, so poll until the assertion holds. */
async function eventually(assertion: () => void): Promise<void> {
  await vi.waitFor(assertion, { timeout: 25_000, interval: 100 });
  await stage().settle();
}

/** Posts a comment and resolves once its commit has failed, one second before the next attempt. */
async function failThenSay(kind: 'fail-before-apply' | 'fail-after-apply', say: () => unknown): Promise<void> {
  const { faults } = stage().github;
  faults.add({ kind, status: 502, route: COMMIT });
  stage().pass(2);
  say();
  await vi.waitFor(() => expect(faults.pending()).toEqual([]), { timeout: 25_000, interval: 10 });
}

describe('a commit whose response is lost', () => {
  it('exactly one commit is made and announced, however the response was lost (G1, G3, S78)', async () => {
    const stories = await proposeFor(LOST);
    addFaults(COMMIT, LOST);
    approveAll(stories);
    await allApplied(stories);
    for (const { pr, bot, model } of stories) {
      expect(pr.commits()).toHaveLength(1);
      expect(bot.proposal(1).body).toContain(pr.head().slice(0, 7));
      expect(model.toolMessages()).toHaveLength(1);
    }
  });

  it('if GitHub did nothing, the commit is retried and made once (G2, S76)', async () => {
    const stories = await proposeFor(REFUSED);
    addFaults(COMMIT, REFUSED);
    approveAll(stories);
    await allApplied(stories);
    for (const { pr } of stories) {
      expect(pr.commits()).toHaveLength(1);
      expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    }
  });

  it('a neighboring change that was approved meanwhile is not stale, and lands too (G1, B21)', async () => {
    const { pr, ana, bot } = await proposeRows(stage(), { 5: 50, 7: 70 });
    stage().github.faults.add({ kind: 'reset', applied: true, route: COMMIT });
    await ana.replies(bot.proposal(1), '/approve');
    await eventually(() => expect(bot.proposal(1).body).toContain('**Completed:** applied'));
    expect(bot.proposals()).toHaveLength(2);
    await ana.replies(bot.proposal(2), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 7: 70 }));
    expect(pr.commits()).toHaveLength(2);
  });

  it('a denial that came too late for the successful attempt gets a reply saying so (B14, S77)', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 5: 50 });
    await failThenSay('fail-after-apply', () => ana.person.replies(bot.proposal(1).id, '/approve'));
    await ben.replies(bot.proposal(1), '/deny wait');
    await eventually(() => expect(bot.proposal(1).body).toContain('**Completed:** applied'));
    expect(pr.commits()).toHaveLength(1);
    expect(bot.answers().join('\n')).toMatch(/already|being applied/);
  });
});

describe('a comment whose response is lost', () => {
  it('there is one review with all its comments, however the response was lost (G4)', async () => {
    const stories = await tellFor(LOST);
    addFaults(REVIEW, LOST);
    giveTask(stories);
    await eventually(() => {
      for (const { bot } of stories) expect(bot.run().body).toContain('| pending |');
    });
    for (const { bot } of stories) {
      expect(bot.reviews()).toHaveLength(1);
      expect(bot.proposals()).toHaveLength(1);
    }
    approveAll(stories);
    await allApplied(stories);
  });

  it('there is one run comment, however the response was lost (G3, G4)', async () => {
    const stories = await tellFor(LOST);
    addFaults(COMMENT, LOST);
    giveTask(stories);
    await eventually(() => {
      for (const { bot } of stories) expect(bot.run().body).toContain('| pending |');
    });
    expect(stories.map(runComments)).toEqual([1, 1, 1]);
  });

  it('there is one comment of a question, however the response was lost, and it can be answered (G3, G4, S114)', async () => {
    const stories = await Promise.all(LOST.map(() => tellRows(stage())));
    const { promise: sendAfter, resolve: ask } = Promise.withResolvers<void>();
    for (const { model } of stories) model.says({ calls: [TEXT], sendAfter });
    stage().pass(2);
    for (const { ana } of stories) ana.person.says('/countersign rename it');
    await vi.waitFor(() => expect(stories.map(runComments)).toEqual([1, 1, 1]), { timeout: 25_000, interval: 100 });
    addFaults(COMMENT, LOST);
    ask();
    await eventually(() => {
      expect(stage().github.faults.pending()).toEqual([]);
      expect(stories.map(({ bot }) => bot.questions().length)).toEqual([1, 1, 1]);
    });
    for (const story of stories) {
      await eventually(() => expect(story.bot.questions()[0]?.body).toContain('Waiting for an answer'));
      await story.ana.says(`/answer ${newestId(story)} sum`);
      expect(results(story)).toMatchObject([{ response: 'sum' }]);
    }
  });

  it('a review that GitHub does not show for a while is not posted again (G4)', async () => {
    const { ana, bot, model } = await tellRows(stage());
    model.proposes(editRow(5, 50));
    stage().github.faults.add({ kind: 'fail-before-apply', status: 503, route: 'graphql review' });
    await ana.says('/countersign give the row another value');
    await eventually(() => expect(bot.run().body).toContain('| pending |'));
    expect(bot.reviews()).toHaveLength(1);
    expect(bot.proposals()).toHaveLength(1);
  });
});

describe('a temporary GitHub outage', () => {
  it('nothing is decided until the permission can be read (A9, S87)', async () => {
    const { pr, ana, bot } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ kind: 'fail-before-apply', status: 502, route: PERMISSION });
    await ana.replies(bot.proposal(1), '/approve');
    await eventually(() => expect(bot.proposal(1).body).toContain('**Completed:** applied'));
    expect(pr.commits()).toHaveLength(1);
  });

  it('six pull requests at once work although some calls fail (G3, R17)', {
    timeout: 180_000,
  }, async () => {
    const { faults } = stage().github;
    stage().model.setFallback(({ messages }) =>
      messages.some(({ role }) => role === 'assistant') ? { content: 'All done.' } : { calls: [editRow(5, 50)] },
    );
    const stories = await Promise.all(Array.from({ length: 6 }, () => tellRows(stage())));
    // Each fault is further away than one attempt's requests, so that no effect fails in each of its attempts.
    for (let place = 0; place < 10; place += 1)
      faults.add({ ...(place % 2 === 0 ? LOST[0] : REFUSED[1]), route: '*', skip: 17 * place });
    giveTask(stories);
    await eventually(() => expect(stories.map(({ bot }) => bot.proposals().length)).toEqual(stories.map(() => 1)));
    approveAll(stories);
    await allApplied(stories);
    await eventually(() => expect(stories.map(({ bot }) => bot.answers().length)).toEqual(stories.map(() => 1)));
    for (const story of stories) {
      expect(story.pr.commits()).toHaveLength(1);
      expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
      expect(story.bot.reviews()).toHaveLength(1);
      expect(runComments(story)).toBe(1);
    }
    stage().model.setFallback({ content: 'All done.' });
  });
});
