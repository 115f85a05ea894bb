import { beforeEach, describe, expect, it } from 'vitest';
import { createWriteLimits } from '../../../../../src/adapters/github/requests/connection.ts';
import { LeaseLostError, RateLimitExceededError } from '../../../../../src/core/step/ports.ts';
import { errorOf, http, mockEachTest, NOW, READ_PERMISSIONS, REF, REPO, WRITE_PERMISSIONS } from '../http-mock.ts';

const COMMENT = { id: 5, node_id: 'IC_5', created_at: '2026-11-21T12:00:00Z', html_url: 'https://x/5' };

describe('write limits', () => {
  const clock = { now: NOW };
  const waits: string[] = [];
  const limits = (countsWrites = true) =>
    createWriteLimits(
      () => clock.now,
      countsWrites,
      (source) => waits.push(source),
    );
  beforeEach(() => {
    clock.now = NOW;
    waits.length = 0;
  });

  it('80 writes a minute, of which comments leave the last tenth to commits; reads are free (H8)', () => {
    const { take } = limits();
    for (let count = 0; count < 72; count += 1) expect(take(1, 'comment')).toBeNull();
    const until = take(1, 'comment');
    expect(until).toBe(NOW + 65_000);
    for (let count = 0; count < 8; count += 1) expect(take(1, 'commit')).toBeNull();
    expect(take(1, 'commit')).toBe(NOW + 65_000);
    expect(take(1, 'read')).toBeNull();
    expect(take(2, 'comment')).toBeNull();
    expect(waits).toEqual(['own', 'own']);
    clock.now = NOW + 65_000;
    expect(take(1, 'comment')).toBeNull();
  });

  it('500 writes an hour (H8)', () => {
    const { take } = limits();
    let written = 0;
    for (; clock.now < NOW + 3_600_000; clock.now += 1_000) if (take(1, 'commit') === null) written += 1;
    expect(written).toBe(500);
  });

  it('an Enterprise Server has no such limits, only the waits that it demands (H8)', () => {
    const { take, pause } = limits(false);
    for (let count = 0; count < 1_000; count += 1) expect(take(1, 'comment')).toBeNull();
    pause(1, NOW + 9_000);
    pause(1, NOW + 5_000);
    expect([take(1, 'read'), take(2, 'read')]).toEqual([NOW + 9_000, null]);
    expect(waits).toEqual(['github', 'github']);
  });
});

describe('requests under limits', () => {
  mockEachTest();

  it('after a wait that GitHub demands, no request of the installation is sent before its end (H8)', async () => {
    http.mints(READ_PERMISSIONS, 'ghs_read');
    http.as('ghs_read').get(`${REPO}/collaborators/ana/permission`).reply(429, {}, { 'retry-after': '60' });
    expect((await errorOf(http.github.fetchPermission('ana'))).retryAt).toBe(NOW + 60_000);
    const refused = await errorOf(http.github.fetchPermission('ben'));
    expect(refused).toBeInstanceOf(RateLimitExceededError);
    expect(refused.retryAt).toBe(NOW + 60_000);
  });

  it('a write is not sent once the lease is lost, a read is (G7)', async () => {
    http.mints(READ_PERMISSIONS, 'ghs_read');
    http.mints(WRITE_PERMISSIONS, 'ghs_write');
    http
      .as('ghs_read')
      .get(`${REPO}/collaborators/ana/permission`)
      .reply(200, { permission: 'write', user: { id: 7 } });
    let isLeased = true;
    const github = http.githubs.forPull(REF, () => isLeased);
    http.as('ghs_write').post(`${REPO}/issues/3/comments`).reply(201, COMMENT);
    await github.createComment('Hi');
    isLeased = false;
    expect(await errorOf(github.createComment('Hi'))).toBeInstanceOf(LeaseLostError);
    await github.fetchPermission('ana');
  });
});
