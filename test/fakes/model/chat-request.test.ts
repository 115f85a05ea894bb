import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChatRequest } from '../../../fakes/model/chat-request.ts';
import { toolDefinitions } from '../../../src/core/state/tools.ts';

type Message = Readonly<Record<string, unknown>>;

const user: Message = { role: 'user', content: 'x' };

const call = (id: string) => ({ id, type: 'function', function: { name: 'read_file', arguments: '{}' } });

const calls = (...ids: string[]): Message => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });

const answer = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: 'done' });

function problems(messages: readonly Message[], more: Message = {}): readonly string[] {
  const read = parseChatRequest({ model: 'm', messages, ...more }, {});
  return read.ok ? [] : read.problems;
}

describe('parseChatRequest', () => {
  it.each<[string, readonly Message[], string]>([
    ['an unanswered call', [user, calls('a'), user], 'messages[2]: a had no tool message before it'],
    [
      'an unanswered call at the end',
      [user, calls('a', 'b'), answer('a')],
      'messages: b had no tool message at the end',
    ],
    [
      'answers out of order',
      [user, calls('a', 'b'), answer('b'), answer('a')],
      'messages[2]: b is answered out of order, a comes first',
    ],
    [
      'a second answer',
      [user, calls('a'), answer('a'), answer('a')],
      'messages[3]: a was answered already, or its turn is over',
    ],
    [
      'an answer to nothing',
      [user, answer('z')],
      'messages[1]: a tool message answers z, which no assistant message before it called',
    ],
    [
      'a repeated id',
      [user, calls('a'), answer('a'), calls('a'), answer('a')],
      'messages[3]: the call id a is used twice',
    ],
    ['an unknown role', [{ role: 'robot', content: 'x' }], 'messages[0].role: "robot" is not a role'],
    ['missing content', [{ role: 'user' }], 'messages[0].content: is required'],
    [
      'a user who calls',
      [{ ...user, tool_calls: [call('a')] }],
      'messages[0].tool_calls: only an assistant message can have calls',
    ],
    ['a tool message without id', [{ role: 'tool', content: 'x' }], 'messages[0].tool_call_id: must be a string'],
  ])('refuses %s', (_name, messages, problem) => {
    expect(problems(messages)).toContain(problem);
  });

  it('refuses unknown arguments, an empty model and invalid tools', () => {
    expect(problems([user], { top_k: 5 })).toEqual(['top_k: is not an argument this endpoint knows']);
    expect(problems([user], { model: '' })).toEqual(['model: must be a non-empty string']);
    expect(problems([user], { tools: [] })).toEqual(['tools: must be a non-empty array']);
    const tool = { type: 'function', function: { name: 'a', parameters: { type: 'object' } } };
    expect(problems([user], { tools: [tool, tool] })).toEqual(['tools: a is defined twice']);
    expect(problems([user], { tools: [{ type: 'function', function: { name: 'a b' } }] })).toHaveLength(2);
    expect(parseChatRequest('text', {}).ok).toBe(false);
  });

  it.each<[string, Message, string]>([
    ['options of a stream without a stream', { stream_options: { include_usage: true } }, 'stream_options: is only'],
    ['other options of a stream', { stream: true, stream_options: { verbose: true } }, 'stream_options: must be'],
    ['a choice of tools without tools', { tool_choice: 'none' }, 'tool_choice: is only allowed'],
    ['two limits', { max_tokens: 1, max_completion_tokens: 1 }, 'max_tokens: cannot be set together'],
    ['no limit at all', { max_tokens: 0 }, 'max_tokens: must be a positive'],
    ['a hot temperature', { temperature: 3 }, 'temperature: must be a number from 0 to 2'],
    ['an effort in numbers', { reasoning_effort: 2 }, 'reasoning_effort: must be a word'],
  ])('refuses %s (S173)', (_, more, problem) => {
    expect(problems([user], more)).toEqual([expect.stringContaining(problem)]);
  });

  it.each(['{"path": "x', '["x"]', ''])('refuses a history whose call has the arguments %j (S173)', (text) => {
    const broken = { ...call('a'), function: { name: 'read_file', arguments: text } };
    const history = [user, { role: 'assistant', content: null, tool_calls: [broken] }, answer('a')];
    expect(problems(history)).toEqual(['messages[1].tool_calls[0].function.arguments: is not a JSON object']);
  });

  it('refuses members that it never sent, in messages and calls (S173)', () => {
    const foreign = { ...calls('a'), reasoning_content: 'x', tool_calls: [{ ...call('a'), extra_content: {} }] };
    expect(problems([user, foreign, answer('a')]).toSorted()).toEqual([
      'messages[1].reasoning_content: is not a member this endpoint knows',
      'messages[1].tool_calls[0].extra_content: is not a member this endpoint knows',
    ]);
    const own = { members: new Set(['reasoning_content', 'extra_content']) };
    expect(parseChatRequest({ model: 'm', messages: [user, foreign, answer('a')] }, {}, own).ok).toBe(true);
  });

  it.each<[string, Message, string]>([
    ['no type', { properties: { a: {} } }, 'parameters.a.type: is not a type'],
    ['an unknown type', { properties: { a: { type: 'text' } } }, 'parameters.a.type: is not a type'],
    ['a required ghost', { properties: {}, required: ['a'] }, 'parameters.required: a is not a property'],
    ['a list of nothing', { properties: { a: { type: 'array' } } }, 'parameters.a.items: is required for a list'],
    ['an empty choice', { properties: { a: { type: 'string', enum: [] } } }, 'parameters.a.enum: is empty'],
    ['a rare keyword', { $defs: {} }, 'parameters.$defs: is not a keyword this endpoint knows'],
  ])('refuses a schema with %s (S173)', (_, schema, problem) => {
    const tool = { type: 'function', function: { name: 'a', parameters: { type: 'object', ...schema } } };
    expect(problems([user], { tools: [tool] })).toEqual([expect.stringContaining(problem)]);
  });

  it('accepts the schemas of the product (S173)', () => {
    const tools = toolDefinitions().map((tool) => ({ type: 'function', function: tool }));
    expect(problems([user], { tools })).toEqual([]);
  });

  it('accepts every transcript with one answer per call in order, and none with a missing message', () => {
    const turns = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(turns, fc.nat(), (sizes, pick) => {
        const messages = sizes.flatMap((size, turn) => {
          const ids = Array.from({ length: size }, (_, index) => `${turn}-${index}`);
          return size === 0 ? [user] : [calls(...ids), ...ids.map(answer)];
        });
        expect(problems(messages)).toEqual([]);
        const answers = messages.filter((message) => message['role'] === 'tool');
        const lost = answers[pick % Math.max(answers.length, 1)];
        if (lost !== undefined) expect(problems(messages.filter((message) => message !== lost))).not.toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
