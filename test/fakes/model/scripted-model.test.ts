import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../../fakes/model/scripted-model.ts';

let model: ScriptedModel;

afterEach(() => model.close());

async function start(apiKey?: string): Promise<OpenAI> {
  model = await startScriptedModel(apiKey === undefined ? {} : { apiKey });
  return new OpenAI({ baseURL: model.url, apiKey: 'key', maxRetries: 0, timeout: 300 });
}

const hello = { model: 'scripted', messages: [{ role: 'user' as const, content: 'hello' }] };

describe('the scripted model', () => {
  it('plays turns in order to a real client, with calls, finish reason and usage', async () => {
    const client = await start();
    model.script({ content: 'Looking.', calls: [{ name: 'read_file', arguments: { path: 'a.ts' } }] }, (request) => ({
      content: `${request.messages.length} messages`,
      usage: { promptTokens: 90, cachedTokens: 64 },
    }));
    const tools = [{ type: 'function' as const, function: { name: 'read_file', parameters: { type: 'object' } } }];
    const first = await client.chat.completions.create({ ...hello, tools });
    const message = first.choices[0]?.message;
    const call = message?.tool_calls?.[0];
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    expect(call).toMatchObject({ type: 'function', function: { name: 'read_file', arguments: '{"path":"a.ts"}' } });
    if (message === undefined || call === undefined) throw new Error('no call');
    const answer = { role: 'tool' as const, tool_call_id: call.id, content: 'text' };
    const second = await client.chat.completions.create({ ...hello, messages: [...hello.messages, message, answer] });
    expect(second.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '3 messages' } });
    expect(second.usage).toMatchObject({ prompt_tokens: 90, prompt_tokens_details: { cached_tokens: 64 } });
    expect(model.requests.map((request) => request.tools.length)).toEqual([1, 0]);
    expect(model.violations).toEqual([]);
    expect(model.remaining()).toBe(0);
  });

  it('sends raw argument text unchanged', async () => {
    const client = await start();
    model.script({ calls: [{ id: 'mine', name: 'edit_file', arguments: '{"path": ' }] });
    const reply = await client.chat.completions.create(hello);
    expect(reply.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      id: 'mine',
      function: { arguments: '{"path": ' },
    });
  });

  it('lists its models and answers a wrong key 401', async () => {
    const client = await start('other');
    await expect(client.models.list()).rejects.toMatchObject({ status: 401 });
    const keyed = new OpenAI({ baseURL: model.url, apiKey: 'other' });
    expect((await keyed.models.list()).data.map((entry) => entry.id)).toEqual(['scripted']);
  });

  it('plays every fault', async () => {
    const client = await start();
    model.script(
      { fault: 'status', status: 429, headers: { 'retry-after': '7' } },
      { fault: 'invalid-body', body: '<html>' },
      { fault: 'empty-choices' },
      { fault: 'reset' },
      { fault: 'hang' },
    );
    const ask = () => client.chat.completions.create(hello);
    await expect(ask()).rejects.toMatchObject({ status: 429 });
    await expect(ask()).rejects.toThrow();
    expect((await ask()).choices).toEqual([]);
    await expect(ask()).rejects.toThrow('Connection error');
    await expect(ask()).rejects.toThrow('timed out');
    expect(model.violations).toEqual([]);
  });

  it('reports an unknown URL and an empty script as violations', async () => {
    const client = await start();
    await expect(client.chat.completions.create(hello)).rejects.toMatchObject({ status: 400 });
    await expect(client.responses.create({ model: 'scripted', input: 'x' })).rejects.toMatchObject({ status: 404 });
    expect(model.violations).toEqual(['the script has no answer left', 'POST /responses: unknown URL']);
  });

  it('takes no turn for an invalid request', async () => {
    const client = await start();
    model.script({ content: 'fine' });
    const orphan = { role: 'tool' as const, tool_call_id: 'x', content: 'y' };
    const bad = client.chat.completions.create({ ...hello, messages: [...hello.messages, orphan] });
    await expect(bad).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
    expect(model.violations).toHaveLength(1);
    expect(model.remaining()).toBe(1);
  });
});
