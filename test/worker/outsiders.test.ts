import { describe, expect, it } from 'vitest';
import { openVirtualApp, type VirtualApp } from './virtual-app.ts';

const PERMISSION = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';

/** An App that has worked on the pull request before: it has its tokens, and the run is over. */
async function worked(app: VirtualApp) {
  const pull = app.installedFor('acme').opens();
  app.pass(2_000);
  pull.person('ana', 'write').says('/countersign look at it');
  await app.playOn();
  app.pass(2_000);
  return pull;
}

describe('people who may do nothing here', () => {
  it('H3, S69: a thousand comments of ten outsiders cost no model call and at most twenty requests', async () => {
    const app = openVirtualApp();
    const pull = await worked(app);
    const before = { asked: app.asked(), requests: app.gateway.requests.length, said: pull.said().length };
    const outsiders = Array.from({ length: 10 }, (_, index) => pull.person(`stranger${index}`));
    const words = ['@countersign do it', '/countersign do it', '/approve', '/stop', '/status', '/help'];
    for (let count = 0; count < 1_000; count += 1)
      outsiders[count % 10]?.says(words[Math.floor(count / 10) % words.length] ?? '');
    await app.playOn();
    expect(app.asked() - before.asked).toBe(0);
    expect(app.gateway.requests.length - before.requests).toBeLessThanOrEqual(20);
    const told = pull.said().slice(before.said);
    expect(told).toHaveLength(10);
    for (let index = 0; index < 10; index += 1)
      expect(told.filter((body) => body.includes(`Sorry, stranger${index}:`))).toHaveLength(1);
  });

  it('H3: before any run, somebody who was told already costs GitHub nothing more', async () => {
    const app = openVirtualApp();
    const pull = app.installedFor('acme').opens();
    const outsider = pull.person('outsider');
    outsider.says('/countersign /stop');
    await app.playOn();
    const before = app.gateway.requests.length;
    for (let count = 0; count < 50; count += 1) outsider.says('/countersign /stop');
    await app.playOn();
    expect(app.gateway.requests.length - before).toBe(0);
    expect(pull.said()).toHaveLength(1);
  });

  it('A7: a refusal is remembered for a minute, and leave to write never is', async () => {
    const app = openVirtualApp();
    const pull = await worked(app);
    const asked = () => app.gateway.requests.filter(({ name }) => name === PERMISSION).length;
    const lena = pull.person('lena');
    const lookUps = async (say: () => unknown, passMs: number): Promise<number> => {
      const before = asked();
      app.pass(passMs);
      say();
      await app.playOn();
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
