import { describe, expect, it } from 'vitest';
import { openMetrics } from '../../src/telemetry/metrics.ts';

describe('metrics', () => {
  it('writes the Prometheus text format', () => {
    const metrics = openMetrics();
    const answers = metrics.counter('answers_total', 'Answers by status.');
    answers.add({ status: '202' });
    answers.add({ status: '202' }, 2);
    answers.add({ status: '4"0\\4\n' });
    metrics.gauge('running', 'Whether it runs.').set(1);
    const seconds = metrics.histogram('seconds', 'How long.', [0.1, 1]);
    seconds.observe(0.05);
    seconds.observe(5);
    expect(metrics.page()).toBe(
      [
        '# HELP answers_total Answers by status.',
        '# TYPE answers_total counter',
        'answers_total{status="202"} 3',
        'answers_total{status="4\\"0\\\\4\\n"} 1',
        '# HELP running Whether it runs.',
        '# TYPE running gauge',
        'running 1',
        '# HELP seconds How long.',
        '# TYPE seconds histogram',
        'seconds_bucket{le="0.1"} 1',
        'seconds_bucket{le="1"} 1',
        'seconds_bucket{le="+Inf"} 2',
        'seconds_sum 5.05',
        'seconds_count 2',
        '',
      ].join('\n'),
    );
  });

  it('refuses a name that is registered already', () => {
    const metrics = openMetrics();
    metrics.gauge('running', 'Whether it runs.');
    expect(() => metrics.counter('running', 'Again.')).toThrow('running is registered twice');
  });
});
