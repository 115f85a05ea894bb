import { collectDefaultMetrics, Histogram, Counter as PromCounter, Gauge as PromGauge, Registry } from 'prom-client';
import {
  DURATIONS,
  type DurationDefinition,
  GAUGES,
  type GaugeDefinition,
  METRIC_DEFINITIONS,
  type MetricDefinition,
} from './metric-definitions.ts';

/** Counts events. Label values never name a repository or a person. */
export type Counter<Label extends string> = { inc(labels: Readonly<Record<Label, string>>): void };

/** Measures durations. The returned function stops the timer and sets the labels. */
export type Timer<Label extends string> = { startTimer(): (labels: Readonly<Record<Label, string>>) => void };

/** Shows the last value. */
export type Gauge = { set(value: number): void };

type MetricsOptions = {
  readonly counters?: readonly MetricDefinition<string>[];
  readonly gauges?: readonly GaugeDefinition[];
  readonly durations?: readonly DurationDefinition<string>[];
  /** Includes CPU time, memory and event loop of the process. Only one server of a process can use it. */
  readonly withProcessMetrics?: boolean;
};

/** The metrics since the start. */
export type Metrics = {
  counter<Label extends string>(definition: MetricDefinition<Label>): Counter<Label>;
  /** The sample appears once it is set. */
  gauge(definition: GaugeDefinition): Gauge;
  timer<Label extends string>(definition: DurationDefinition<Label>): Timer<Label>;
  /** The page in the Prometheus text format. */
  render(): Promise<string>;
};

/** Creates a separate registry, so that servers in one process do not share their metrics. */
export function createMetrics({
  counters = Object.values(METRIC_DEFINITIONS),
  gauges = Object.values(GAUGES),
  durations = Object.values(DURATIONS),
  withProcessMetrics = false,
}: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  registerCounters(registry, counters);
  registerGauges(registry, gauges);
  registerHistograms(registry, durations);
  if (withProcessMetrics) collectDefaultMetrics({ register: registry });
  return {
    counter<Label extends string>({ name }: MetricDefinition<Label>) {
      const metric = registry.getSingleMetric<Label>(name);
      if (!(metric instanceof PromCounter)) throw new Error(`unknown counter ${name}`);
      return metric;
    },
    gauge({ name }) {
      const metric = registry.getSingleMetric(name);
      if (!(metric instanceof PromGauge)) throw new Error(`unknown gauge ${name}`);
      return metric;
    },
    timer<Label extends string>({ name }: DurationDefinition<Label>) {
      const metric = registry.getSingleMetric<Label>(name);
      if (!(metric instanceof Histogram)) throw new Error(`unknown histogram ${name}`);
      return metric;
    },
    render: () => registry.metrics(),
  };
}

function registerCounters(registry: Registry, counters: readonly MetricDefinition<string>[]): void {
  for (const definition of counters) {
    const { name, help, labels } = definition;
    const counter = new PromCounter({ name, help, labelNames: Object.keys(labels), registers: [registry] });
    for (const sample of samplesOf(definition)) counter.inc(sample, 0);
  }
}

/** Without samples, because no value is known yet. */
function registerGauges(registry: Registry, gauges: readonly GaugeDefinition[]): void {
  for (const { name, help } of gauges) new PromGauge({ name, help, registers: [registry] }).remove();
}

function registerHistograms(registry: Registry, durations: readonly DurationDefinition<string>[]): void {
  for (const definition of durations) {
    const { name, help, labels, buckets } = definition;
    const labelNames = Object.keys(labels);
    const histogram = new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
    for (const sample of samplesOf(definition)) histogram.zero(sample);
  }
}

/** Samples with known labels start at zero. Otherwise a rate would miss their first increase. */
function samplesOf({ labels }: MetricDefinition<string>): readonly Readonly<Record<string, string>>[] {
  let samples: readonly Readonly<Record<string, string>>[] = [{}];
  for (const [label, values] of Object.entries(labels))
    samples = samples.flatMap((sample) => values.map((value) => ({ ...sample, [label]: value })));
  return samples;
}
