import OpenAI, { APIError } from 'openai';
import type { ModelResponse, TokenUsage } from '../../core/state/conversation.ts';
import { type Model, ModelError } from '../../core/step/model-port.ts';
import { guardFetch, type SendRequest } from '../../lib/guard-fetch.ts';
import { asUndiciOptions } from '../../lib/trust.ts';
import type { Logger } from '../telemetry/log.ts';
import { CHAT_WIRE } from './chat-wire.ts';
import { createContextSizeReader } from './context-size.ts';
import { TOO_LONG_WORDS } from './error-meanings.ts';
import { toModelError, type WatchdogBite, watchdogError, withPlainErrors, withUsage } from './model-errors.ts';
import type { ModelAnswer, ModelApi, ModelParameters, ModelTool, ModelWire, OnUsage } from './model-wire.ts';
import { areArgumentsBroken } from './read-answer.ts';
import { type Conversation, createRequestBuilder, findRefusedName, keepMembers, type ModelAddress } from './request.ts';
import { RESPONSES_WIRE } from './responses-wire.ts';

const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

const OPENAI_URL = 'https://api.openai.com/v1';

const WIRES: Readonly<Record<ModelApi, ModelWire>> = { chat: CHAT_WIRE, responses: RESPONSES_WIRE };

/** OpenAI's own hosts and those of Azure, also in its sovereign clouds. */
const OPENAI_HOSTS = /(?:^|\.)(?:api\.openai\.com|(?:openai|services\.ai|cognitiveservices)\.azure\.(?:com|us|cn))$/;

type ModelOptions = {
  /** Null if the endpoint requires none. */
  readonly apiKey: string | null;
  /** Null for OpenAI's own endpoint. */
  readonly baseURL: string | null;
  /** Null for what suits the endpoint: `responses` for OpenAI's own and Azure's, else `chat`. */
  readonly api: ModelApi | null;
  /** The model of requests that name none. */
  readonly model: string;
  readonly tools: readonly ModelTool[];
  readonly parameters: ModelParameters;
  /** The size of the default model's context, as the operator says; null if they do not. */
  readonly contextTokens: number | null;
  readonly limits: TimeLimits;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  /** Replaces the `fetch` without time limits. */
  readonly fetch?: SendRequest;
  readonly now?: () => number;
};

/**
 * Creates the adapter for the models of an endpoint. A refusal by one of them, and the size of
 * its context, say nothing about the others. It repeats no failed request; the stored effect does.
 */
export function createModel(options: ModelOptions): Model {
  const models = new Map<string, SingleModel>();
  const modelOf = (name: string | null): SingleModel => {
    const model = name ?? options.model;
    const contextTokens = model === options.model ? options.contextTokens : null;
    const known = models.get(model) ?? createSingleModel({ ...options, model, contextTokens });
    models.set(model, known);
    return known;
  };
  return {
    ask: (messages, signal, runId, model, omitted = []) =>
      modelOf(model).ask({ messages, runId, tools: 'all', omitted }, signal),
    answerQuestion: (messages, signal, runId, mayCall, model, omitted = []) =>
      modelOf(model).ask({ messages, runId, tools: mayCall ? 'reading' : 'reading-uncallable', omitted }, signal),
    maxRequestTokens: (signal, model) => modelOf(model).maxRequestTokens(signal),
  };
}

type SingleModel = {
  readonly ask: (conversation: Conversation, signal: AbortSignal) => Promise<ModelResponse>;
  readonly maxRequestTokens: (signal: AbortSignal) => Promise<number | null>;
};

function createSingleModel(options: ModelOptions): SingleModel {
  const { log, model, limits, apiKey, now = Date.now } = options;
  const isOpenAi = OPENAI_HOSTS.test(new URL(options.baseURL ?? OPENAI_URL).hostname);
  const api = options.api ?? (isOpenAi ? 'responses' : 'chat');
  const wire = WIRES[api];
  const address = modelAddress(options, api);
  const requests = createRequestBuilder({ ...options, wire, address, isOpenAi });
  const client = createClient(options);
  /** Asks again without a parameter that the endpoint refuses by its name. */
  const complete = async (
    conversation: Conversation,
    signal: AbortSignal,
    observer: Observer,
  ): Promise<ModelAnswer> => {
    const { body, removable } = requests.build(conversation);
    try {
      const observed = client.withOptions({ fetch: createFetch(options, observer.onBytes) });
      const response = await observed.post(wire.path, { body, signal, stream: true }).asResponse();
      return await wire.readAnswer(response, client, observer.onUsage);
    } catch (error) {
      if (!(error instanceof APIError) || TOO_LONG_WORDS.test(error.message)) throw error;
      const refused = findRefusedName(error, removable, wire.refusals);
      if (refused === null) throw error;
      const refusal = wire.refusals.find(({ name }) => name === refused);
      log.warn({ parameter: refused, model }, refusal?.warning ?? 'model endpoint refuses a parameter');
      requests.refuse(refused, refusal?.isOfRun === true ? conversation.runId : null);
      return complete(conversation, signal, observer);
    }
  };
  const ask = async (conversation: Conversation, stopping: AbortSignal): Promise<ModelResponse> => {
    const watchdog = startWatchdog(limits);
    const signal = AbortSignal.any([stopping, watchdog.signal]);
    let usage: TokenUsage | null = null;
    const onUsage: OnUsage = (counted) => {
      usage = counted;
    };
    try {
      const answer = await complete(conversation, signal, { onBytes: watchdog.onBytes, onUsage });
      // The SDK ends a stopped stream as if it were complete.
      stopping.throwIfAborted();
      return toResponse(answer, address, log);
    } catch (error) {
      if (stopping.aborted) {
        const stopped = new ModelError('transient', 'The request to the model was stopped.', null);
        throw withUsage(stopped, usage);
      }
      const bite = watchdog.bite();
      const failure = bite === null ? toModelError(error, now(), apiKey) : watchdogError(bite);
      throw withUsage(failure, usage);
    } finally {
      watchdog.stop();
    }
  };
  return { ask, maxRequestTokens: createContextSizeReader({ ...options, ...options.parameters, client, now }) };
}

/** What is told while an answer arrives: each piece of its body, and the count of tokens so far. */
type Observer = { readonly onBytes: () => void; readonly onUsage: OnUsage };

/**
 * Credentials and queries in the address are left out, because this is stored. Neither API takes the members of the
 * other one.
 */
function modelAddress({ baseURL, model }: Pick<ModelOptions, 'baseURL' | 'model'>, api: ModelApi): ModelAddress {
  const { origin, pathname } = new URL(baseURL ?? OPENAI_URL);
  const endpoint = `${origin}${pathname}`;
  return { model, endpoint: api === 'chat' ? endpoint : `${endpoint.replace(/\/$/, '')}${RESPONSES_WIRE.path}` };
}

/** Sets all options that the SDK would otherwise read from the environment. */
function createClient(options: ModelOptions): OpenAI {
  return new OpenAI({
    apiKey: options.apiKey ?? 'none',
    baseURL: options.baseURL ?? OPENAI_URL,
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    // Ours covers the body too and must end first, because it says what happened.
    timeout: 2 * options.limits.timeoutMs,
    logLevel: 'off',
    fetch: createFetch(options),
  });
}

function createFetch({ baseURL, fetch = createPatientFetch() }: ModelOptions, onBytes = () => {}): SendRequest {
  const { origin } = new URL(baseURL ?? OPENAI_URL);
  return withPlainErrors(guardFetch(fetch, { origins: [origin], maxBytes: MAX_RESPONSE_BYTES }), onBytes);
}

const MAX_LOGGED_ARGUMENTS = 10_000;

function toResponse(
  { members, ...response }: ModelAnswer,
  address: ModelAddress,
  log: ModelOptions['log'],
): ModelResponse {
  for (const call of response.toolCalls.filter((one) => areArgumentsBroken(one.arguments))) {
    // The transcript keeps the original too, but later requests contain only its beginning.
    const fields = { tool: call.name, finishReason: response.finishReason, length: call.arguments.length };
    log.debug({ ...fields, arguments: call.arguments.slice(0, MAX_LOGGED_ARGUMENTS) }, 'model sent broken arguments');
  }
  const opaque = keepMembers(members, address, (bytes) =>
    log.warn({ bytes, model: address.model }, 'model sent too many unknown members; they are dropped'),
  );
  return opaque === null ? response : { ...response, opaque };
}

/**
 * Creates a `fetch` without time limits of its own: the global one gives up after 300 s without headers or without a
 * byte, and models can think longer. It sends through the process's dispatcher, so that a proxy stays in use.
 */
function createPatientFetch(): SendRequest {
  return async (address, options) => {
    if (address instanceof Request) throw new TypeError('a request must be sent as its address and options');
    // Loaded late: a start needs less time and memory without it.
    const { getGlobalDispatcher, fetch } = await import('undici');
    const dispatcher = getGlobalDispatcher().compose(
      (dispatch) => (options, handler) => dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
    );
    return fetch(address, { ...asUndiciOptions(options), dispatcher });
  };
}

/** Time limits of one request, in ms. */
type TimeLimits = {
  /** Of the whole request. */
  readonly timeoutMs: number;
  /** Of silence within the answer. */
  readonly idleTimeoutMs: number;
};

/** Starts to watch one request, which ends if it takes too long or falls silent. Silence counts from the first byte on, because models can think for long. */
export function startWatchdog({ timeoutMs, idleTimeoutMs }: TimeLimits) {
  const controller = new AbortController();
  let bite: WatchdogBite | null = null;
  const end = (reason: WatchdogBite): void => {
    bite ??= reason;
    controller.abort();
  };
  const whole = setTimeout(end, timeoutMs, { kind: 'timeout', afterMs: timeoutMs });
  let silence: NodeJS.Timeout | undefined;
  return {
    signal: controller.signal,
    /** Null as long as it has not bitten. */
    bite: () => bite,
    /** A piece of the answer came. */
    onBytes: () => {
      clearTimeout(silence);
      silence = setTimeout(end, idleTimeoutMs, { kind: 'stalled' }).unref();
    },
    stop: () => {
      clearTimeout(whole);
      clearTimeout(silence);
    },
  };
}
