import { describe, expect, it } from 'vitest';
import { openVirtualApp, type VirtualApp } from './virtual-app.ts';

const PERMISSION = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';

/** An App with cached tokens and an ended run on the pull request. */
async function openUsedPull(app: VirtualApp) {
  const pull = app.installedFor('acme').opens();
  app.pass(2_000);
  pull.person('ana', 'write').says('/countersign look at it');
  await app.runUntilIdle();
  app.pass(2_000);
  return pull;
}

describe('people without permissions', () => {
  it('a thousand comments of ten outsiders cost no model call and at most twenty requests (H3, S69)', async () => {
    const app = openVirtualApp();
    const pull = await openUsedPull(app);
    const before = {
      asked: app.asked(),
      requests: app.gateway.requests.length,
      comments: pull.appComments().length,
    };
    const outsiders = Array.from({ length: 10 }, (_, index) => pull.person(`stranger${index}`));
    const words = ['@countersign do it', '/countersign do it', '/approve', '/stop', '/status', '/help'];
    for (let count = 0; count < 1_000; count += 1)
      outsiders[count % 10]?.says(words[Math.floor(count / 10) % words.length] ?? '');
    await app.runUntilIdle();
    expect(app.asked() - before.asked).toBe(0);
    expect(app.gateway.requests.length - before.requests).toBeLessThanOrEqual(20);
    const replies = pull.appComments().slice(before.comments);
    expect(replies).toHaveLength(10);
    for (let index = 0; index < 10; index += 1)
      expect(replies.filter((body) => body.includes(`Sorry, stranger${index}:`))).toHaveLength(1);
  });

  it('a missing permission is cached for a minute, and a write permission never is (A7)', async () => {
    const app = openVirtualApp();
    const pull = await openUsedPull(app);
    const asked = () => app.gateway.requests.filter(({ name }) => name === PERMISSION).length;
    const lena = pull.person('lena');
    const lookUps = async (say: () => unknown, passMs: number): Promise<number> => {
      const before = asked();
      app.pass(passMs);
      say();
      await app.runUntilIdle();
      return asked() - before;
    };
    expect(await lookUps(() => lena.says('/approve'), 0)).toBe(1);
    expect(await lookUps(() => lena.says('/approve'), 59_000)).toBe(0);
    expect(await lookUps(() => lena.says('/approve'), 2_000)).toBe(1);
    const mara = pull.person('mara', 'write');
    expect(await lookUps(() => mara.says('/status'), 0)).toBe(1);
    expect(await lookUps(() => mara.says('/status'), 0)).toBe(1);
  });
});
