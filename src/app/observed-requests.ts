import type { GitHubAppClient } from '../adapters/github/create-github.ts';
import { createThrottle, type Logger } from '../adapters/telemetry/log.ts';
import type { Gauge, Metrics, Timer } from '../adapters/telemetry/metrics.ts';
import type { TokenUsage } from '../core/state/conversation.ts';
import { costOf, type ModelPrice } from '../core/state/spending.ts';
import { type Model, ModelError, type ModelFailure, type ModelFailureKind } from '../core/step/model-port.ts';

export type FailureLogOptions = {
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly now: () => number;
  /** 1 after a response, 0 after a failure. */
  readonly modelUp: Gauge;
  /** The model of requests that name none. */
  readonly model: string;
  /** Null for OpenAI's own endpoint. */
  readonly baseUrl: string | null;
};

/** What the operator does about each failure. */
export const FIXES: Readonly<Record<ModelFailureKind, string>> = {
  'key-rejected': 'Check OPENAI_API_KEY.',
  'access-denied': 'Check which models OPENAI_API_KEY may use, and OPENAI_MODEL.',
  'model-unknown': 'Check OPENAI_MODEL.',
  'not-found': 'Check OPENAI_MODEL, OPENAI_BASE_URL, which usually ends in /v1, and OPENAI_API.',
  'bad-request': 'Check OPENAI_MODEL, OPENAI_BASE_URL and OPENAI_API, and what the endpoint says.',
  'no-tools':
    'Set OPENAI_MODEL to a model that can call tools. vLLM needs --enable-auto-tool-choice and a tool parser, llama.cpp --jinja.',
  'broken-call': 'Nothing, unless it repeats: then use a model that is better at calling tools.',
  'no-quota': 'Check the account and its limits at the model endpoint.',
  'rate-limit': 'Nothing, unless it repeats: then raise the limits of the account at the endpoint.',
  'too-long': 'Set MODEL_CONTEXT_TOKENS to what the model reads, or use a model that reads more.',
  filtered: 'Nothing, unless it repeats: then check the content filter at the model endpoint.',
  'cut-off': 'Nothing, unless it repeats: then look at the endpoint, and at proxies before it.',
  stalled: 'Check the load of the endpoint, or raise MODEL_IDLE_TIMEOUT.',
  timeout: 'Check the load of the endpoint, use a faster model, or raise MODEL_TIMEOUT.',
  unreachable: 'Check OPENAI_BASE_URL, the endpoint, and the network of this server.',
  redirected: 'Set OPENAI_BASE_URL to the address that the endpoint redirects to.',
  'endpoint-failing': 'Nothing, unless it repeats: then look at the endpoint.',
  'wrong-content-type': 'Check OPENAI_BASE_URL, which leads to a web page; it usually ends in /v1.',
  'unreadable-answer': 'Check OPENAI_BASE_URL and OPENAI_API, which names the API of the endpoint.',
};

/** Failures of one conversation, which say nothing about the endpoint. */
const OF_ONE_CONVERSATION: ReadonlySet<ModelFailureKind> = new Set<ModelFailureKind>([
  ...(['too-long', 'filtered', 'broken-call'] as const),
]);

/** Null is OpenAI's own endpoint. */
export function endpointHost(baseUrl: string | null): string {
  return new URL(baseUrl ?? 'https://api.openai.com').host;
}

/** Logs the failures of a model: at most one line a minute for each kind. */
export function withFailureLog(model: Model, options: FailureLogOptions): Model {
  const { log, now, modelUp } = options;
  const throttle = createThrottle<ModelFailureKind>(now);
  const endpoint = endpointHost(options.baseUrl);
  let downSince: number | null = null;
  const reported = async <Response>(request: Promise<Response>, model: string | null): Promise<Response> => {
    try {
      const response = await request;
      modelUp.set(1);
      if (downSince !== null) log.info({ endpoint, ms: now() - downSince }, 'the model answers again');
      downSince = null;
      return response;
    } catch (error) {
      const report = error instanceof ModelError ? error.report : null;
      if (report !== null) reportFailure(report, model ?? options.model);
      throw error;
    }
  };
  const reportFailure = ({ failure, ...answer }: ModelFailure, name: string): void => {
    if (!OF_ONE_CONVERSATION.has(failure)) {
      modelUp.set(0);
      downSince ??= now();
    }
    const allowed = throttle(failure);
    if (allowed !== null)
      log.warn({ endpoint, model: name, failure, ...answer, fix: FIXES[failure], ...allowed }, 'model request failed');
  };
  return {
    ask: (...request) => reported(model.ask(...request), request[3]),
    answerQuestion: (...request) => reported(model.answerQuestion(...request), request[4]),
    maxRequestTokens: model.maxRequestTokens,
  };
}

type TimedModelOptions = {
  readonly metrics: Metrics;
  /** The price of a model, or of the one for requests that name none; null if unknown. */
  readonly priceOf: (model: string | null) => ModelPrice | null;
};

/** Measures the duration of each model request, and counts its tokens and their cost. */
export function timedModel(model: Model, { metrics, priceOf }: TimedModelOptions): Model {
  const measured = <Response extends { readonly usage: TokenUsage }>(request: Promise<Response>, name: string | null) =>
    timed(metrics.modelRequests, counted(metrics, request, priceOf(name)), () => 'done');
  return {
    ask: (...request) => measured(model.ask(...request), request[3]),
    answerQuestion: (...request) => measured(model.answerQuestion(...request), request[4]),
    maxRequestTokens: model.maxRequestTokens,
  };
}

async function counted<Response extends { readonly usage: TokenUsage }>(
  { modelTokens, modelCost }: Metrics,
  request: Promise<Response>,
  price: ModelPrice | null,
): Promise<Response> {
  const response = await request;
  modelCost.inc({}, costOf(response.usage, price) ?? 0);
  const { inputTokens, cachedInputTokens, outputTokens } = response.usage;
  modelTokens.inc({ kind: 'input' }, inputTokens);
  modelTokens.inc({ kind: 'cached-input' }, cachedInputTokens);
  modelTokens.inc({ kind: 'output' }, outputTokens);
  return response;
}

/** Measures the duration of each commit. */
export function timedCommits(githubApp: GitHubAppClient, metrics: Metrics): GitHubAppClient {
  const timer = metrics.commits;
  return {
    ...githubApp,
    forPull(...options) {
      const github = githubApp.forPull(...options);
      return { ...github, commit: (plan) => timed(timer, github.commit(plan), ({ kind }) => kind) };
    },
  };
}

async function timed<Result>(
  timer: Timer<'outcome'>,
  work: Promise<Result>,
  outcomeOf: (result: Result) => string,
): Promise<Result> {
  const stop = timer.startTimer();
  try {
    const result = await work;
    stop({ outcome: outcomeOf(result) });
    return result;
  } catch (error) {
    stop({ outcome: 'failed' });
    throw error;
  }
}
