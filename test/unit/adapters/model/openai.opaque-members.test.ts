import { describe, expect, it } from 'vitest';
import type { ScriptedTurn } from '../../../../fakes/model/script.ts';
import type { ScriptedModel } from '../../../../fakes/model/scripted-model.ts';
import { afterwards, HELLO, type ModelOverrides, never, openModel, RUN, raw, scripted } from './open-model.ts';

const SIGNATURE = { google: { thought_signature: 'c2lnbmVk' } };

const TURN: ScriptedTurn = {
  content: 'Let me look.',
  members: {
    reasoning_content: 'The user wants bigint. First I read the file, then I propose.',
    reasoning_details: [{ index: 0, type: 'reasoning.text', format: 'v1', text: 'Hm.', signature: 'xyz' }],
    audio: null,
  },
  calls: [{ id: 'one', name: 'read_file', arguments: { path: 'x' }, members: { extra_content: SIGNATURE } }],
};

/** Asks twice, the second time with other settings; returns the second request's assistant message. */
async function sentBack(endpoint: ScriptedModel, overrides: ModelOverrides = {}): Promise<unknown> {
  const response = await openModel(endpoint.url).ask(HELLO, never(), RUN);
  endpoint.script({ content: 'Done.' });
  await openModel(endpoint.url, overrides).ask(afterwards(response), never(), RUN);
  const messages = endpoint.requests.at(-1)?.body['messages'];
  return Array.isArray(messages) ? messages[1] : undefined;
}

const CALL = { id: 'one', type: 'function', function: { name: 'read_file', arguments: '{"path":"x"}' } };

describe('opaque members of a response', () => {
  it.each([false, true])('go back to the model as they came, plain or streamed (S164)', async (plain) => {
    const endpoint = await scripted({ ...TURN, delivery: { plain } });
    expect(await sentBack(endpoint)).toEqual({
      role: 'assistant',
      content: 'Let me look.',
      reasoning_content: TURN.members?.['reasoning_content'],
      reasoning_details: TURN.members?.['reasoning_details'],
      tool_calls: [{ ...CALL, extra_content: SIGNATURE }],
    });
    expect(endpoint.violations).toEqual([]);
  });

  it('do not go to the same model at another endpoint (S164)', async () => {
    const [first, second] = [await scripted(TURN), await scripted({ content: 'Done.' })];
    const response = await openModel(first.url).ask(HELLO, never(), RUN);
    await openModel(second.url).ask(afterwards(response), never(), RUN);
    expect(second.violations).toEqual([]);
    expect(JSON.stringify(second.requests)).not.toMatch(/reasoning|c2lnbmVk/);
  });

  it('name their model and endpoint, without credentials in the address (S164)', async () => {
    const endpoint = await scripted(TURN);
    const url = endpoint.url.replace('http://', 'http://user:pass@');
    const fetchPlain = (address: string | URL | Request, options?: RequestInit) =>
      fetch(String(address).replace('user:pass@', ''), options);
    const { opaque } = await openModel(url, { fetch: fetchPlain }).ask(HELLO, never(), RUN);
    expect(opaque).toMatchObject({ model: 'test-model', endpoint: endpoint.url });
  });

  it('are left out from then on if the endpoint refuses to get them back (S164, S165)', async () => {
    const bodies: string[] = [];
    const endpoint = await scripted(TURN);
    const response = await openModel(endpoint.url).ask(HELLO, never(), RUN);
    const sent = (address: string | URL | Request, options?: RequestInit) => {
      const body = String(options?.body);
      bodies.push(body);
      if (!body.includes('reasoning_details')) return fetch(address, options);
      const message = "messages.1: unknown field 'reasoning_details'";
      return Promise.resolve(Response.json({ error: { message } }, { status: 400 }));
    };
    const model = openModel(endpoint.url, { fetch: sent });
    endpoint.script({ content: 'a' }, { content: 'b' });
    await model.ask(afterwards(response), never(), RUN);
    await model.ask(afterwards(response), never(), RUN);
    expect(bodies.map((body) => body.includes('reasoning_details'))).toEqual([true, false, false]);
    expect(bodies.every((body) => body.includes('reasoning_content'))).toBe(true);
  });

  it('are dropped with a line in the log if they are too large (S164)', async () => {
    const lines: unknown[] = [];
    const log = {
      debug: () => undefined,
      warn: (fields: object, text: string) => void lines.push({ ...fields, text }),
    };
    const members = { thoughts: 'x'.repeat(256 * 1024) };
    const endpoint = await scripted({ content: 'So.', members, delivery: { plain: true } });
    const response = await openModel(endpoint.url, { log }).ask(HELLO, never(), RUN);
    expect([response.content, response.opaque]).toEqual(['So.', undefined]);
    expect(lines).toMatchObject([
      { bytes: expect.any(Number), text: 'model sent too many unknown members; they are dropped' },
    ]);
    expect(JSON.stringify(lines)).not.toContain('xxx');
  });

  it('a member named __proto__ changes nothing (S164)', async () => {
    const endpoint = await raw((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"choices":[{"message":{"content":"x","__proto__":{"polluted":true}}}]}');
    });
    const { opaque } = await openModel(endpoint.url).ask(HELLO, never(), RUN);
    expect(Object.keys(opaque?.message ?? {})).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('the name of a called tool', () => {
  it.each([
    ['functions.read_file', 'read_file'],
    ['READ_FILE', 'read_file'],
    ['run shell!', 'run_shell_'],
    ['', 'unnamed'],
    ['x'.repeat(80), 'x'.repeat(64)],
  ])('%j goes back as %j, because strict endpoints refuse a history with other names (S151)', async (name, sent) => {
    const endpoint = await scripted({ content: 'Done.' });
    const call = { id: 'one', name, arguments: '{}' };
    const transcript = afterwards({ content: null, toolCalls: [call], finishReason: 'tool_calls', usage: USAGE });
    await openModel(endpoint.url).ask(transcript, never(), RUN);
    expect(endpoint.violations).toEqual([]);
    expect(endpoint.requests[0]?.messages[1]?.calls[0]?.name).toBe(sent);
  });
});

describe('broken arguments', () => {
  it.each([
    ['cut', `{"path": "x", "text": "${'y'.repeat(500)}`],
    ['a list', '["x"]'],
    ['blank', ' '],
  ])('that are %s go back as a JSON object of at most 200 characters of them (S151)', async (_, text) => {
    const endpoint = await scripted({ content: 'Done.' });
    const call = { id: 'one', name: 'read_file', arguments: text };
    const transcript = afterwards({ content: null, toolCalls: [call], finishReason: 'length', usage: USAGE });
    await openModel(endpoint.url).ask(transcript, never(), RUN);
    expect(endpoint.violations).toEqual([]);
    const sent = endpoint.requests[0]?.messages[1]?.calls[0]?.arguments;
    expect(JSON.parse(sent ?? '')).toEqual(text.trim() === '' ? {} : { _malformed: text.slice(0, 200) });
  });

  it('are in the log at debug, and nowhere above (S151)', async () => {
    const [debug, warn]: [object[], object[]] = [[], []];
    const log = {
      debug: (fields: object, text: string) => void debug.push({ ...fields, text }),
      warn: (fields: object) => void warn.push(fields),
    };
    const call = { name: 'read_file', arguments: '{"path": "x' };
    const endpoint = await scripted({ calls: [call], finishReason: 'length' });
    const response = await openModel(endpoint.url, { log }).ask(HELLO, never(), RUN);
    expect(response).toMatchObject({ finishReason: 'length', toolCalls: [call] });
    expect(debug).toEqual([
      {
        tool: 'read_file',
        finishReason: 'length',
        length: 11,
        arguments: '{"path": "x',
        text: 'model sent broken arguments',
      },
    ]);
    expect(warn).toEqual([]);
  });
});

const USAGE = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
