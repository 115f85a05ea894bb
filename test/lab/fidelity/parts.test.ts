import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureAll, measureFidelity } from '../../../lab/fidelity/fidelity.ts';
import type { FidelityOptions, RepositoryTrial } from '../../../lab/fidelity/options.ts';
import { addNamed, listRepositories, openFidelityCheckpoint } from '../../../lab/fidelity/parts.ts';
import { createTotals, type FidelityTotals, formatTotals } from '../../../lab/fidelity/report.ts';
import { sourcesIdentity } from '../../../lab/shared/checkpoint.ts';
import { createRepository, type LocalRepository } from '../../demo/local-pull.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-fidelity-'));

const repositories = join(folder, 'repositories');

const OPTIONS: FidelityOptions = {
  source: { kind: 'folder', path: repositories },
  ...{ range: 'HEAD', diffBase: 'parent', maxChanges: null, threads: 1, checkpoint: null },
};

let local: LocalRepository;

beforeAll(() => {
  local = createRepository();
  for (const count of [1, 2, 3, 4]) {
    local.write('lines.txt', Array.from({ length: count * 5 }, (_, index) => `line ${index}\n`).join(''));
    local.git('add', '.');
    local.commit(`Step ${count}`);
  }
  mkdirSync(join(repositories, 'notes'), { recursive: true });
  for (const name of ['alpha', 'beta']) cpSync(local.path, join(repositories, name), { recursive: true });
}, 60_000);

afterAll(() => {
  local.remove();
  rmSync(folder, { recursive: true, force: true });
});

function measure(part: NonNullable<RepositoryTrial['part']> | null): Promise<FidelityTotals> {
  const { source: _source, checkpoint: _checkpoint, ...options } = OPTIONS;
  return measureFidelity({ ...options, repo: local.path, part }, () => ({ update: () => {}, end: () => {} }));
}

const report = (totals: FidelityTotals): string => formatTotals(totals, 0);

describe('a fidelity trial in parts', () => {
  it('has the same sums as the whole', async () => {
    const whole = await measure(null);
    const parts = [await measure({ skip: 0, count: 2 }), await measure({ skip: 2, count: 9 })];
    expect(parts[0]?.commits).toBe(2);
    expect(report(parts.reduce((sum, part) => addNamed(sum, part, null), createTotals()))).toBe(report(whole));
  }, 60_000);

  it('tries each repository of a folder, and nothing else in it', async () => {
    expect((await listRepositories(OPTIONS)).map(({ name }) => name)).toEqual(['alpha', 'beta']);
    const [{ totals }, one] = [await measureAll(OPTIONS), await measure(null)];
    expect([totals.commits, totals.changes, totals.mismatches]).toEqual([2 * one.commits, 2 * one.changes, []]);
  }, 60_000);

  it('continues after an interruption with the sums of all parts', async () => {
    const options = { ...OPTIONS, checkpoint: join(folder, 'progress') };
    const checkpoint = await openFidelityCheckpoint(
      options.checkpoint,
      options,
      await listRepositories(options),
      sourcesIdentity(),
    );
    const mismatch = { commit: 'alpha c0ffee', path: 'a.txt', method: 'button', problem: 'other bytes' } as const;
    const before = { ...createTotals(), commits: 7, changes: 9, results: new Map([['approve: exact', 9]]) };
    const totals = { ...before, mismatches: [mismatch] };
    checkpoint.write({ repositories: 1, commits: 0, changes: 0, totals, seconds: 30 });
    const [done, one] = [await measureAll(options), await measure(null)];
    expect(done.repositories).toBe(2);
    expect([done.totals.commits, done.totals.changes]).toEqual([7 + one.commits, 9 + one.changes]);
    expect(done.totals.results.get('approve: exact')).toBe(9 + (one.results.get('approve: exact') ?? 0));
    expect(done.totals.mismatches).toEqual([mismatch]);
    expect(done.seconds).toBeGreaterThan(30);
    expect(await measureAll(options)).toEqual(done);
    await expect(measureAll({ ...options, maxChanges: 3 })).rejects.toThrow(/with another --max\. Delete it/);
  }, 60_000);
});
