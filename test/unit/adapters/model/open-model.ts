import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { afterEach } from 'vitest';
import type { ScriptEntry } from '../../../../fakes/model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../../../../fakes/model/scripted-model.ts';
import { createModel } from '../../../../src/adapters/model/openai.ts';
import type { ModelResponse, TranscriptMessage } from '../../../../src/core/state/conversation.ts';
import { type Model, ModelError } from '../../../../src/core/step/model-port.ts';
import { listen } from '../../../support/listen.ts';

export const NOW = Date.parse('2026-11-21T12:00:00Z');

export const KEY = 'sk-canary-0123456789';

export const RUN = 'run-of-the-tests';

const TOOLS = [
  { name: 'read_file', description: 'Reads a file.', parameters: { type: 'object', properties: {}, required: [] } },
];

export const HELLO: readonly TranscriptMessage[] = [{ role: 'user', content: 'Use bigint.' }];

/** The transcript after a response and the results of its calls. */
export function afterwards(response: ModelResponse): readonly TranscriptMessage[] {
  const { content, toolCalls, opaque } = response;
  return [
    ...HELLO,
    { role: 'assistant', content, toolCalls, ...(opaque === undefined ? {} : { opaque }) },
    ...toolCalls.map(({ id }) => ({ role: 'tool', toolCallId: id, content: 'done' }) as const),
  ];
}

type Options = Parameters<typeof createModel>[0];

export type ModelOverrides = Partial<Omit<Options, 'parameters' | 'limits'>> & {
  readonly parameters?: Partial<Options['parameters']>;
  readonly limits?: Partial<Options['limits']>;
};

/** The adapter, whose requests are to the default model unless they name another. */
type DefaultModel = {
  ask(messages: readonly TranscriptMessage[], signal: AbortSignal, runId: string): ReturnType<Model['ask']>;
  answerQuestion(
    messages: readonly TranscriptMessage[],
    signal: AbortSignal,
    runId: string,
    mayCall: boolean,
  ): ReturnType<Model['ask']>;
  maxRequestTokens(signal: AbortSignal): Promise<number | null>;
};

/** The adapter for an endpoint at `url`, without parameters and with a timeout of two seconds. */
export function openModel(url: string, overrides: ModelOverrides = {}): DefaultModel {
  const model = openModels(url, overrides);
  return {
    ask: (messages, signal, runId) => model.ask(messages, signal, runId, null),
    answerQuestion: (messages, signal, runId, mayCall) => model.answerQuestion(messages, signal, runId, mayCall, null),
    maxRequestTokens: (signal) => model.maxRequestTokens(signal, null),
  };
}

/** The adapter itself, for tests of several models. */
function openModels(url: string, { parameters, limits, ...overrides }: ModelOverrides = {}): Model {
  return createModel({
    apiKey: KEY,
    baseURL: url,
    api: 'chat',
    model: 'test-model',
    tools: TOOLS,
    contextTokens: null,
    log: { debug: () => undefined, warn: () => undefined },
    now: () => NOW,
    ...overrides,
    parameters: { maxOutputTokens: null, reasoningEffort: null, temperature: null, ...parameters },
    limits: { timeoutMs: 30_000, idleTimeoutMs: 30_000, ...limits },
  });
}

export function never(): AbortSignal {
  return new AbortController().signal;
}

/** The error of a request that must fail. */
export async function failureOf(request: Promise<unknown>): Promise<ModelError> {
  const failure: unknown = await request.catch((error: unknown) => error);
  if (!(failure instanceof ModelError)) throw new Error(`no ModelError: ${String(failure)}`);
  return failure;
}

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A fake model with these answers, which ends with the test. */
export async function scripted(...answers: readonly ScriptEntry[]): Promise<ScriptedModel> {
  const model = await startScriptedModel({ apiKey: KEY });
  closers.push(model.close);
  model.script(...answers);
  return model;
}

/** An endpoint that answers as the test says, also in broken ways. */
export async function raw(
  answer: (response: ServerResponse) => void,
): Promise<{ readonly url: string; readonly count: () => number }> {
  let count = 0;
  const listener: RequestListener = (request, response) => {
    request.resume();
    count += 1;
    answer(response);
  };
  const server = createServer(listener);
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, count: () => count };
}
