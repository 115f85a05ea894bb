import OpenAI from 'openai';
import type { ModelResponse, TranscriptMessage } from '../../core/state/conversation.ts';
import { type Model, ModelError } from '../../core/state/ports.ts';
import { guardFetch, type SendRequest } from '../../lib/guard-fetch.ts';
import { timeoutError, toModelError, unreadableResponseError } from './model-errors.ts';
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
      throw toModelError(error, now(), { apiKey: options.apiKey, messages });
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
    // Ours covers the body too and must end first, because it says what happened.
    timeout: 2 * timeoutMs,
    logLevel: 'off',
    fetch: guardFetch(send, { origins: [new URL(baseURL).origin], maxBytes: MAX_RESPONSE_BYTES }),
  });
}

function requireResponse(completion: unknown): ModelResponse {
  const response = parseResponse(completion);
  if (response === null) throw unreadableResponseError();
  return response;
}
