import { collectDefaultMetrics, Histogram, Counter as PromCounter, Gauge as PromGauge, Registry } from 'prom-client';
import { LANES } from '../../core/step/effects.ts';
import { REASONS } from '../../core/step/reasons.ts';

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

/** A metric, and its labels with their known values. */
type MetricDefinition<Label extends string> = {
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<Label, readonly string[]>>;
};

/** A value that rises and falls. */
type GaugeDefinition = { readonly name: string; readonly help: string };

/** A histogram of durations. `buckets` are upper bounds in seconds. */
type DurationDefinition<Label extends string> = MetricDefinition<Label> & {
  readonly buckets: readonly number[];
};

/** The values are not known in advance. They never name a repository or a person. */
const ANY_VALUE: readonly string[] = [];

/** All counters, in the order of the metrics page. */
export const METRIC_DEFINITIONS = {
  httpResponses: {
    name: 'countersign_http_responses_total',
    help: 'HTTP responses by status.',
    labels: { status: ['200', '202', '400', '401', '404', '413', '500', '503'] },
  },
  deliveries: {
    name: 'countersign_deliveries_total',
    help: 'Webhooks by event and outcome.',
    labels: { event: ANY_VALUE, outcome: ANY_VALUE },
  },
  signals: {
    name: 'countersign_signals_total',
    help: 'Decided signals by reason.',
    labels: { reason: [...REASONS, 'dead-lettered'] },
  },
  effects: {
    name: 'countersign_effects_total',
    help: 'Attempts at effects by type and outcome.',
    labels: { effect: Object.keys(LANES), outcome: ['done', 'retry'] },
  },
  rateLimitWaits: {
    name: 'countersign_rate_limit_waits_total',
    help: 'Waits for rate limits by the source of the limit.',
    labels: { source: ['own', 'github'] },
  },
  recoveryRuns: {
    name: 'countersign_recovery_runs_total',
    help: 'Runs of the recovery of lost webhooks by result.',
    labels: { result: ['done', 'unfinished', 'failed', 'refused'] },
  },
  recoveredDeliveries: {
    name: 'countersign_recovered_deliveries_total',
    help: 'Recovered webhooks by event and outcome.',
    labels: { event: ANY_VALUE, outcome: ANY_VALUE },
  },
} as const satisfies Readonly<Record<string, MetricDefinition<string>>>;

/** All gauges, in the order of the metrics page. A gauge has no sample before it is set. */
export const GAUGES = {
  modelUp: {
    name: 'countersign_model_up',
    help: 'Whether the last request to the model was answered.',
  },
} as const satisfies Readonly<Record<string, GaugeDefinition>>;

/** All histograms, in the order of the metrics page. The last bucket of each is the timeout. */
export const DURATIONS = {
  webhooks: {
    name: 'countersign_webhook_response_duration_seconds',
    help: 'Time from a webhook to its response by status.',
    labels: { status: ['202', '400', '401', '413', '503'] },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  modelRequests: {
    name: 'countersign_model_request_duration_seconds',
    help: 'Time of requests to the model by outcome.',
    labels: { outcome: ['done', 'failed'] },
    buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120],
  },
  githubRequests: {
    name: 'countersign_github_request_duration_seconds',
    help: 'Time of requests to GitHub by API and class of status.',
    labels: { api: ['rest', 'graphql'], status: ['2xx', '3xx', '4xx', '5xx', 'none'] },
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  },
  commits: {
    name: 'countersign_commit_duration_seconds',
    help: 'Time to create a commit on GitHub by outcome.',
    labels: { outcome: ['committed', 'head-moved', 'refused', 'failed'] },
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
} as const satisfies Readonly<Record<string, DurationDefinition<string>>>;
