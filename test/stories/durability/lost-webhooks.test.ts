import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDeliveryDropper } from '../../../fakes/github/webhooks.ts';
import { PENDING_LABEL } from '../../../src/core/messages/proposal/proposal-status.ts';
import { dropWebhooks } from '../support/drop-webhooks.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, proposeRows, ROWS_PATH, rows, tellRows } from '../support/rows.ts';

const stage = stageForAll();

afterEach(() => {
  stage().github.deliveries.intercept(undefined);
  vi.restoreAllMocks();
});

const sweep = (): Promise<void> => stage().later(301);

describe('lost webhooks', () => {
  it('when a third of a long conversation is lost, one sweep decides everything once (F8, R10)', {
    timeout: 180_000,
  }, async () => {
    const values = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [2 * n + 1, `'new ${n}'`]));
    const { pr, ana, ben, bot } = await proposeRows(stage(), values);
    const { deliveries } = stage().github;
    const before = deliveries.log.length;
    deliveries.intercept(createDeliveryDropper(0.3, 7));
    for (let n = 1; n <= 10; n += 1) {
      const [who, words] = n % 2 === 0 ? [ana, '/approve'] : [ben, '/deny not this one'];
      await who.replies(bot.proposal(n), words);
    }
    deliveries.intercept(undefined);
    const words = deliveries.log.slice(before).filter(({ event }) => event === 'pull_request_review_comment');
    expect(words.filter(({ statuses }) => statuses.length === 0).length).toBeGreaterThan(1);
    await sweep();
    const approved = Object.entries(values).filter((_, place) => place % 2 === 1);
    expect(pr.file(ROWS_PATH)).toBe(rows(Object.fromEntries(approved)));
    expect(pr.commits()).toHaveLength(5);
    expect(bot.proposals().filter(({ body }) => body.includes('**Completed:** applied'))).toHaveLength(5);
    expect(bot.proposals().filter(({ body }) => body.includes('**Rejected by user**'))).toHaveLength(5);
  });

  it('a task without a webhook starts, and a stale change is found (F8)', async () => {
    const { ana, bot, model } = await tellRows(stage());
    model.proposes(editRow(5, 50));
    dropWebhooks(stage(), () => ana.person.says('/countersign give the row another value'));
    await stage().settle();
    expect(bot.proposals()).toEqual([]);
    await sweep();
    expect(bot.proposals()).toHaveLength(1);
    dropWebhooks(stage(), () => ana.person.pushes({ [ROWS_PATH]: rows({ 5: 5000 }) }));
    await sweep();
    expect(bot.proposal(1).body).toContain('**Withdrawn** without a decision');
  });

  it('webhooks sent during a database outage are processed once it is back (G9)', async () => {
    const { pr, ana, bot } = await proposeRows(stage(), { 5: 50, 12: 120 });
    const away = vi.spyOn(stage().store(), 'receive').mockRejectedValue(new Error('no database'));
    await ana.replies(bot.proposal(1), '/approve');
    expect(stage().github.deliveries.attempts.at(-1)?.statusCode).toBe(503);
    await ana.replies(bot.proposal(2), '/deny no');
    away.mockRestore();
    await sweep();
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(bot.proposal(2).body).toContain('**Rejected by user**');
  });

  it('an approval and a later denial, both lost: the denial is read before anything is committed (F8, B14)', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 5: 50, 12: 120 });
    dropWebhooks(stage(), () => {
      ana.person.replies(bot.proposal(1).id, '/approve');
      ben.person.replies(bot.proposal(1).id, '/deny no, wait');
    });
    await sweep();
    expect(pr.commits()).toEqual([]);
    expect(bot.proposal(1).body).toContain('**Rejected by user**');
  });

  it('an approval that its author edited or deleted meanwhile decides nothing (F8, S60, S61)', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 5: 50, 12: 120, 20: 200 });
    dropWebhooks(stage(), () => {
      const yes = ana.person.replies(bot.proposal(1).id, '/approve');
      const yesToo = ben.person.replies(bot.proposal(2).id, '/approve');
      const review = ana.person.reviews({ body: '/approve all', event: 'COMMENT', comments: [] });
      stage().pass(60);
      ana.person.editsInThread(yes.id, '/approve, but not before Monday');
      ben.person.deletesInThread(yesToo.id);
      ana.person.editsReview(review.id, 'Nothing yet.');
    });
    await sweep();
    expect(pr.commits()).toEqual([]);
    expect(bot.proposals().filter(({ body }) => body.includes('Applied'))).toEqual([]);
    expect(bot.proposals().filter(({ body }) => body.includes(PENDING_LABEL))).toHaveLength(3);
  });

  it('a paused App does not look for lost webhooks (F8)', async () => {
    const { ana, bot, pr } = await proposeRows(stage(), { 5: 50, 12: 120 });
    dropWebhooks(stage(), () => ana.person.replies(bot.proposal(1).id, '/approve'));
    await stage().restart({ PAUSED: '1' });
    const before = stage().github.requests.length;
    await stage().later(301);
    expect(stage().github.requests.slice(before)).toEqual([]);
    await stage().restart();
    await stage().settle();
    expect(pr.commits()).toHaveLength(1);
  });
});
