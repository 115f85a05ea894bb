import OpenAI from 'openai';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { afterEach, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../../fakes/model/scripted-model.ts';

let model: ScriptedModel;

afterEach(() => model.close());

async function start(apiKey?: string): Promise<OpenAI> {
  model = await startScriptedModel(apiKey === undefined ? {} : { apiKey });
  return new OpenAI({ baseURL: model.url, apiKey: 'key', maxRetries: 0, timeout: 300 });
}

const question = {
  model: 'scripted',
  input: [{ role: 'user' as const, content: 'hello' }],
  store: false,
  include: ['reasoning.encrypted_content' as const],
};

const hello = { model: 'scripted', messages: [{ role: 'user' as const, content: 'hello' }] };

describe('the scripted model', () => {
  it('streams to a real client, whole however it is cut into pieces (S173)', async () => {
    const client = await start();
    const turn = { content: 'Größe “x” 👍', calls: [{ id: 'a', name: 'read_file', arguments: { path: 'ß' } }] };
    for (const bytes of ['one', 'three'] as const) {
      model.script({ ...turn, delivery: { bytes, newline: '\r\n', comments: true } });
      const stream = client.chat.completions.stream({ ...hello, stream_options: { include_usage: true } });
      const reply = await stream.finalChatCompletion();
      expect(reply.choices[0]?.message).toMatchObject({
        content: turn.content,
        tool_calls: [{ id: 'a', function: { name: 'read_file', arguments: '{"path":"ß"}' } }],
      });
      expect(reply.usage?.prompt_tokens).toBeGreaterThan(0);
    }
    expect(model.violations).toEqual([]);
  });

  it('stalls, cuts, errs in mid-stream and answers with a page (S173)', async () => {
    const client = await start();
    const chunksOf = async () => {
      const stream = await client.chat.completions.create(
        { ...hello, stream: true },
        { signal: AbortSignal.timeout(300) },
      );
      let count = 0;
      for await (const _ of stream) count += 1;
      return count;
    };
    model.script(
      { content: 'A long answer of the model.', delivery: { stallAfter: 2 } },
      { content: 'A long answer of the model.', delivery: { cutAfter: 2 } },
      { fault: 'stream-error', error: { message: 'Overloaded', code: 529 } },
      { fault: 'web-page' },
    );
    const begun = performance.now();
    expect(await chunksOf()).toBe(2);
    expect(performance.now() - begun).toBeGreaterThan(250);
    expect(await chunksOf()).toBe(2);
    await expect(chunksOf()).rejects.toThrow('Overloaded');
    const page = await client.chat.completions.create(hello).asResponse();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  it('refuses parameters by name, which is no violation (S173)', async () => {
    const client = await start();
    model.setRules({ refusedParameters: ['temperature'] });
    const hot = client.chat.completions.create({ ...hello, temperature: 1 });
    await expect(hot).rejects.toMatchObject({ status: 400, param: 'temperature' });
    expect(model.violations).toEqual([]);
  });

  it('demands the signatures of its calls back (S173)', async () => {
    const client = await start();
    model.setRules({ signatures: true });
    model.script({ calls: [{ id: 'a', name: 'read_file', arguments: {} }] }, { content: 'Fine.' });
    const message = (await client.chat.completions.create(hello)).choices[0]?.message;
    const call = message?.tool_calls?.[0];
    if (message === undefined || call?.type !== 'function') throw new Error('no call');
    const again = (assistant: typeof message) =>
      client.chat.completions.create({
        ...hello,
        messages: [...hello.messages, assistant, { role: 'tool', tool_call_id: 'a', content: 'x' }],
      });
    const { id, type, function: target } = call;
    await expect(again({ ...message, tool_calls: [{ id, type, function: target }] })).rejects.toThrow(
      'thought_signature',
    );
    expect(model.violations).toEqual(['the call of read_file is missing a thought_signature']);
    expect((await again(message)).choices[0]?.message.content).toBe('Fine.');
  });

  it('R50: streams through the Responses API to a real client, whole however it is cut into pieces', async () => {
    const client = await start();
    const turn = { content: 'Größe “x” 👍', calls: [{ id: 'a', name: 'read_file', arguments: { path: 'ß' } }] };
    for (const bytes of ['one', 'three'] as const) {
      model.script({ ...turn, delivery: { bytes, newline: '\r\n', comments: true } });
      const answer = await client.responses.stream(question).finalResponse();
      expect(answer.output_text).toBe(turn.content);
      expect(answer.output).toMatchObject([
        { type: 'reasoning', encrypted_content: expect.stringMatching(/^.{40,}$/) },
        { type: 'message' },
        { type: 'function_call', call_id: 'a', name: 'read_file', arguments: '{"path":"ß"}' },
      ]);
      expect(answer.usage?.input_tokens).toBeGreaterThan(0);
    }
    expect(model.requests.map(({ messages }) => messages[0])).toMatchObject([{ role: 'user' }, { role: 'user' }]);
    expect(model.violations).toEqual([]);
  });

  it('R50: refuses thoughts in the wrong places, as the Responses API does', async () => {
    const client = await start();
    model.script({ calls: [{ id: 'a', name: 'read_file', arguments: {} }] });
    const { output } = await client.responses.create(question);
    const [thought, call] = output;
    if (thought?.type !== 'reasoning' || call?.type !== 'function_call') throw new Error('no thought or no call');
    const result = { type: 'function_call_output' as const, call_id: 'a', output: 'x' };
    const send = (...items: readonly ResponseInputItem[]) =>
      client.responses.create({ ...question, input: [...question.input, ...items] });
    await expect(send(call, result)).rejects.toThrow("was provided without 'rs_1'");
    await expect(send(thought)).rejects.toThrow('without its required following item');
    const { encrypted_content, ...bare } = thought;
    await expect(send(bare, call, result)).rejects.toThrow('Items are not persisted');
    await expect(send({ ...thought, encrypted_content: 'other' }, call, result)).rejects.toThrow('be verified');
    await expect(send(thought, call)).rejects.toThrow('a had no tool message');
    await expect(client.responses.create({ ...question, store: true })).rejects.toThrow('store: must be false');
    expect(model.violations).toHaveLength(6);
    model.script({ content: 'Fine.' });
    expect((await send(thought, call, result)).output_text).toBe('Fine.');
  });

  it('reports an unknown URL and an empty script as violations', async () => {
    const client = await start();
    await expect(client.chat.completions.create(hello)).rejects.toMatchObject({ status: 400 });
    await expect(client.completions.create({ model: 'scripted', prompt: 'x' })).rejects.toMatchObject({ status: 404 });
    expect(model.violations).toEqual(['the script has no answer left', 'POST /completions: unknown URL']);
  });
});
