import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../../src/adapters/telemetry/metrics.ts';

describe('metrics', () => {
  it('counts from zero for known labels, and others as they come', async () => {
    const metrics = createMetrics();
    metrics.httpResponses.inc({ status: '202' });
    metrics.httpResponses.inc({ status: '202' });
    metrics.deliveries.inc({ event: 'push', outcome: 'stored' });
    const page = await metrics.render();
    expect(page).toContain('\ncountersign_http_responses_total{status="202"} 2\n');
    expect(page).toContain('\ncountersign_http_responses_total{status="503"} 0\n');
    expect(page.match(/^countersign_deliveries_total.*$/gm)).toEqual([
      'countersign_deliveries_total{event="push",outcome="stored"} 1',
    ]);
  });

  it('counts durations by bucket, from zero', async () => {
    const metrics = createMetrics();
    const bucket = 'countersign_commit_duration_seconds_bucket{le="30",outcome="committed"}';
    expect(await metrics.render()).toContain(`${bucket} 0\n`);
    metrics.commits.startTimer()({ outcome: 'committed' });
    expect(await metrics.render()).toContain(`${bucket} 1\n`);
  });

  it('a gauge has no sample before it is set (O14)', async () => {
    const metrics = createMetrics();
    expect(await metrics.render()).not.toMatch(/^countersign_model_up/m);
    metrics.modelUp.set(1);
    expect(await metrics.render()).toContain('\ncountersign_model_up 1\n');
  });
});
