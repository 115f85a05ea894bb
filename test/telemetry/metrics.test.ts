import { describe, expect, it } from 'vitest';
import { openMetrics } from '../../src/telemetry/metrics.ts';

const ANSWERS = { name: 'answers_total', help: 'Answers by status.', labels: { status: ['202', '503'] } };
const FOUND = { name: 'found_total', help: 'Found.', labels: { event: [], outcome: ['stored'] } };

describe('metrics', () => {
  it('writes the Prometheus text format, with zeros for what is known beforehand', () => {
    const metrics = openMetrics([ANSWERS, FOUND]);
    const answers = metrics.counter(ANSWERS);
    answers.add({ status: '202' });
    answers.add({ status: '202' });
    answers.add({ status: '4"0\\4\n' });
    const found = metrics.counter(FOUND);
    found.add({ outcome: 'stored', event: 'push' });
    found.add({ event: 'push', outcome: 'stored' });
    expect(metrics.page()).toBe(
      [
        '# HELP answers_total Answers by status.',
        '# TYPE answers_total counter',
        'answers_total{status="202"} 2',
        'answers_total{status="503"} 0',
        'answers_total{status="4\\"0\\\\4\\n"} 1',
        '# HELP found_total Found.',
        '# TYPE found_total counter',
        'found_total{event="push",outcome="stored"} 2',
        '',
      ].join('\n'),
    );
  });

  it('counts nothing that its page would not show', () => {
    expect(() => openMetrics([ANSWERS]).counter(FOUND)).toThrow('nothing counts found_total');
  });
});
