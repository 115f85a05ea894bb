import { describe, expect, it, vi } from 'vitest';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';

const stage = stageForAll();

/** Restarts the App at its first call of `name` during `action`. */
async function restartAt(name: string, action: () => unknown): Promise<void> {
  const restarts: Promise<void>[] = [];
  const onCall = (called: string): void => {
    if (called === name && restarts.length === 0) restarts.push(stage().restart());
  };
  const seen = (): void => expect(restarts).toHaveLength(1);
  stage().pass(2);
  await beforeCalls(stage(), onCall, async () => {
    action();
    await vi.waitFor(seen, { timeout: 25_000, interval: 10 });
  });
  await Promise.all(restarts);
  await stage().settle();
}

async function readyz(): Promise<number> {
  return (await fetch(`${stage().server().url}/readyz`, { headers: { connection: 'close' } })).status;
}

describe('a restart', () => {
  it('keeps every pending change decidable, and posts and requests nothing (S81, S82)', async () => {
    const { pr, ana, bot, model } = await proposeRows(stage(), { 5: 50, 12: 120 });
    const [comments, asked] = [bot.comments(), model.requests().length];
    await stage().restart();
    await stage().settle();
    expect(bot.comments()).toEqual(comments);
    expect(model.requests()).toHaveLength(asked);
    await ana.replies(bot.proposal(1), '/approve');
    await stage().restart();
    await ana.says(`/deny ${bot.proposal(2).proposalId} not now`);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(model.toolMessages()).toEqual([
      expect.stringContaining('Successfully replaced text'),
      expect.stringContaining(`Edit rejected by ${ana.login} (write access): not now.`),
    ]);
  });

  it('during a model request repeats the request and shows the changes once (S81, S78)', async () => {
    const { ana, bot, model } = await tellRows(stage());
    const { promise: sendAfter, resolve: answers } = Promise.withResolvers<void>();
    model.says({ content: 'never heard', sendAfter });
    model.proposes(editRow(5, 50));
    stage().pass(2);
    ana.person.says('/countersign give the row another value');
    await vi.waitFor(() => expect(model.requests()).toHaveLength(1), { timeout: 25_000, interval: 10 });
    await stage().restart();
    answers();
    await stage().settle();
    expect(model.requests()).toHaveLength(2);
    expect(bot.proposals()).toHaveLength(1);
    expect(bot.reviews()).toHaveLength(1);
  });

  it('during posting leads to one review and one run comment (S78)', async () => {
    const { ana, bot, model } = await tellRows(stage());
    model.proposes(editRow(5, 50));
    await restartAt('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', () =>
      ana.person.says('/countersign give the row another value'),
    );
    await vi.waitFor(() => expect(bot.run().body).toContain('| pending |'), { timeout: 25_000 });
    expect(bot.reviews()).toHaveLength(1);
    expect(bot.proposals()).toHaveLength(1);
  });

  it('during a commit leads to one commit and one result for the model (S78, G1, S83)', async () => {
    const { pr, ana, bot, model } = await proposeRows(stage(), { 5: 50 });
    await restartAt('graphql createCommitOnBranch', () => ana.person.replies(bot.proposal(1).id, '/approve'));
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Completed:** applied'), { timeout: 25_000 });
    await stage().settle();
    expect(pr.commits()).toHaveLength(1);
    expect(model.toolMessages()).toHaveLength(1);
    expect(bot.answers()).toHaveLength(1);
  });

  it('finds a commit whose response was lost, however long ago (G1)', async () => {
    const { pr, ana, bot } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ kind: 'reset', applied: true, route: 'graphql createCommitOnBranch' });
    stage().pass(2);
    ana.person.replies(bot.proposal(1).id, '/approve');
    await vi.waitFor(() => expect(pr.commits()).toHaveLength(1), { timeout: 25_000, interval: 10 });
    await stage().restart();
    await vi.waitFor(() => expect(bot.proposal(1).body).toContain('**Completed:** applied'), { timeout: 25_000 });
    await stage().settle();
    expect(pr.commits()).toHaveLength(1);
  });
});

describe('a paused App', () => {
  it('stores and answers deliveries and is ready, writes nothing and asks no model; unpaused it continues (J9, G9)', async () => {
    const { pr, ana, bot, model } = await proposeRows(stage(), { 5: 50 });
    const [comments, asked] = [bot.comments(), model.requests().length];
    await stage().restart({ PAUSED: '1' });
    const calls = stage().github.requests.length;
    expect(await readyz()).toBe(200);
    await ana.replies(bot.proposal(1), '/approve');
    const taken = stage().github.deliveries.log.findLast(({ repositoryId }) => repositoryId === pr.repositoryId);
    expect(taken?.statuses).toEqual([202]);
    expect(
      stage()
        .github.requests.slice(calls)
        .filter(({ method }) => method !== 'GET'),
    ).toEqual([]);
    expect(bot.comments()).toEqual(comments);
    expect(model.requests()).toHaveLength(asked);
    expect(pr.commits()).toEqual([]);
    await stage().restart();
    await stage().settle();
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(model.requests()).toHaveLength(asked + 1);
  });
});
