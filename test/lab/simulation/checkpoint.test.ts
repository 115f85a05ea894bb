import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CheckpointError, hashSources, sourcesIdentity, type TrialIdentity } from '../../../lab/shared/checkpoint.ts';
import { openSimulationCheckpoint } from '../../../lab/simulation/checkpoint.ts';
import { NO_CASES } from '../../../lab/simulation/simulate.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-checkpoint-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const by = (value: string): TrialIdentity => ({
  sourceHash: { value, difference: 'by another version of the sources' },
});

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
    const progress = { nextSeed: 5_007, totals, seconds: 60 };
    expect(openSimulationCheckpoint(file, options, by('hash')).read()).toBeNull();
    openSimulationCheckpoint(file, options, by('hash')).write(progress);
    expect(openSimulationCheckpoint(file, { ...options, threads: 1 }, by('hash')).read()).toEqual(progress);
  });

  it('refuses to continue another simulation, or another version of the sources', () => {
    const file = join(folder, 'other');
    openSimulationCheckpoint(file, options, by('hash')).write({ nextSeed: 5_007, totals, seconds: 60 });
    const read = (changes: object, hash: string) => () =>
      openSimulationCheckpoint(file, { ...options, ...changes }, by(hash)).read();
    expect(read({ seed: 8 }, 'hash')).toThrow(/with another --seed\. Delete it/);
    expect(read({ cases: 8 }, 'hash')).toThrow(/with another --cases\. Delete it/);
    expect(read({ mode: 'pglite' }, 'hash')).toThrow(/on the other store\. Delete it/);
    expect(read({}, 'newer')).toThrow(/by another version of the sources\. Delete it/);
  });

  it('keeps what was played before the sources changed, and nothing later', () => {
    const file = join(folder, 'changed');
    const root = mkdtempSync(join(folder, 'sources-'));
    const checkpoint = openSimulationCheckpoint(file, options, sourcesIdentity(root));
    checkpoint.write({ nextSeed: 2_007, totals, seconds: 20 });
    writeFileSync(join(root, 'package-lock.json'), '{}');
    expect(() => checkpoint.write({ nextSeed: 4_007, totals, seconds: 40 })).toThrow(
      /^The simulation went on by another version of the sources\. .* continues them once the change is undone\.$/,
    );
    rmSync(join(root, 'package-lock.json'));
    expect(openSimulationCheckpoint(file, options, sourcesIdentity(root)).read()?.nextSeed).toBe(2_007);
  });

  it.each(['', '{"nextSeed": 3}', '\0'])('refuses a damaged file: %j', (text) => {
    const file = join(folder, 'damaged');
    writeFileSync(file, text);
    expect(() => openSimulationCheckpoint(file, options, by('hash')).read()).toThrow(CheckpointError);
  });

  it('hashes the sources alike until one changes', () => {
    const root = mkdtempSync(join(folder, 'sources-'));
    const before = hashSources(root);
    writeFileSync(join(root, 'package-lock.json'), '{}');
    expect(hashSources(root)).not.toBe(before);
    expect(hashSources(root)).toBe(hashSources(root));
  });
});
