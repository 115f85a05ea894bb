import { describe, expect, it } from 'vitest';
import { findRefusedName } from '../../../../src/adapters/model/request.ts';
import type { TranscriptMessage } from '../../../../src/core/state/conversation.ts';
import { failureOf, HELLO, type ModelOverrides, never, openModel, RUN, scripted } from './open-model.ts';

const ALL = { maxOutputTokens: 4_000, reasoningEffort: 'low', temperature: 0 };

/** The optional parameters of a request to an endpoint at this address. */
async function parametersAt(baseURL: string, overrides: ModelOverrides = {}): Promise<Record<string, unknown>> {
  const endpoint = await scripted({ content: 'So.' });
  const host = new URL(baseURL).origin;
  const reroute = (address: string | URL | Request, options?: RequestInit) =>
    fetch(String(address).replace(host, new URL(endpoint.url).origin), options);
  await openModel(baseURL, { fetch: reroute, ...overrides }).ask(HELLO, never(), RUN);
  expect(endpoint.violations).toEqual([]);
  const { model, messages, tools, stream, stream_options, ...parameters } = endpoint.requests[0]?.body ?? {};
  return parameters;
}

describe('optional parameters', () => {
  it('are not sent unless they are set (S165)', async () => {
    expect(await parametersAt('http://models.example/v1')).toEqual({});
    expect(await parametersAt('https://api.openai.com/v1')).toEqual({ prompt_cache_key: RUN });
  });

  it.each([
    ['https://api.openai.com/v1', 'max_completion_tokens'],
    ['https://shop.openai.azure.com/v1', 'max_completion_tokens'],
    ['https://openai.com.example/v1', 'max_tokens'],
    ['http://models.example/v1', 'max_tokens'],
  ])('that are set are sent to %s with %s (S165)', async (url, limitName) => {
    expect(await parametersAt(url, { parameters: ALL })).toMatchObject({
      [limitName]: 4_000,
      reasoning_effort: 'low',
      temperature: 0,
    });
  });

  it('are sent without those that the endpoint refuses by name, then and later (S165)', async () => {
    const endpoint = await scripted({ content: 'a' }, { content: 'b' });
    endpoint.setRules({ refusedParameters: ['temperature', 'stream_options'] });
    const lines: unknown[] = [];
    const log = { debug: () => undefined, warn: (fields: object) => void lines.push(fields) };
    const model = openModel(endpoint.url, { log, parameters: ALL });
    await model.ask(HELLO, never(), RUN);
    await model.ask(HELLO, never(), RUN);
    const [first, second, third, fourth, ...more] = endpoint.requests.map(({ body }) => body);
    expect(more).toEqual([]);
    expect([first, second].every((body) => body?.['stream_options'] !== undefined)).toBe(true);
    for (const body of [third, fourth]) {
      expect(body).toMatchObject({ max_tokens: 4_000, reasoning_effort: 'low', stream: true });
      expect(body).not.toHaveProperty('temperature');
      expect(body).not.toHaveProperty('stream_options');
    }
    expect(lines).toMatchObject([{ parameter: 'temperature' }, { parameter: 'stream_options' }]);
  });

  it.each(['max_tokens', 'max_completion_tokens'])('%s has another name where it is refused (S165)', async (name) => {
    const endpoint = await scripted({ content: 'a' });
    endpoint.setRules({ refusedParameters: [name] });
    await openModel(endpoint.url, { parameters: { maxOutputTokens: 9 } }).ask(HELLO, never(), RUN);
    const other = name === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    expect(endpoint.requests.at(-1)?.body).toMatchObject({ [other]: 9 });
    expect(endpoint.requests.at(-1)?.body).not.toHaveProperty(name);
  });

  it('the limit of the answer stays where the conversation is too long, though the endpoint names it (S165, S169)', async () => {
    const message =
      "'max_tokens' is too large: 8000. This model's maximum context length is 32768 tokens and your request has 28000 input tokens.";
    const refusal = { fault: 'status', status: 400, body: { error: { message } } } as const;
    const endpoint = await scripted(refusal, { content: 'So.' });
    const model = openModel(endpoint.url, { parameters: { maxOutputTokens: 8_000 } });
    const failure = await failureOf(model.ask(HELLO, never(), RUN));
    expect(failure).toMatchObject({ report: { failure: 'too-long' } });
    await model.ask(HELLO, never(), RUN);
    expect(endpoint.requests.map(({ body }) => body['max_tokens'])).toEqual([8_000, 8_000]);
  });

  it('an endpoint that refuses streaming is asked without it (S163, S165)', async () => {
    const endpoint = await scripted({ content: 'plain' });
    endpoint.setRules({ refusedParameters: ['stream'] });
    expect((await openModel(endpoint.url).ask(HELLO, never(), RUN)).content).toBe('plain');
    expect(endpoint.violations).toEqual([]);
  });

  it('R50: tools beside reasoning are asked for again without reasoning, and the operator is told once', async () => {
    const endpoint = await scripted({ content: 'a' }, { content: 'b' });
    endpoint.setRules({ noToolsBesideReasoning: true });
    const lines: unknown[] = [];
    const log = { debug: () => undefined, warn: (_: object, text: string) => void lines.push(text) };
    const model = openModel(endpoint.url, { log });
    await model.ask(HELLO, never(), RUN);
    await model.ask(HELLO, never(), 'another-run');
    expect(endpoint.requests.map(({ body }) => body['reasoning_effort'])).toEqual([undefined, 'none', 'none']);
    expect(lines).toEqual([expect.stringMatching(/the model no longer thinks: set OPENAI_API to responses/)]);
  });

  it('R50: a model that knows no effort `none` is asked without one, and then its refusal stands', async () => {
    const besideTools =
      'Function tools with reasoning_effort are not supported for m. Please use /v1/responses instead.';
    const unknown = "Unsupported value: 'reasoning_effort' does not support 'none' with this model.";
    const refuse = (message: string) =>
      ({ fault: 'status', status: 400, body: { error: { message, param: 'reasoning_effort' } } }) as const;
    const endpoint = await scripted(refuse(besideTools), refuse(unknown), refuse(besideTools));
    const model = openModel(endpoint.url, { parameters: { reasoningEffort: 'low' } });
    const { report } = await failureOf(model.ask(HELLO, never(), RUN));
    expect(report?.said).toContain('Function tools');
    expect(endpoint.requests.map(({ body }) => body['reasoning_effort'])).toEqual(['low', 'none', undefined]);
  });

  it('a question forbids calls, and its tools stay in the request (S111)', async () => {
    const endpoint = await scripted({ content: 'a' });
    await openModel(endpoint.url).answerQuestion(HELLO, never(), RUN, false);
    expect(endpoint.requests[0]?.body).toMatchObject({ tool_choice: 'none', tools: [{ type: 'function' }] });
  });

  it('a refusal that names nothing of the request is an error after one request (S165)', async () => {
    const message = "Unsupported parameter: 'top_k' is not supported.";
    const endpoint = await scripted({ fault: 'status', status: 400, body: { error: { message, param: 'top_k' } } });
    await failureOf(openModel(endpoint.url, { parameters: ALL }).ask(HELLO, never(), RUN));
    expect(endpoint.requests).toHaveLength(1);
  });
});

const NAMES = ['max_tokens', 'temperature', 'stream', 'stream_options', 'reasoning_content', 'tool_choice'];

describe('findRefusedName', () => {
  it.each<[string, number, unknown, string, string | null]>([
    ['the parameter of the error', 400, 'temperature', 'No.', 'temperature'],
    ['a quoted name', 400, null, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.", 'max_tokens'],
    ['a path', 422, null, 'body.stream_options: Extra inputs are not permitted', null],
    ['the end of a path', 400, 'messages[1].reasoning_content', 'Unknown parameter.', 'reasoning_content'],
    ['the whole name only', 400, null, 'Unknown field stream_options', 'stream_options'],
    ['a list of fields', 422, null, "extra fields not permitted: ('body', 'tool_choice')", 'tool_choice'],
    ['a limit', 400, null, 'max_tokens is too large: 1000000', 'max_tokens'],
    ['no member that is missing', 400, null, 'Missing `reasoning_content` field: invalid message', null],
    ['no name in another status', 500, 'temperature', 'Unsupported temperature', null],
    ['no ordinary word', 400, null, 'the stream of words is long', null],
  ])('finds %s (S165)', (_, status, param, message, name) => {
    expect(findRefusedName({ status, param, message }, NAMES)).toBe(name);
  });
});

describe('an endpoint that takes the roles in turns only', () => {
  const call = { id: 'callabcde', name: 'read_file', arguments: '{}' };
  const transcript: readonly TranscriptMessage[] = [
    { role: 'system', content: 'You are careful.' },
    ...HELLO,
    { role: 'assistant', content: null, toolCalls: [call] },
    { role: 'tool', toolCallId: call.id, content: 'const total = 1;' },
    { role: 'user', content: 'ana wrote: use bigint.' },
    { role: 'user', content: 'One response is left.' },
  ];

  it('R54: gets what a person says after results in the last result, then and later', async () => {
    const endpoint = await scripted({ content: 'a' }, { content: 'b' });
    endpoint.setRules({ alternatingRoles: true });
    const model = openModel(endpoint.url);
    await model.ask(transcript, never(), RUN);
    await model.ask(transcript, never(), RUN);
    expect(endpoint.violations).toEqual([]);
    const roles = endpoint.requests.map(({ messages }) => messages.map(({ role }) => role));
    const turns = ['system', 'user', 'assistant', 'tool'];
    expect(roles).toEqual([[...turns, 'user', 'user'], turns, turns]);
    expect(endpoint.requests.at(-1)?.messages.at(-1)?.content).toMatch(
      /^const total = 1;\n\n.*from the user.*\n\nana wrote: use bigint\.\n\n.*from the user.*\n\nOne response is left\.$/,
    );
  });

  it.each([
    "Unexpected role 'user' after role 'tool'",
    'After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).',
    'Conversation roles must alternate user/assistant/user/assistant/...',
  ])('R54: is known by “%s”, and its refusal of any other order is told once', async (message) => {
    const refusal = { fault: 'status', status: 400, body: { error: { message } } } as const;
    const endpoint = await scripted(refusal, { content: 'a' }, refusal);
    const model = openModel(endpoint.url);
    expect((await model.ask(transcript, never(), RUN)).content).toBe('a');
    const failure = await failureOf(model.ask(transcript, never(), RUN));
    expect([failure.kind, failure.message]).toEqual(['permanent', expect.stringContaining('chat template')]);
    expect(endpoint.requests).toHaveLength(3);
  });

  it('R54: any other endpoint gets its own turn for what a person says', async () => {
    const endpoint = await scripted({ content: 'a' });
    await openModel(endpoint.url).ask(transcript, never(), RUN);
    expect(endpoint.requests[0]?.messages.map(({ role }) => role).slice(-3)).toEqual(['tool', 'user', 'user']);
  });
});
