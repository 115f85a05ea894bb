import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../src/adapters/telemetry/metrics.ts';

const read = (name: string): string => readFileSync(new URL(`../../docs/monitoring/${name}`, import.meta.url), 'utf8');

const waiting = { pendingChanges: 1, oldestPendingAt: 0, dueSignals: 0, dueEffects: 0, deadLetters: 0 };

/** Names of the series that a server shows. */
async function shownSeries(): Promise<ReadonlySet<string>> {
  const metrics = createMetrics();
  metrics.watchWaiting(async () => ({ ...waiting, runs: [{ phase: 'awaiting-model', count: 1 }] }));
  metrics.modelUp.set(1);
  metrics.githubUp.set(1);
  metrics.setQuota(4_000, 0);
  return new Set((await metrics.render()).match(/^countersign_\w+/gm));
}

describe('docs/monitoring', () => {
  it('O16: has six alerts and a dashboard that ask only for metrics that exist', async () => {
    const shown = await shownSeries();
    const rules: { readonly alert: string }[] = parse(read('alerts.yml')).groups[0].rules;
    expect(rules).toHaveLength(6);
    for (const text of [read('alerts.yml'), read('dashboard.json')]) {
      const asked = new Set(text.match(/\bcountersign_\w+/g));
      expect(asked.size).toBeGreaterThan(5);
      expect([...asked].filter((name) => !shown.has(name))).toEqual([]);
    }
    expect(JSON.parse(read('dashboard.json')).panels).toHaveLength(14);
  });

  it('O15: shows the quota of the account that has the fewest requests left, until GitHub renews it', async () => {
    const { setQuota, render } = createMetrics();
    const hour = Date.now() / 1_000 + 3_600;
    const shown = async () => /^countersign_github_quota_left (\d+)$/m.exec(await render())?.[1];
    expect(await shown()).toBeUndefined();
    setQuota(900, hour);
    setQuota(4_000, hour);
    expect(await shown()).toBe('900');
    setQuota(700, 1);
    setQuota(5_000, hour);
    expect(await shown()).toBe('5000');
  });

  it('O15: shows no old numbers while the database is away', async () => {
    const metrics = createMetrics();
    metrics.watchWaiting(() => Promise.reject(new Error('away')));
    const page = await metrics.render();
    expect(page).toContain('\ncountersign_database_up 0\n');
    expect(page).not.toMatch(/^countersign_pending_changes/m);
  });
});
