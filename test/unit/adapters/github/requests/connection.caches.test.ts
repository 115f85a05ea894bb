import { expect, it } from 'vitest';
import { createCaches } from '../../../../../src/adapters/github/requests/connection.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

it('forgets a refusal after a minute of the given clock', () => {
  const clock = { now: NOW };
  const { insufficientPermissions, anchors } = createCaches(() => clock.now);
  insufficientPermissions.set('1:ana', { permission: 'read', userId: 7 });
  anchors.set('1:5', { path: 'a.txt', commit: 'c0' });
  clock.now += 59_000;
  expect(insufficientPermissions.get('1:ana')).toEqual({ permission: 'read', userId: 7 });
  clock.now += 1_001;
  expect([insufficientPermissions.get('1:ana'), anchors.get('1:5')]).toEqual([
    undefined,
    { path: 'a.txt', commit: 'c0' },
  ]);
});

it('keeps at most 64 MiB of blobs, the most recently used ones', () => {
  const { blobs } = createCaches(() => NOW);
  const bytes = (mebibytes: number): Uint8Array => new Uint8Array(mebibytes * 1024 * 1024);
  blobs.set('old', bytes(30));
  blobs.set('new', bytes(30));
  blobs.get('old');
  blobs.set('third', bytes(20));
  expect(['old', 'new', 'third'].map((key) => blobs.get(key) !== undefined)).toEqual([true, false, true]);
  blobs.set('third', bytes(64));
  expect(['old', 'third'].map((key) => blobs.get(key) !== undefined)).toEqual([true, false]);
});
