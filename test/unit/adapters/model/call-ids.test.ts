import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withCallIds } from '../../../../src/adapters/model/call-ids.ts';
import { mergeChunks } from '../../../../src/adapters/model/read-response.ts';
import { parseResponse } from '../../../../src/adapters/model/wire-format.ts';
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

/** A streamed piece of the call under the first index. */
function piece(text: string, name?: string) {
  return { tool_calls: [{ index: 0, function: { ...(name === undefined ? {} : { name }), arguments: text } }] };
}

describe('streamed calls without ids under one index (S167)', () => {
  it.each<[string, readonly unknown[], readonly (readonly [string, string])[]]>([
    [
      'whole, of one tool',
      [piece('{"path":"a"}', 'read_file'), piece('{"path":"b"}', 'read_file')],
      [
        ['read_file', '{"path":"a"}'],
        ['read_file', '{"path":"b"}'],
      ],
    ],
    [
      'in pieces, whose name comes first',
      [piece('', 'outline'), piece('{"path":'), piece('"{}"}'), piece('', 'outline'), piece('{"pa'), piece('th":"b"}')],
      [
        ['outline', '{"path":"{}"}'],
        ['outline', '{"path":"b"}'],
      ],
    ],
    [
      'of several tools, the last without arguments',
      [piece('{"a":["\\\\"]}', 'search'), piece('{}', 'list_files'), piece('', 'read_discussion')],
      [
        ['search', '{"a":["\\\\"]}'],
        ['list_files', '{}'],
        ['read_discussion', ''],
      ],
    ],
  ])('are told apart: %s', async (_, deltas, calls) => {
    const { toolCalls } = await ask(await streamed(...deltas));
    expect(toolCalls.map((call) => [call.name, call.arguments])).toEqual(calls);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(calls.length);
  });

  it('are one call as long as its JSON goes on, with a repeated name and blanks at its end', async () => {
    const texts = ['{"path": "}{', '"', ', "a": {}', '}', ' ', ''];
    const { toolCalls } = await ask(await streamed(...texts.map((text) => piece(text, 'read_file'))));
    expect(toolCalls.map((call) => call.arguments)).toEqual(['{"path": "}{", "a": {}} ']);
  });

  it('are one call where an id says so', async () => {
    const whole = { index: 0, id: 'one', function: { name: 'read_file', arguments: '{}' } };
    const { toolCalls } = await ask(await streamed({ tool_calls: [whole] }, piece('{}'), { tool_calls: [whole] }));
    expect(toolCalls).toEqual([{ id: 'one', name: 'read_file', arguments: '{}{}{}' }]);
  });

  it('never divide or join calls that are streamed under indexes of their own, wherever they are cut', async () => {
    const call = fc.record({
      name: fc.constantFrom('read_file', 'search'),
      text: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }).map((value) => JSON.stringify(value)),
      cuts: fc.array(fc.nat({ max: 60 }), { maxLength: 4 }),
      repeatsName: fc.boolean(),
      isNamedFirst: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 4 }), async (calls) => {
        const deltas = calls.flatMap(({ name, text, cuts, repeatsName, isNamedFirst }, index) => {
          const places = [0, ...cuts.toSorted((one, next) => one - next), text.length];
          const texts = places.slice(1).map((end, at) => text.slice(places[at], end));
          return [...(isNamedFirst ? [''] : []), ...texts].map((part, at) => {
            return { index, function: { ...(at === 0 || repeatsName ? { name } : {}), arguments: part } };
          });
        });
        const chunks = deltas.map((one) => ({ choices: [{ delta: { tool_calls: [one] } }] }));
        const completion = await mergeChunks([...chunks, { choices: [{ delta: {}, finish_reason: 'tool_calls' }] }]);
        expect(parseResponse(withCallIds(completion))?.toolCalls).toMatchObject(
          calls.map(({ name, text }) => ({ name, arguments: text })),
        );
      }),
    );
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
