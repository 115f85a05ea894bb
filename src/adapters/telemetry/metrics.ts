import { collectDefaultMetrics, Histogram, Counter as PromCounter, Gauge as PromGauge, Registry } from 'prom-client';
import { LANES } from '../../core/step/effects.ts';
import { REASONS } from '../../core/step/reasons.ts';

/** Counts events. Label values never name a repository or a person. */
export type Counter<Label extends string> = { inc(labels: Readonly<Record<Label, string>>, by?: number): void };

/** Measures durations. The returned function stops the timer and sets the labels. */
export type Timer<Label extends string> = {
  startTimer(): (labels: Readonly<Record<Label, string>>) => void;
  observe(labels: Readonly<Record<Label, string>>, seconds: number): void;
};

/** Shows the last value. */
export type Gauge = { set(value: number): void };

/** The metrics since the start. */
export type Metrics = ReturnType<typeof createCounters> &
  ReturnType<typeof createTimers> &
  ReturnType<typeof createGauges> & {
    /** Shows the waiting work from now on. Called once, when the database is open. */
    readonly watchWaiting: (read: WaitingReader) => void;
    readonly waiting: RecentWaiting;
    /** The page in the Prometheus text format. */
    readonly render: () => Promise<string>;
  };

/**
 * Creates a separate registry, so that servers in one process do not share their metrics. Only one of them can include
 * CPU time, memory and event loop of the process.
 */
export function createMetrics({ withProcessMetrics = false } = {}): Metrics {
  const registry = new Registry();
  const counters = createCounters(registry);
  const gauges = createGauges(registry);
  const timers = createTimers(registry);
  if (withProcessMetrics) collectDefaultMetrics({ register: registry });
  let waiting: RecentWaiting = async () => null;
  const watchWaiting = (read: WaitingReader): void => {
    waiting = createWaitingGauges(registry, read);
  };
  const render = async (): Promise<string> => {
    await waiting();
    return registry.metrics();
  };
  return { ...counters, ...gauges, ...timers, watchWaiting, waiting: () => waiting(), render };
}

/** They have no sample before they are set. */
function createGauges(registry: Registry) {
  const gauge = (name: string, help: string): Gauge => {
    const created = new PromGauge({ name: `countersign_${name}`, help, registers: [registry] });
    created.remove();
    return created;
  };
  const quotaLeft = gauge('github_quota_left', 'Requests that GitHub still allows the account with the fewest.');
  let lowest = { left: Number.POSITIVE_INFINITY, resetAt: 0 };
  return {
    modelUp: gauge('model_up', 'Whether the last request to the model was answered.'),
    githubUp: gauge('github_up', 'Whether the last request to GitHub was answered.'),
    /** Each account has a quota of its own. The lowest one counts, until GitHub renews it (seconds since the epoch). */
    setQuota(left: number, resetAt: number): void {
      if (left > lowest.left && lowest.resetAt > Date.now() / 1_000) return;
      lowest = { left, resetAt };
      quotaLeft.set(left);
    },
  };
}

/** Labels with their known values. */
type Labels<Label extends string> = Readonly<Record<Label, readonly string[]>>;

/** The values are not known in advance. They never name a repository or a person. */
const ANY_VALUE: readonly string[] = [];

function createCounters(registry: Registry) {
  const counter = <Label extends string>(name: string, help: string, labels: Labels<Label>): Counter<Label> => {
    const labelNames = Object.keys(labels);
    const created = new PromCounter({ name: `countersign_${name}_total`, help, labelNames, registers: [registry] });
    for (const sample of samplesOf(labels)) created.inc(sample, 0);
    return created;
  };
  return {
    httpResponses: counter('http_responses', 'HTTP responses by status.', {
      status: ['200', '202', '400', '401', '404', '413', '500', '503'],
    }),
    deliveries: counter('deliveries', 'Webhooks by event and outcome.', { event: ANY_VALUE, outcome: ANY_VALUE }),
    signals: counter('signals', 'Decided signals by reason.', { reason: [...REASONS, 'dead-lettered'] }),
    effects: counter('effects', 'Attempts at effects by type and outcome.', {
      effect: Object.keys(LANES),
      outcome: ['done', 'retry', 'given-up'],
    }),
    rateLimitWaits: counter('rate_limit_waits', 'Waits for rate limits by the source of the limit.', {
      source: ['own', 'github'],
    }),
    modelTokens: counter('model_tokens', 'Tokens of answers of the model by kind.', {
      kind: ['input', 'cached-input', 'output'],
    }),
    modelCost: counter('model_cost_dollars', 'Cost of the answers of models with a price.', {}),
    recoveryRuns: counter('recovery_runs', 'Runs of the recovery of lost webhooks by result.', {
      result: ['done', 'unfinished', 'failed', 'refused'],
    }),
    recoveredDeliveries: counter('recovered_deliveries', 'Recovered webhooks by event and outcome.', {
      event: ANY_VALUE,
      outcome: ANY_VALUE,
    }),
  };
}

/** The last bucket of each is the timeout, in seconds. */
function createTimers(registry: Registry) {
  const timer = <Label extends string>(
    name: string,
    help: string,
    labels: Labels<Label>,
    buckets: number[],
  ): Timer<Label> => {
    const labelNames = Object.keys(labels);
    const fullName = `countersign_${name}_duration_seconds`;
    const created = new Histogram({ name: fullName, help, labelNames, buckets, registers: [registry] });
    for (const sample of samplesOf(labels)) created.zero(sample);
    return created;
  };
  return {
    webhooks: timer(
      'webhook_response',
      'Time from a webhook to its response by status.',
      { status: ['202', '400', '401', '413', '503'] },
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ),
    modelRequests: timer(
      'model_request',
      'Time of requests to the model by outcome.',
      { outcome: ['done', 'failed'] },
      [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120],
    ),
    githubRequests: timer(
      'github_request',
      'Time of requests to GitHub by API and class of status.',
      { api: ['rest', 'graphql'], status: ['2xx', '3xx', '4xx', '5xx', 'none'] },
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    ),
    waits: timer(
      'wait',
      'Time that people wait: from a comment to the reaction, from a decision to its commit.',
      { until: ['reaction', 'commit'] },
      [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600],
    ),
    commits: timer(
      'commit',
      'Time to create a commit on GitHub by outcome.',
      { outcome: ['committed', 'head-moved', 'refused', 'failed'] },
      [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    ),
  };
}

/** Samples with known labels start at zero. Otherwise a rate would miss their first increase. */
function samplesOf(labels: Labels<string>): readonly Readonly<Record<string, string>>[] {
  let samples: readonly Readonly<Record<string, string>>[] = [{}];
  for (const [label, values] of Object.entries(labels))
    samples = samples.flatMap((sample) => values.map((value) => ({ ...sample, [label]: value })));
  return samples;
}

/** What the database holds at a time, over all repositories. `oldestPendingAt` is ms; null if nothing is pending. */
export type WaitingWork = {
  readonly pendingChanges: number;
  readonly oldestPendingAt: number | null;
  /** Signals and effects that are due. */
  readonly dueSignals: number;
  readonly dueEffects: number;
  readonly deadLetters: number;
  /** Runs that have not ended, by phase. */
  readonly runs: readonly { readonly phase: string; readonly count: number }[];
};

/** Counts the waiting work at this time (ms since the epoch). */
type WaitingReader = (now: number) => Promise<WaitingWork>;

/** Anybody who reaches the page could otherwise keep the database busy. */
const MIN_INTERVAL_MS = 5_000;

/** Resolves with the work that waits, as of at most five seconds ago; null while the database does not answer. */
type RecentWaiting = () => Promise<WaitingWork | null>;

/** Creates the gauges of the work that waits in the database. The returned function brings them up to date. */
function createWaitingGauges(registry: Registry, read: WaitingReader): RecentWaiting {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new PromGauge({ name: `countersign_${name}`, help, labelNames: [...labelNames], registers: [registry] });
  const databaseUp = gauge('database_up', 'Whether the database answers.');
  const pending = gauge('pending_changes', 'Changes that wait for people.');
  const oldest = gauge('oldest_pending_change_seconds', 'Age of the oldest change that waits for people.');
  const signals = gauge('inbox_due', 'Webhooks and results that are due and not handled.');
  const effects = gauge('effects_due', 'Effects that are due and not performed.');
  const deadLetters = gauge('dead_letters', 'Signals that were given up and are kept.');
  const runs = gauge('runs', 'Runs that have not ended, by phase.', ['phase']);
  const show = async (now: number): Promise<WaitingWork | null> => {
    try {
      const waiting = await read(now);
      databaseUp.set(1);
      pending.set(waiting.pendingChanges);
      oldest.set(waiting.oldestPendingAt === null ? 0 : Math.max(0, now - waiting.oldestPendingAt) / 1_000);
      signals.set(waiting.dueSignals);
      effects.set(waiting.dueEffects);
      deadLetters.set(waiting.deadLetters);
      runs.reset();
      for (const { phase, count } of waiting.runs) runs.set({ phase }, count);
      return waiting;
    } catch {
      // The readiness check logs why. Numbers of before would hide the outage.
      databaseUp.set(0);
      for (const outdated of [pending, oldest, signals, effects, deadLetters, runs]) outdated.remove({});
      runs.reset();
      return null;
    }
  };
  let [readAt, recent] = [Number.NEGATIVE_INFINITY, Promise.resolve<WaitingWork | null>(null)];
  return () => {
    const now = Date.now();
    if (now - readAt >= MIN_INTERVAL_MS) [readAt, recent] = [now, show(now)];
    return recent;
  };
}
