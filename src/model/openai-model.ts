import OpenAI from 'openai';
import type { Message, ModelReply } from '../prompt/message.ts';
import { type Model, ModelFault } from '../worker/ports.ts';
import { toModelFault } from './model-faults.ts';
import { type ModelTool, readReply, toWire, toWireTool } from './wire.ts';

const REQUEST_TIMEOUT_MS = 120_000;

export type ModelOptions = {
  /** Null where the endpoint wants none. */
  readonly apiKey: string | null;
  /** Null for OpenAI's own. */
  readonly baseURL: string | null;
  readonly model: string;
  readonly tools: readonly ModelTool[];
  /** Bound of a whole request, body included; 120 s unless told. */
  readonly timeoutMs?: number;
  /** What requests go through instead of the network's own `fetch`. */
  readonly fetch?: (address: string | URL | Request, options?: RequestInit) => Promise<Response>;
  readonly now?: () => number;
};

/** A Chat Completions endpoint. Each call is one request, never repeated here: the stored effect owns retries. */
export function openModel(options: ModelOptions): Model {
  const timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS;
  const now = options.now ?? Date.now;
  const client = openClient(options, timeoutMs);
  const tools = options.tools.map(toWireTool);
  const withTools = tools.length > 0 ? { tools } : {};
  // Told of the tools all the same: their calls stand in the transcript, and what was sent before stays cached.
  const wordsOnly = tools.length > 0 ? ({ tools, tool_choice: 'none' } as const) : {};
  const send = async (
    messages: readonly Message[],
    use: typeof withTools | typeof wordsOnly,
    signal: AbortSignal,
  ): Promise<ModelReply> => {
    // The SDK's own timeout ends with the headers; this one bounds the body as well.
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer: unknown = await client.chat.completions.create(
        { model: options.model, messages: messages.map(toWire), ...use },
        { signal: AbortSignal.any([signal, timeout]) },
      );
      return checked(answer);
    } catch (error) {
      if (signal.aborted) throw new ModelFault('passing', 'The request to the model was stopped.', null);
      if (timeout.aborted) throw timedOut(timeoutMs);
      throw toModelFault(error, now(), options.apiKey);
    }
  };
  return {
    ask: (messages, signal) => send(messages, withTools, signal),
    askForWords: (messages, signal) => send(messages, wordsOnly, signal),
  };
}

/** What the SDK would otherwise read from the environment or decide for itself is said here. */
function openClient({ apiKey, baseURL, fetch }: ModelOptions, timeoutMs: number): OpenAI {
  return new OpenAI({
    apiKey: apiKey ?? 'none',
    baseURL: baseURL ?? 'https://api.openai.com/v1',
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    ...(fetch === undefined ? {} : { fetch }),
  });
}

function checked(answer: unknown): ModelReply {
  const reply = readReply(answer);
  if (reply === null) {
    throw new ModelFault('passing', 'The model endpoint answered in a form that is no Chat Completions reply.', null);
  }
  return reply;
}

function timedOut(timeoutMs: number): ModelFault {
  return new ModelFault('passing', `The model did not answer within ${Math.ceil(timeoutMs / 1000)} seconds.`, null);
}
