import { describe, expect, it } from 'vitest';
import { parseCompletion } from '../../../../src/adapters/model/chat-wire.ts';
import { findContextSize } from '../../../../src/adapters/model/context-size.ts';
import { readUsage } from '../../../../src/adapters/model/read-answer.ts';
import { failureOf, HELLO, KEY, never, openModel, RUN, raw, scripted } from './open-model.ts';

describe('the size of a model’s context (S169)', () => {
  it.each([
    ['vLLM', { id: 'm', max_model_len: 32_768 }, 32_768],
    [
      'OpenRouter, whose provider reads less',
      { id: 'm', context_length: 200_000, top_provider: { context_length: 65_536 } },
      65_536,
    ],
    ['llama.cpp', { id: 'm', meta: { n_ctx_train: 131_072 } }, 131_072],
    ['Gemini’s names', { id: 'models/m', max_input_tokens: '8192' }, 8_192],
    ['another model', { id: 'other', max_model_len: 32_768 }, null],
    ['a model without a size', { id: 'm' }, null],
    ['sizes that make no sense', { id: 'm', max_model_len: -1, context_length: 'x', context_window: 5 }, null],
  ])('is read from the list of models: %s (S169)', (_, entry, size) => {
    expect(findContextSize({ data: [null, 7, entry] }, 'm')).toBe(size);
    expect(findContextSize([entry], 'm')).toBeNull();
  });

  it('leaves room for the answer, and what the operator says goes first (S169)', async () => {
    const list = await raw((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data: [{ id: 'test-model', max_model_len: 40_000 }] }));
    });
    const model = openModel(list.url);
    expect(await model.maxRequestTokens(never())).toBe(30_000);
    expect(await model.maxRequestTokens(never())).toBe(30_000);
    expect(list.count()).toBe(1);
    const told = openModel(list.url, { contextTokens: 10_000, parameters: { maxOutputTokens: 2_000 } });
    expect(await told.maxRequestTokens(never())).toBe(8_000);
    const greedy = openModel(list.url, { contextTokens: 10_000, parameters: { maxOutputTokens: 1_000_000 } });
    expect(await greedy.maxRequestTokens(never())).toBe(5_000);
    expect(list.count()).toBe(1);
  });

  it('stays unknown if the endpoint does not say, and is not asked for again at once (S169)', async () => {
    const endpoint = await raw((response) => response.writeHead(500).end('<h1>no</h1>'));
    const model = openModel(endpoint.url);
    expect(await model.maxRequestTokens(never())).toBeNull();
    expect(await model.maxRequestTokens(never())).toBeNull();
    expect(endpoint.count()).toBe(1);
  });
});

describe('the count of tokens (S171)', () => {
  it.each<[string, unknown, ReturnType<typeof readUsage>]>([
    ['none', undefined, null],
    ['null', null, null],
    ['a text', 'many', null],
    ['negative', { prompt_tokens: -5, completion_tokens: -1 }, null],
    ['huge', { prompt_tokens: 1e300, completion_tokens: 2 ** 60 }, null],
    ['no numbers', { prompt_tokens: Number.NaN, completion_tokens: Number.POSITIVE_INFINITY }, null],
    [
      'fractions',
      { prompt_tokens: 1.5, completion_tokens: 3 },
      { inputTokens: 0, cachedInputTokens: 0, outputTokens: 3 },
    ],
    [
      'digits',
      { prompt_tokens: '120', completion_tokens: '7' },
      { inputTokens: 120, cachedInputTokens: 0, outputTokens: 7 },
    ],
    [
      'more cached than read',
      { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 999 } },
      { inputTokens: 10, cachedInputTokens: 10, outputTokens: 1 },
    ],
  ])('%s', (_, counted, usage) => {
    expect(readUsage(counted)).toEqual(usage);
    const choices = [{ message: { content: 'x' }, finish_reason: 'stop' }];
    const none = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
    expect(parseCompletion({ choices, usage: counted }).usage).toEqual(usage ?? none);
  });

  it('is known of an answer that breaks off or cannot be read (S171)', async () => {
    const chunk = {
      choices: [{ index: 0, delta: { content: 'a' } }],
      usage: { prompt_tokens: 9, completion_tokens: 1 },
    };
    const cut = await raw((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(chunk)}\n\n`);
    });
    const usage = { inputTokens: 9, cachedInputTokens: 0, outputTokens: 1 };
    expect(await failureOf(openModel(cut.url).ask(HELLO, never(), RUN))).toMatchObject({ kind: 'transient', usage });
    const broken = await raw((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [], usage: chunk.usage }));
    });
    expect(await failureOf(openModel(broken.url).ask(HELLO, never(), RUN))).toMatchObject({ usage });
    const refused = await scripted({ fault: 'status', status: 500 });
    const failure = await failureOf(openModel(refused.url).ask(HELLO, never(), RUN));
    expect(failure.usage).toBeNull();
    expect(JSON.stringify(failure)).not.toContain(KEY);
  });
});
