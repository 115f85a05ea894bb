import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../../src/adapters/telemetry/metrics.ts';

const ANSWERS = { name: 'answers_total', help: 'Answers by status.', labels: { status: ['202', '503'] } };

const FOUND = { name: 'found_total', help: 'Found.', labels: { event: [], outcome: ['stored'] } };

const WORK = { name: 'work_seconds', help: 'Work.', labels: { outcome: ['done'] }, buckets: [1, 10] };

describe('metrics', () => {
  it('writes the Prometheus text format, with zeros for known labels', async () => {
    const metrics = createMetrics({ counters: [ANSWERS, FOUND], gauges: [], durations: [] });
    const answers = metrics.counter(ANSWERS);
    answers.inc({ status: '202' });
    answers.inc({ status: '202' });
    answers.inc({ status: '4"0\\4\n' });
    const found = metrics.counter(FOUND);
    found.inc({ event: 'push', outcome: 'stored' });
    found.inc({ outcome: 'stored', event: 'push' });
    expect(await metrics.render()).toBe(
      [
        '# HELP answers_total Answers by status.',
        '# TYPE answers_total counter',
        'answers_total{status="202"} 2',
        'answers_total{status="503"} 0',
        'answers_total{status="4\\"0\\\\4\\n"} 1',
        '',
        '# HELP found_total Found.',
        '# TYPE found_total counter',
        'found_total{event="push",outcome="stored"} 2',
        '',
      ].join('\n'),
    );
  });

  it('counts durations by bucket, from zero', async () => {
    const metrics = createMetrics({ counters: [], gauges: [], durations: [WORK] });
    expect(await metrics.render()).toContain('work_seconds_bucket{le="1",outcome="done"} 0\n');
    metrics.timer(WORK).startTimer()({ outcome: 'done' });
    const page = await metrics.render();
    expect(page).toContain('# TYPE work_seconds histogram\n');
    expect(page).toContain('work_seconds_bucket{le="1",outcome="done"} 1\n');
    expect(page).toContain('work_seconds_count{outcome="done"} 1\n');
  });

  it('a gauge has no sample before it is set (O14)', async () => {
    const up = { name: 'up', help: 'Up.' };
    const metrics = createMetrics({ counters: [], gauges: [up], durations: [] });
    expect(await metrics.render()).not.toMatch(/^up/m);
    metrics.gauge(up).set(1);
    expect(await metrics.render()).toContain('\nup 1\n');
  });
});
