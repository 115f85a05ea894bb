import { LANES } from '../../core/state/effects.ts';
import { REASONS } from '../../core/state/reasons.ts';

/** A metric, and its labels with their known values. */
export type MetricDefinition<Label extends string> = {
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<Label, readonly string[]>>;
};

/** A value that rises and falls. */
export type GaugeDefinition = { readonly name: string; readonly help: string };

/** A histogram of durations. `buckets` are upper bounds in seconds. */
export type DurationDefinition<Label extends string> = MetricDefinition<Label> & {
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
