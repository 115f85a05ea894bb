import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../../fakes/model/stream.ts';
import { failureOf, HELLO, never, openModel, RUN, raw, scripted } from './open-model.ts';

const TURN = {
  content: 'Größe: 12 € 👩‍👩‍👧 – “done”',
  calls: [
    { id: 'one', name: 'read_file', arguments: { path: 'src/straße.ts' } },
    { id: 'two', name: 'read_file', arguments: '{"path": "b"' },
  ],
  usage: { promptTokens: 100, completionTokens: 7, cachedTokens: 64 },
};

const REPLY = {
  content: TURN.content,
  toolCalls: [
    { id: 'one', name: 'read_file', arguments: '{"path":"src/straße.ts"}' },
    { id: 'two', name: 'read_file', arguments: '{"path": "b"' },
  ],
  finishReason: 'tool_calls',
  usage: { inputTokens: 100, cachedInputTokens: 64, outputTokens: 7 },
};

describe('a streamed answer', () => {
  it.each<[string, Delivery]>([
    ['one event at a time', {}],
    ['one byte at a time', { bytes: 'one' }],
    ['in pieces that split characters and lines', { bytes: 'three', newline: '\r\n' }],
    ['with keep-alive comments and CRLF', { comments: true, newline: '\r\n' }],
    ['with bare carriage returns', { newline: '\r' }],
    ['without [DONE]', { omitDone: true }],
    ['as plain JSON, because the endpoint ignores `stream`', { plain: true }],
  ])('arrives whole, sent %s (S163)', async (_, delivery) => {
    const endpoint = await scripted({ ...TURN, delivery });
    expect(await openModel(endpoint.url).ask(HELLO, never(), RUN)).toEqual(REPLY);
    expect(endpoint.violations).toEqual([]);
    expect(endpoint.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it.each([0, 1, 3])('that is cut after %i events is a transient error (S163, S166)', async (cutAfter) => {
    const endpoint = await scripted({ ...TURN, delivery: { cutAfter } });
    const failure = await failureOf(openModel(endpoint.url).ask(HELLO, never(), RUN));
    expect(failure.kind).toBe('transient');
    expect(failure.report?.failure).toBe(cutAfter === 0 ? 'unreadable-answer' : 'cut-off');
  });

  it('that falls silent is a transient error long before the whole bound (S163)', async () => {
    const endpoint = await scripted({ ...TURN, delivery: { stallAfter: 3 } });
    const model = openModel(endpoint.url, { limits: { timeoutMs: 60_000, idleTimeoutMs: 150 } });
    const failure = await failureOf(model.ask(HELLO, never(), RUN));
    expect([failure.kind, failure.report?.failure]).toEqual(['transient', 'stalled']);
    expect(failure.message).toBe('The model endpoint fell silent in the middle of its answer.');
  });

  it('counts the tokens of an endpoint that counts in every chunk once (S163)', async () => {
    const chunk = (content: string, tokens: number, end: string | null) =>
      `data: ${JSON.stringify({
        choices: [{ index: 0, delta: { content }, finish_reason: end }],
        usage: { prompt_tokens: 10, completion_tokens: tokens },
      })}\n\n`;
    const endpoint = await raw((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${chunk('a', 1, null)}${chunk('b', 2, 'stop')}data: [DONE]\n\n`);
    });
    expect(await openModel(endpoint.url).ask(HELLO, never(), RUN)).toMatchObject({
      content: 'ab',
      usage: { inputTokens: 10, outputTokens: 2 },
    });
  });

  it('stops at once with the process (S51)', async () => {
    const endpoint = await scripted({ ...TURN, delivery: { stallAfter: 3 } });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    const failure = await failureOf(openModel(endpoint.url).ask(HELLO, stop.signal, RUN));
    expect(failure.message).toBe('The request to the model was stopped.');
  });

  it('of 300 MB is a permanent error after 16 MB (X19)', async () => {
    const chunk = Buffer.from(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(1024 * 1024) } }] })}\n\n`,
    );
    let megabytes = 0;
    const endpoint = await raw((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const pour = (): void => {
        if (response.destroyed || megabytes === 300) return;
        megabytes += 1;
        response.write(chunk, pour);
      };
      pour();
    });
    const model = openModel(endpoint.url, { limits: { timeoutMs: 20_000 } });
    const failure = await failureOf(model.ask(HELLO, never(), RUN));
    expect([failure.kind, failure.message]).toEqual(['permanent', 'The model endpoint answered with more than 16 MB.']);
    expect(megabytes).toBeLessThan(40);
  });
});
