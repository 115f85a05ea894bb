import OpenAI, { APIConnectionError, APIError } from 'openai';
import type { ModelResponse, TranscriptMessage } from '../../core/state/conversation.ts';
import { type Model, ModelError } from '../../core/state/ports.ts';
import {
  ForeignOriginError,
  guardFetch,
  RedirectError,
  ResponseTooLargeError,
  type SendRequest,
} from '../../lib/guard-fetch.ts';
import { type ModelTool, parseResponse, toWireMessage, toWireTool } from './wire-format.ts';

const REQUEST_TIMEOUT_MS = 120_000;

const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

type ModelOptions = {
  /** Null if the endpoint requires none. */
  readonly apiKey: string | null;
  /** Null for OpenAI's own endpoint. */
  readonly baseURL: string | null;
  readonly model: string;
  readonly tools: readonly ModelTool[];
  /** Timeout of a request, including the body; default 120 s. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: SendRequest;
  readonly now?: () => number;
};

/** Creates the model adapter for a Chat Completions endpoint. It never retries, because the stored effect does. */
export function createModel(options: ModelOptions): Model {
  const timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS;
  const now = options.now ?? Date.now;
  const client = createClient(options, timeoutMs);
  const tools = options.tools.map(toWireTool);
  const withTools = tools.length > 0 ? { tools } : {};
  // The request still contains the tools, because the transcript has calls of them, and the prompt cache stays valid.
  const withoutTools = tools.length > 0 ? ({ tools, tool_choice: 'none' } as const) : {};
  const send = async (
    messages: readonly TranscriptMessage[],
    toolOptions: typeof withTools | typeof withoutTools,
    signal: AbortSignal,
  ): Promise<ModelResponse> => {
    // The SDK's own timeout does not cover the body.
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response: unknown = await client.chat.completions.create(
        { model: options.model, messages: messages.map(toWireMessage), ...toolOptions },
        { signal: AbortSignal.any([signal, timeout]) },
      );
      return requireResponse(response);
    } catch (error) {
      if (signal.aborted) throw new ModelError('transient', 'The request to the model was stopped.', null);
      if (timeout.aborted) throw timeoutError(timeoutMs);
      throw toModelError(error, now(), options.apiKey);
    }
  };
  return {
    ask: (messages, signal) => send(messages, withTools, signal),
    askForText: (messages, signal) => send(messages, withoutTools, signal),
  };
}

/** Sets all options that the SDK would otherwise read from the environment. */
function createClient({ apiKey, ...options }: ModelOptions, timeoutMs: number): OpenAI {
  const baseURL = options.baseURL ?? 'https://api.openai.com/v1';
  const send = options.fetch ?? globalThis.fetch;
  return new OpenAI({
    apiKey: apiKey ?? 'none',
    baseURL,
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    fetch: guardFetch(send, { origins: [new URL(baseURL).origin], maxBytes: MAX_RESPONSE_BYTES }),
  });
}

function requireResponse(completion: unknown): ModelResponse {
  const response = parseResponse(completion);
  if (response === null) {
    throw new ModelError('transient', 'The model endpoint answered in a form that is no Chat Completions reply.', null);
  }
  return response;
}

function timeoutError(timeoutMs: number): ModelError {
  return new ModelError('transient', `The model did not answer within ${Math.ceil(timeoutMs / 1000)} seconds.`, null);
}

type ErrorMeaning = { readonly kind: ModelError['kind']; readonly message: string };

/** Published messages by status. They never quote the endpoint, because its message can contain the key. */
const ERRORS_BY_STATUS: Readonly<Record<number, ErrorMeaning>> = {
  400: permanentError(
    'The model endpoint rejects the request; the operator should check `OPENAI_MODEL` and the endpoint.',
  ),
  401: permanentError('The model endpoint rejects the key; the operator should check `OPENAI_API_KEY`.'),
  402: permanentError('The model endpoint asks for payment; the operator should check its account.'),
  403: permanentError('The model endpoint denies access; the operator should check what `OPENAI_API_KEY` may use.'),
  404: permanentError(
    'The model or its endpoint does not exist; the operator should check `OPENAI_MODEL` and `OPENAI_BASE_URL`.',
  ),
  408: transientError('The model endpoint timed out.'),
  409: transientError('The model endpoint was busy with a conflicting request.'),
  413: permanentError('The conversation is too large for the model endpoint.'),
  429: transientError('The model endpoint limits how fast it may be asked.'),
};

/** Published messages by error code, which is more specific than the status. */
const ERRORS_BY_CODE: Readonly<Record<string, ErrorMeaning>> = {
  insufficient_quota: permanentError(
    'The account at the model endpoint has no quota left; the operator should check it.',
  ),
  context_length_exceeded: permanentError('The conversation has become longer than the model can read.'),
};

/** Converts any error of a request. The cause, which is for the log, does not contain the secret. */
function toModelError(error: unknown, now: number, secret: string | null): ModelError {
  if (error instanceof ModelError) return error;
  const refused = refusedResponse(error);
  if (refused !== null) return new ModelError('permanent', refused, null);
  if (error instanceof APIConnectionError || !(error instanceof APIError) || error.status === undefined) {
    return new ModelError('transient', 'The model endpoint could not be reached.', null, {
      cause: redactedCause(error, secret),
    });
  }
  const { kind, message } =
    ERRORS_BY_CODE[error.code ?? ''] ?? ERRORS_BY_STATUS[error.status] ?? errorForStatus(error.status);
  const retryAt = kind === 'transient' ? parseRetryAfter(error.headers, now) : null;
  return new ModelError(kind, message, retryAt, { cause: redactedCause(error, secret) });
}

/** The published message for a response that was refused; a retry would get the same one. Null for other errors. */
function refusedResponse(error: unknown): string | null {
  if (error instanceof ResponseTooLargeError) return 'The model endpoint answered with more than 16 MB.';
  const cause = error instanceof APIConnectionError ? error.cause : null;
  return cause instanceof ForeignOriginError || cause instanceof RedirectError
    ? 'The model endpoint redirects to another address; the operator should check `OPENAI_BASE_URL`.'
    : null;
}

function errorForStatus(status: number): ErrorMeaning {
  return status >= 500
    ? transientError('The model endpoint is failing.')
    : permanentError(`The model endpoint refuses the request (${status}); the operator should check its settings.`);
}

function parseRetryAfter(headers: Headers | undefined, now: number): number | null {
  const millis = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (millis >= 0) return now + millis;
  const after = headers?.get('retry-after');
  if (after === null || after === undefined) return null;
  const seconds = Number(after);
  if (seconds >= 0) return now + seconds * 1000;
  const time = Date.parse(after);
  return Number.isNaN(time) ? null : time;
}

/** The endpoint's message for the log, without the key or parts of it, which some endpoints quote. */
function redactedCause(error: unknown, secret: string | null): Error {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const redacted = secret === null || secret === '' ? text : text.replaceAll(secret, '[key]');
  return new Error(redacted.replace(/\bsk-[\w*.-]+/g, '[key]').slice(0, 500));
}

function transientError(message: string): ErrorMeaning {
  return { kind: 'transient', message };
}

function permanentError(message: string): ErrorMeaning {
  return { kind: 'permanent', message };
}
