import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ChaosOptions } from '../../../lab/chaos/options.ts';
import { addPart, listParts, NO_PROGRESS, openChaosCheckpoint } from '../../../lab/chaos/parts.ts';
import type { ChaosResult } from '../../../lab/chaos/run-chaos.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-chaos-checkpoint-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SOURCES = { sourceHash: { value: 'hash', difference: 'by another version of the sources' } } as const;

const OPTIONS: ChaosOptions = {
  ...{ seconds: 700, pulls: 6, replicas: 1, seed: 9 },
  database: { kind: 'embedded' },
  checkpoint: join(folder, 'progress'),
};

function resultOf(tasks: number, problems: readonly string[] = []): ChaosResult {
  return {
    verdict: { tasks, proposals: 3 * tasks, approved: tasks, denied: 2, commits: tasks, problems },
    faults: { kills: 4, terminations: 1, hangs: 2, restarts: 0, readyMs: [tasks], problems: [] },
    deliveries: { sent: 50, duplicated: 5, lost: 1 },
  };
}

describe('a trial with real kills and a checkpoint', () => {
  it('consists of parts with seeds of their own, and of one part without a checkpoint', () => {
    expect(listParts({ ...OPTIONS, checkpoint: null })).toHaveLength(1);
    expect(listParts(OPTIONS).map(({ seconds, seed }) => [seconds, seed])).toEqual([
      [300, 9],
      [300, 13],
      [100, 17],
    ]);
  });

  it('continues after the last finished part with the sums of all parts', () => {
    const file = join(folder, 'progress');
    expect(openChaosCheckpoint(file, OPTIONS, SOURCES).read()).toBeNull();
    openChaosCheckpoint(file, OPTIONS, SOURCES).write(addPart(NO_PROGRESS, resultOf(7)));
    const before = openChaosCheckpoint(file, OPTIONS, SOURCES).read() ?? NO_PROGRESS;
    const { finishedParts, result } = addPart(before, resultOf(10, ['row 1 was proposed twice']));
    expect(finishedParts).toBe(2);
    expect(result.verdict).toEqual({
      ...{ tasks: 17, proposals: 51, approved: 17, denied: 4, commits: 17 },
      problems: ['part 2: row 1 was proposed twice'],
    });
    expect(result.faults).toMatchObject({ kills: 8, terminations: 2, hangs: 4, restarts: 0, readyMs: [7, 10] });
    expect(result.deliveries).toEqual({ sent: 100, duplicated: 10, lost: 2 });
  });

  it('refuses the checkpoint of another trial', () => {
    const file = join(folder, 'other');
    openChaosCheckpoint(file, OPTIONS, SOURCES).write(NO_PROGRESS);
    const other = { ...OPTIONS, database: { kind: 'killed-server' } } as const;
    expect(() => openChaosCheckpoint(file, other, SOURCES).read()).toThrow(/on another kind of database\. Delete it/);
  });
});
