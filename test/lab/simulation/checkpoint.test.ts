import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CheckpointError, hashSources, readCheckpoint, writeCheckpoint } from '../../../lab/simulation/checkpoint.ts';
import { NO_CASES } from '../../../lab/simulation/simulate.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-checkpoint-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = { cases: 10_000, seed: 7, threads: 2, mode: 'memory', checkpoint: null } as const;

const totals = {
  ...NO_CASES,
  cases: 5_000,
  commits: 3,
  faults: { hang: 2 },
  failures: [{ seed: 9, problems: ['V1'] }],
};

describe('the checkpoint of a simulation', () => {
  it('begins at the first seed, and continues where the last part ended', () => {
    const file = join(folder, 'progress');
    expect(readCheckpoint(file, options, 'hash')).toEqual({ nextSeed: 7, totals: NO_CASES, seconds: 0 });
    writeCheckpoint(file, options, 'hash', { nextSeed: 5_007, totals, seconds: 60 });
    expect(readCheckpoint(file, { ...options, threads: 1 }, 'hash')).toEqual({ nextSeed: 5_007, totals, seconds: 60 });
  });

  it('refuses to continue another simulation, or another version of the sources', () => {
    const file = join(folder, 'other');
    writeCheckpoint(file, options, 'hash', { nextSeed: 5_007, totals, seconds: 60 });
    expect(() => readCheckpoint(file, { ...options, seed: 8 }, 'hash')).toThrow(/with another --seed\. Delete it/);
    expect(() => readCheckpoint(file, options, 'newer')).toThrow(/by another version of the sources\. Delete it/);
  });

  it.each(['', '{"nextSeed": 3}', '\0'])('refuses a damaged file: %j', (text) => {
    const file = join(folder, 'damaged');
    writeFileSync(file, text);
    expect(() => readCheckpoint(file, options, 'hash')).toThrow(CheckpointError);
  });

  it('hashes the sources alike until one changes', () => {
    const root = mkdtempSync(join(folder, 'sources-'));
    const before = hashSources(root);
    writeFileSync(join(root, 'package-lock.json'), '{}');
    expect(hashSources(root)).not.toBe(before);
    expect(hashSources(root)).toBe(hashSources(root));
  });
});
