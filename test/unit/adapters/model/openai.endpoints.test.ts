import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { TranscriptMessage } from '../../../../src/core/state/conversation.ts';
import { failureOf, HELLO, type ModelOverrides, never, openModel, RUN, raw } from './open-model.ts';

/** The answers and demands of an endpoint, in the shape that its documentation gives; see docs/models.md. */
const Fixture = z.strictObject({
  baseURL: z.string(),
  /** Its name for the limit of output tokens. */
  limit: z.enum(['max_tokens', 'max_completion_tokens']),
  cacheKey: z.boolean(),
  /** Keep-alive comments before the first chunk. */
  comments: z.array(z.string()),
  chunks: z.array(z.record(z.string(), z.unknown())),
  response: z.record(z.string(), z.unknown()),
  /** The assistant message of the next request. */
  sentBack: z.record(z.string(), z.unknown()),
  errors: z.array(z.strictObject({ status: z.number(), body: z.unknown(), failure: z.string() })),
});

type Fixture = z.infer<typeof Fixture>;

const FOLDER = join(import.meta.dirname, '../../../fixtures/endpoints');

const FIXTURES: readonly (readonly [string, Fixture])[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((file) => [basename(file, '.json'), Fixture.parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')))]);

/** The adapter at this endpoint's address, played by a server on this machine; `sent` are the bodies it got. */
async function play({ baseURL }: Fixture, answer: (response: ServerResponse) => void, overrides: ModelOverrides = {}) {
  const server = await raw(answer);
  const sent: Record<string, unknown>[] = [];
  const reroute = (address: string | URL | Request, options?: RequestInit) => {
    expect(String(address)).toBe(`${baseURL}/chat/completions`);
    sent.push(JSON.parse(String(options?.body)));
    return fetch(`${server.url}/chat/completions`, options);
  };
  const model = openModel(baseURL, { fetch: reroute, ...overrides });
  return { model, sent };
}

function stream({ comments, chunks }: Fixture): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const comment of comments) response.write(`: ${comment}\n\n`);
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  };
}

describe.each(FIXTURES)('the endpoint %s', (_, fixture) => {
  it('streams an answer that arrives whole, and gets its own members back (S164, S167)', async () => {
    const { model, sent } = await play(fixture, stream(fixture));
    const { opaque, ...response } = await model.ask(HELLO, never(), RUN);
    expect(response).toEqual(fixture.response);
    const transcript: readonly TranscriptMessage[] = [
      ...HELLO,
      { role: 'assistant', ...response, ...(opaque === undefined ? {} : { opaque }) },
      ...response.toolCalls.map(({ id }) => ({ role: 'tool', toolCallId: id, content: 'done' }) as const),
    ];
    await model.ask(transcript, never(), RUN);
    const messages = sent.at(-1)?.['messages'];
    expect(Array.isArray(messages) && messages[1]).toEqual(fixture.sentBack);
  });

  it('gets the parameters that it takes (S165, S167)', async () => {
    const parameters = { maxOutputTokens: 500, reasoningEffort: 'low', temperature: 0.5 };
    const { model, sent } = await play(fixture, stream(fixture), { parameters });
    await model.ask(HELLO, never(), RUN);
    const { model: name, messages, tools, ...sentParameters } = sent[0] ?? {};
    expect(sentParameters).toEqual({
      ...{ stream: true, stream_options: { include_usage: true } },
      ...{ [fixture.limit]: 500, reasoning_effort: 'low', temperature: 0.5 },
      ...(fixture.cacheKey ? { prompt_cache_key: RUN } : {}),
    });
  });

  it.each(fixture.errors)('$status: $failure (S166, S167)', async ({ status, body, failure }) => {
    const { model, sent } = await play(fixture, (response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    const { report } = await failureOf(model.ask(HELLO, never(), RUN));
    expect([report?.failure, report?.status]).toEqual([failure, status]);
    expect(report?.said).toMatch(/\w{3}/);
    expect(report?.said).not.toContain('no body');
    expect(sent).toHaveLength(1);
  });
});
