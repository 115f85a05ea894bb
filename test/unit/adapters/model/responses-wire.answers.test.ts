import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { TranscriptMessage } from '../../../../src/core/state/conversation.ts';
import {
  afterwards,
  failureOf,
  HELLO,
  type ModelOverrides,
  never,
  openModel,
  RUN,
  raw,
  scripted,
} from './open-model.ts';

/** An answer of the Responses API, and what becomes of it. */
const Case = z.strictObject({
  name: z.string(),
  events: z.array(z.record(z.string(), z.unknown())).optional(),
  /** One JSON object in place of the events. */
  plain: z.record(z.string(), z.unknown()).optional(),
  answer: z.record(z.string(), z.unknown()).optional(),
  /** The items of the next request after the first message. */
  sentBack: z.array(z.record(z.string(), z.unknown())).optional(),
  failure: z.string().optional(),
});

type Case = z.infer<typeof Case>;

const FILE = join(import.meta.dirname, '../../../fixtures/endpoints/answers/responses.json');

const CASES = z.array(Case).parse(JSON.parse(readFileSync(FILE, 'utf8')));

/** A stream whose connection stays open after its last event, as some gateways leave it. */
function send({ plain, events = [] }: Case): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, { 'content-type': plain === undefined ? 'text/event-stream' : 'application/json' });
    if (plain !== undefined) return void response.end(JSON.stringify(plain));
    for (const event of events) response.write(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
    if (!/^response\.(?:completed|incomplete|failed)$/.test(String(events.at(-1)?.['type']))) response.end();
  };
}

const RESPONSES: ModelOverrides = { api: 'responses' };

/** An answer as in the first case, with a thought and a call. */
const THINKS = { content: 'Let me look.', calls: [{ id: 'one', name: 'read_file', arguments: { path: 'x' } }] };

describe('an answer of the Responses API', () => {
  it.each(CASES.filter(({ answer }) => answer !== undefined))('$name', async (one) => {
    const endpoint = await raw(send(one));
    const sent: unknown[][] = [];
    const model = openModel(endpoint.url, {
      ...RESPONSES,
      fetch: (address, options) => {
        sent.push(JSON.parse(String(options?.body)).input);
        return fetch(address, options);
      },
    });
    const response = await model.ask(HELLO, never(), RUN);
    expect(response).toMatchObject(one.answer ?? {});
    await model.ask(afterwards(response), never(), RUN);
    if (one.sentBack !== undefined) expect(sent[1]?.slice(1)).toEqual(one.sentBack);
  });

  it.each(CASES.filter(({ failure }) => failure !== undefined))('$name: $failure', async (one) => {
    const endpoint = await raw(send(one));
    const { report } = await failureOf(openModel(endpoint.url, RESPONSES).ask(HELLO, never(), RUN));
    expect(report?.failure).toBe(one.failure);
  });
});

describe('a request of the Responses API', () => {
  it('R50: keeps nothing at the endpoint, and has the system’s words, the transcript and tools that are not strict', async () => {
    const endpoint = await scripted({ content: 'Fine.' });
    const transcript: readonly TranscriptMessage[] = [
      { role: 'system', content: 'You are careful.' },
      ...HELLO,
      {
        role: 'assistant',
        content: null,
        toolCalls: [{ id: 'a', name: 'functions.read_file', arguments: '{"path":' }],
      },
      { role: 'tool', toolCallId: 'a', content: 'one' },
      { role: 'assistant', content: 'Done.', toolCalls: [] },
      { role: 'user', content: 'Go on.' },
    ];
    await openModel(endpoint.url, RESPONSES).ask(transcript, never(), RUN);
    expect(endpoint.violations).toEqual([]);
    const { tools, ...body } = endpoint.requests[0]?.body ?? {};
    expect(body).toEqual({
      model: 'test-model',
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      instructions: 'You are careful.',
      input: [
        { role: 'user', content: 'Use bigint.' },
        { type: 'function_call', call_id: 'a', name: 'read_file', arguments: '{"_malformed":"{\\"path\\":"}' },
        { type: 'function_call_output', call_id: 'a', output: 'one' },
        { role: 'assistant', content: 'Done.' },
        { role: 'user', content: 'Go on.' },
      ],
    });
    expect(tools).toMatchObject([{ type: 'function', name: 'read_file', strict: false }]);
  });

  it('R50: has the parameters that are set by their names in this API, and forbids calls to a question', async () => {
    const endpoint = await scripted({ content: 'Fine.' });
    const parameters = { maxOutputTokens: 500, reasoningEffort: 'low', temperature: 0.5 };
    await openModel(endpoint.url, { ...RESPONSES, parameters }).answerQuestion(HELLO, never(), RUN, false);
    expect(endpoint.violations).toEqual([]);
    expect(endpoint.requests[0]?.body).toMatchObject({
      ...{ max_output_tokens: 500, reasoning: { effort: 'low' }, temperature: 0.5, tool_choice: 'none' },
    });
  });

  it.each([
    ['https://api.openai.com/v1', '/v1/responses', RUN],
    ['https://shop.openai.azure.com/openai/v1', '/openai/v1/responses', RUN],
    ['https://shop.services.ai.azure.com/openai/v1', '/openai/v1/responses', RUN],
    ['https://shop.cognitiveservices.azure.com/openai/v1', '/openai/v1/responses', RUN],
    ['https://shop.openai.azure.us/openai/v1', '/openai/v1/responses', RUN],
    ['https://eu.api.openai.com/v1', '/v1/responses', RUN],
    ['https://models.example/v1', '/v1/chat/completions', undefined],
    ['https://api.openai.com.example/v1', '/v1/chat/completions', undefined],
  ])('R50: goes to %s only where OpenAI’s API is: %s', async (baseURL, path, cacheKey) => {
    const sent: [string, unknown][] = [];
    const refuse = (address: string | URL | Request, options?: RequestInit) => {
      sent.push([new URL(String(address)).pathname, JSON.parse(String(options?.body)).prompt_cache_key]);
      return Promise.resolve(Response.json({ error: { message: 'no' } }, { status: 401 }));
    };
    await failureOf(openModel(baseURL, { api: null, fetch: refuse }).ask(HELLO, never(), RUN));
    expect(sent).toEqual([[path, cacheKey]]);
  });

  it('R50: is sent without `include` where the model cannot encrypt its thoughts, then and later', async () => {
    const endpoint = await scripted(
      refusal({ message: 'Encrypted content is not supported with this model.', param: 'include' }),
      THINKS,
      { content: 'Done.' },
    );
    const model = openModel(endpoint.url, RESPONSES);
    const response = await model.ask(HELLO, never(), RUN);
    await model.ask(afterwards(response), never(), RUN);
    expect(endpoint.violations).toEqual([]);
    expect(endpoint.requests.map(({ body }) => body['include'] !== undefined)).toEqual([true, false, false]);
  });

  it('R50: is sent without an effort that the endpoint refuses by its path', async () => {
    const message = "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
    const endpoint = await scripted(refusal({ message, param: 'reasoning.effort' }), { content: 'Fine.' });
    const parameters = { reasoningEffort: 'high' };
    await openModel(endpoint.url, { ...RESPONSES, parameters }).ask(HELLO, never(), RUN);
    expect(endpoint.requests.map(({ body }) => body['reasoning'])).toEqual([{ effort: 'high' }, undefined]);
  });

  it.each([
    ['at once', refusal({ message: 'The encrypted content gAAA... could not be verified.' })],
    [
      'in the stream',
      {
        fault: 'stream-error',
        error: {
          code: 'invalid_encrypted_content',
          message: 'The encrypted content for item rs_1 could not be verified.',
        },
      } as const,
    ],
  ])('R50: goes on without the thoughts of a run that the endpoint %s cannot read any more', async (_, fault) => {
    const endpoint = await scripted(THINKS, fault, { content: 'Done.' }, { content: 'Other.' });
    const model = openModel(endpoint.url, RESPONSES);
    const response = await model.ask(HELLO, never(), RUN);
    expect((await model.ask(afterwards(response), never(), RUN)).content).toBe('Done.');
    await model.ask(afterwards(response), never(), 'another-run');
    const thoughts = endpoint.requests.map(({ body }) => JSON.stringify(body['input']).includes('"reasoning"'));
    expect(thoughts).toEqual([false, true, false, true]);
    expect(endpoint.violations).toEqual([]);
  });

  it('R50: has no thought of another model, of another endpoint or of the other API', async () => {
    const [endpoint, elsewhere] = [await scripted(THINKS), await scripted({ content: 'a' })];
    const response = await openModel(endpoint.url, RESPONSES).ask(HELLO, never(), RUN);
    expect(response.opaque).toMatchObject({ model: 'test-model', endpoint: `${endpoint.url}/responses` });
    endpoint.script({ content: 'b' }, { content: 'c' });
    const again = afterwards(response);
    await openModel(endpoint.url, { ...RESPONSES, model: 'another-model' }).ask(again, never(), RUN);
    await openModel(endpoint.url, { api: 'chat' }).ask(again, never(), RUN);
    await openModel(elsewhere.url, RESPONSES).ask(again, never(), RUN);
    const sent = [...endpoint.requests.slice(1), ...elsewhere.requests].map(({ body }) => JSON.stringify(body));
    expect(sent).toHaveLength(3);
    for (const body of sent) expect(body).not.toMatch(/rs_1|fc_1|msg_1|output_items/);
    expect([...endpoint.violations, ...elsewhere.violations]).toEqual([]);
  });
});

function refusal(error: Readonly<Record<string, unknown>>) {
  return { fault: 'status', status: 400, body: { error: { type: 'invalid_request_error', ...error } } } as const;
}
