import { describe, expect, it, vi } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';

const stage = stageForAll();

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
