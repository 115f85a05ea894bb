import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ModelResponse } from '../../../../src/core/state/conversation.ts';
import { afterwards, failureOf, HELLO, never, openModel, RUN, raw } from './open-model.ts';

/** An answer in the form in which some endpoint sends it, and what becomes of it. */
const Case = z.strictObject({
  name: z.string(),
  /** One JSON object, and no stream. */
  plain: z.boolean().default(false),
  /** Whether the stream ends with `[DONE]`. */
  done: z.boolean().default(true),
  choices: z.array(z.record(z.string(), z.unknown())),
  answer: z.record(z.string(), z.unknown()).optional(),
  /** The assistant message of the next request. */
  sentBack: z.record(z.string(), z.unknown()).optional(),
  failure: z.string().optional(),
});

type Case = z.infer<typeof Case>;

const FILE = join(import.meta.dirname, '../../../fixtures/endpoints/answers/chat.json');

const CASES = z.array(Case).parse(JSON.parse(readFileSync(FILE, 'utf8')));

function send({ plain, done, choices }: Case): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, { 'content-type': plain ? 'application/json' : 'text/event-stream' });
    if (plain) return void response.end(JSON.stringify({ choices }));
    for (const choice of choices) response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
    response.end(done ? 'data: [DONE]\n\n' : '');
  };
}

/** Asks, and asks again with the answer in the transcript; returns the second request's assistant message. */
async function play(one: Case): Promise<{ readonly response: ModelResponse; readonly sentBack: unknown }> {
  const endpoint = await raw(send(one));
  const sent: unknown[] = [];
  const model = openModel(endpoint.url, {
    fetch: (address, options) => {
      sent.push(JSON.parse(String(options?.body)).messages[1]);
      return fetch(address, options);
    },
  });
  const response = await model.ask(HELLO, never(), RUN);
  await model.ask(afterwards(response), never(), RUN);
  return { response, sentBack: sent[1] };
}

describe('an answer of Chat Completions', () => {
  it.each(CASES.filter(({ answer }) => answer !== undefined))('$name', async (one) => {
    const { response, sentBack } = await play(one);
    expect(response).toMatchObject(one.answer ?? {});
    if (one.sentBack !== undefined) expect(sentBack).toEqual(one.sentBack);
  });

  it.each(CASES.filter(({ failure }) => failure !== undefined))('$name: $failure', async (one) => {
    const endpoint = await raw(send(one));
    const { report } = await failureOf(openModel(endpoint.url).ask(HELLO, never(), RUN));
    expect(report?.failure).toBe(one.failure);
  });

  it('R55: calls whose ids are unusable or repeated get ids of their own', async () => {
    const call = (id: unknown) => ({ id, type: 'function', function: { name: 'read_file', arguments: '{}' } });
    const calls = ['a', 'a', {}, 7, 'x'.repeat(40_000)].map(call);
    const choices = [{ message: { content: null, tool_calls: calls } }];
    const { response } = await play(Case.parse({ name: 'ids', plain: true, choices }));
    const [first, ...others] = response.toolCalls.map(({ id }) => id);
    expect(first).toBe('a');
    for (const id of others) expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(new Set(others).size).toBe(4);
  });
});
