import { describe, expect, it } from 'vitest';
import { checkReady, type Readiness } from '../src/ready.ts';

const WORKING: Readiness = {
  store: { ping: async () => {} },
  identity: { slug: 'countersign', botId: 7, owner: 'acme' },
  worker: { running: () => true },
  config: { paused: false },
};

describe('J5: a process is ready', () => {
  it.each<[string, Partial<Readiness>]>([
    ['while its worker runs', {}],
    ['while it is paused on purpose, without a worker', { config: { paused: true }, worker: null }],
  ])('%s', async (_, given) => {
    await expect(checkReady({ ...WORKING, ...given })).resolves.toBeUndefined();
  });

  it.each<[string, Partial<Readiness>, string]>([
    ['before GitHub told who it is', { identity: null }, 'who we are'],
    ['while the database is away', { store: { ping: () => Promise.reject(new Error('no database')) } }, 'no database'],
    ['before its worker began', { worker: null }, 'worker'],
    ['once its worker stopped', { worker: { running: () => false } }, 'worker'],
    [
      'while it is paused and the database is away',
      { config: { paused: true }, worker: null, store: { ping: () => Promise.reject(new Error('no database')) } },
      'no database',
    ],
  ])('but not %s', async (_, given, reason) => {
    await expect(checkReady({ ...WORKING, ...given })).rejects.toThrow(reason);
  });
});
