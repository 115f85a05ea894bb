import { describe, expect, it } from 'vitest';
import type { ModelResponse, TranscriptMessage } from '../../../../src/core/state/conversation.ts';
import { HELLO, never, openModel, RUN, raw } from './open-model.ts';

const SIGNATURE = { google: { thought_signature: 'c2lnbmVk' } };

const CALL = { type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } };

const chunk = (delta: unknown, end: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`;

const streamed = (...deltas: readonly unknown[]) =>
  raw((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${deltas.map((delta) => chunk(delta)).join('')}${chunk({}, 'tool_calls')}data: [DONE]\n\n`);
  });

const plain = (calls: readonly unknown[]) =>
  raw((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { content: null, tool_calls: calls } }] }));
  });

function ask({ url }: { readonly url: string }): Promise<ModelResponse> {
  return openModel(url).ask(HELLO, never(), RUN);
}

describe('calls without an id, as vLLM and llama.cpp send them in some modes (S167)', () => {
  it.each([
    ['streamed in pieces', () => streamed(begin(0), end(0, '"a"}'), begin(1), end(1, '"b"}'))],
    ['streamed whole, without an index', () => streamed({ tool_calls: [CALL] }, { tool_calls: [other()] })],
    [
      'as plain JSON, with null and blank ids',
      () =>
        plain([
          { ...CALL, id: null },
          { ...other(), id: '' },
        ]),
    ],
  ])('get ids of their own: %s', async (_, serve) => {
    const { toolCalls } = await ask(await serve());
    expect(toolCalls.map((call) => JSON.parse(call.arguments))).toEqual([{ path: 'a' }, { path: 'b' }]);
    const ids = toolCalls.map(({ id }) => id);
    // Mistral’s templates take no other ids.
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(new Set(ids).size).toBe(2);
  });

  it('get another one in each response, because a conversation holds them all', async () => {
    const endpoint = await plain([CALL]);
    const [first, second] = [await ask(endpoint), await ask(endpoint)];
    expect(first.toolCalls[0]?.id).not.toBe(second.toolCalls[0]?.id);
  });

  it('go back under the same id as their result, with their own members; other ids stay (S164)', async () => {
    const bodies: Record<string, unknown>[] = [];
    const endpoint = await plain([
      { ...CALL, extra_content: SIGNATURE },
      { ...other(), id: 'theirs' },
    ]);
    const model = openModel(endpoint.url, {
      fetch: (address, options) => {
        bodies.push(JSON.parse(String(options?.body)));
        return fetch(address, options);
      },
    });
    const { opaque, ...response } = await model.ask(HELLO, never(), RUN);
    const [made] = response.toolCalls;
    const transcript: readonly TranscriptMessage[] = [
      ...HELLO,
      { role: 'assistant', ...response, ...(opaque === undefined ? {} : { opaque }) },
      ...response.toolCalls.map(({ id }) => ({ role: 'tool', toolCallId: id, content: 'done' }) as const),
    ];
    await model.ask(transcript, never(), RUN);
    expect(bodies[1]?.['messages']).toMatchObject([
      HELLO[0],
      { tool_calls: [{ ...CALL, id: made?.id, extra_content: SIGNATURE }, { id: 'theirs' }] },
      { role: 'tool', tool_call_id: made?.id },
      { role: 'tool', tool_call_id: 'theirs' },
    ]);
  });
});

function other() {
  return { type: 'function', function: { name: 'read_file', arguments: '{"path":"b"}' } };
}

function begin(index: number) {
  return { tool_calls: [{ index, type: 'function', function: { name: 'read_file', arguments: '{"path":' } }] };
}

function end(index: number, text: string) {
  return { tool_calls: [{ index, id: '', function: { arguments: text } }] };
}
