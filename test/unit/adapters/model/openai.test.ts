import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { TranscriptMessage } from '../../../../src/core/state/conversation.ts';
import type { ModelError } from '../../../../src/core/step/model-port.ts';
import { failureOf, HELLO, KEY, NOW, never, openModel, RUN, raw, scripted } from './open-model.ts';

const TRANSCRIPT: readonly TranscriptMessage[] = [
  { role: 'system', content: 'You are careful.' },
  { role: 'user', content: 'Use bigint.' },
  {
    role: 'assistant',
    content: null,
    toolCalls: [
      { id: 'a', name: 'read_file', arguments: '{"path":"x"}' },
      { id: 'b', name: 'read_file', arguments: '{"path":"y"}' },
    ],
  },
  { role: 'tool', toolCallId: 'a', content: 'one' },
  { role: 'tool', toolCallId: 'b', content: 'two' },
  { role: 'assistant', content: 'Done.', toolCalls: [] },
  { role: 'user', content: 'Go on.' },
];

function ask(url: string) {
  return openModel(url).ask(TRANSCRIPT, never(), RUN);
}

function fault(url: string, signal = never(), timeoutMs = 2000): Promise<ModelError> {
  return failureOf(openModel(url, { limits: { timeoutMs } }).ask(TRANSCRIPT, signal, RUN));
}

function json(body: unknown): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

describe('requests', () => {
  it('sends a transcript that the endpoint accepts, and the tools', async () => {
    const endpoint = await scripted({ content: 'Fine.' });
    const reply = await ask(endpoint.url);
    expect(endpoint.violations).toEqual([]);
    expect(reply.content).toBe('Fine.');
    const [request] = endpoint.requests;
    expect(request?.model).toBe('test-model');
    expect(request?.tools.map(({ name }) => name)).toEqual(['read_file']);
    expect(request?.messages.map(({ role }) => role)).toEqual(TRANSCRIPT.map(({ role }) => role));
    expect(request?.headers['authorization']).toBe(`Bearer ${KEY}`);
    expect(Object.keys(request?.body ?? {}).sort()).toEqual(['messages', 'model', 'stream', 'stream_options', 'tools']);
  });

  it('sends no empty list of tools', async () => {
    const endpoint = await scripted({ content: 'Fine.' });
    await openModel(endpoint.url, { tools: [] }).ask(HELLO, never(), RUN);
    expect(endpoint.requests[0]?.body).not.toHaveProperty('tools');
  });
});

describe('responses', () => {
  it('uses a refusal as content', async () => {
    const endpoint = await scripted({ content: null, refusal: 'I will not.' });
    const reply = await ask(endpoint.url);
    expect(reply.content).toBe('I will not.');
  });
});

const SHAPELESS: readonly (readonly [string, unknown])[] = [
  ['no choices', { choices: [] }],
  ['no choice at all', {}],
  ['a null choice', { choices: [null] }],
  ['a content that is a number', { choices: [{ message: { content: 7 } }] }],
  ['calls that are no list', { choices: [{ message: { content: null, tool_calls: { one: {} } } }] }],
  ['JSON null', 'null'],
  ['half a JSON document', '{"choices": [{"mess'],
  ['an HTML page', '<html>maintenance</html>'],
  ['nothing', ''],
];

describe('errors of the endpoint (H10)', () => {
  it.each(SHAPELESS)('%s is a transient error', async (_, body) => {
    const endpoint = await raw(json(body));
    expect((await fault(endpoint.url)).kind).toBe('transient');
    expect(endpoint.count()).toBe(1);
  });

  it.each([408, 409, 429, 500, 502, 503, 529])(
    '%i is transient, and the request is sent once (M18)',
    async (status) => {
      const endpoint = await scripted({ fault: 'status', status, headers: { 'retry-after': '7' } });
      const failure = await fault(endpoint.url);
      expect(failure.kind).toBe('transient');
      expect(failure.retryAt).toBe(NOW + 7000);
      expect(endpoint.requests).toHaveLength(1);
    },
  );

  it('reads a retry-after in milliseconds, and one that is a date', async () => {
    const endpoint = await scripted(
      { fault: 'status', status: 429, headers: { 'retry-after-ms': '250', 'retry-after': '9' } },
      { fault: 'status', status: 503, headers: { 'retry-after': new Date(NOW + 60_000).toUTCString() } },
      { fault: 'status', status: 503 },
    );
    expect((await fault(endpoint.url)).retryAt).toBe(NOW + 250);
    expect((await fault(endpoint.url)).retryAt).toBe(NOW + 60_000);
    expect((await fault(endpoint.url)).retryAt).toBeNull();
  });

  it.each<[string, Readonly<Record<string, string>>, number | null]>([
    ['ten years', { 'retry-after': '315360000' }, NOW + 3_600_000],
    ['ten years in milliseconds', { 'retry-after-ms': '315360000000' }, NOW + 3_600_000],
    ['a date in 2036', { 'retry-after': 'Fri, 21 Nov 2036 12:00:00 GMT' }, NOW + 3_600_000],
    ['a date in the past', { 'retry-after': 'Sat, 21 Nov 2020 12:00:00 GMT' }, NOW],
    ['Infinity', { 'retry-after': 'Infinity' }, null],
    ['1e999 milliseconds, and 9 seconds', { 'retry-after-ms': '1e999', 'retry-after': '9' }, NOW + 9000],
    ['a fraction of a millisecond', { 'retry-after-ms': '0.5' }, NOW + 1],
    ['a fraction of a second', { 'retry-after': '0.0127' }, NOW + 13],
    ['words', { 'retry-after': 'soon' }, null],
  ])(
    'a retry-after of %s puts off the next request by whole milliseconds, one hour at most (M18)',
    async (_, headers, retryAt) => {
      const endpoint = await scripted({ fault: 'status', status: 429, headers });
      expect((await fault(endpoint.url)).retryAt).toBe(retryAt);
    },
  );

  it.each([400, 401, 402, 403, 404, 413, 422])(
    '%i is permanent, and its message contains no secret',
    async (status) => {
      const body = { error: { message: `Incorrect API key provided: ${KEY} or sk-can***789`, code: null } };
      const endpoint = await scripted({ fault: 'status', status, body });
      const failure = await fault(endpoint.url);
      expect(failure.kind).toBe('permanent');
      expect(failure.message).toMatch(/operator|too large/);
      expect(`${failure.message} ${String(failure.cause)}`).not.toMatch(/sk-|canary/);
      expect(String(failure.cause)).toContain('[key]');
    },
  );

  it('a hanging endpoint times out (M18)', async () => {
    const endpoint = await scripted({ fault: 'hang' });
    const failure = await fault(endpoint.url, undefined, 150);
    expect([failure.kind, failure.message]).toEqual(['transient', 'The model did not answer within 1 seconds.']);
  });

  it('a redirect to another host is a permanent error, and the conversation does not go there (X12)', async () => {
    const stranger = await raw(json({ choices: [{ message: { content: 'x' } }] }));
    const endpoint = await raw((response) => {
      response.writeHead(307, { location: `${stranger.url}/chat/completions` });
      response.end();
    });
    const error = await fault(endpoint.url);
    expect([error.kind, error.message]).toEqual([
      'permanent',
      'The model endpoint redirects to another address; the operator should check `OPENAI_BASE_URL`.',
    ]);
    expect(stranger.count()).toBe(0);
  });
});
