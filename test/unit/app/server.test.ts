import { describe, expect, it } from 'vitest';
import { checkReady, type ReadinessInput } from '../../../src/app/server.ts';

const WORKING: ReadinessInput = {
  store: { ping: async () => {} },
  checkStorage: async () => {},
  identity: { slug: 'countersign', botId: 7, owner: 'acme' },
  worker: { isRunning: () => true },
  config: { paused: false },
  neighbours: { github: true, model: true },
};

describe('a process is ready (J5)', () => {
  it.each<[string, Partial<ReadinessInput>]>([
    ['while its worker runs', {}],
    ['while it is paused on purpose, without a worker', { config: { paused: true }, worker: null }],
  ])('%s', async (_, given) => {
    await expect(checkReady({ ...WORKING, ...given })).resolves.toEqual([]);
  });

  it('O17: while GitHub is away, because work waits for it and nothing is lost', async () => {
    const away = { ...WORKING, neighbours: { github: false, model: true } };
    await expect(checkReady(away)).resolves.toEqual(['github']);
  });

  it.each<[string, Partial<ReadinessInput>, string]>([
    ['before the database is open', { store: null }, 'the database is not open yet'],
    ['before the app identity is loaded', { identity: null }, 'app identity not loaded'],
    ['while the database is down', { store: { ping: () => Promise.reject(new Error('no database')) } }, 'no database'],
    ['while nothing can be stored (O17)', { checkStorage: () => Promise.reject(new Error('disk full')) }, 'disk full'],
    ['before its worker has started', { worker: null }, 'worker'],
    ['after its worker has stopped', { worker: { isRunning: () => false } }, 'worker'],
    [
      'while it is paused and the database is down',
      { config: { paused: true }, worker: null, store: { ping: () => Promise.reject(new Error('no database')) } },
      'no database',
    ],
  ])('but not %s', async (_, given, reason) => {
    await expect(checkReady({ ...WORKING, ...given })).rejects.toThrow(reason);
  });
});
