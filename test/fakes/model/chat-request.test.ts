import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChatRequest } from '../../../fakes/model/chat-request.ts';

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

  it('refuses unknown arguments, streaming, an empty model and invalid tools', () => {
    expect(problems([user], { stream: true })).toEqual(['stream: is not an argument this endpoint knows']);
    expect(problems([user], { model: '' })).toEqual(['model: must be a non-empty string']);
    expect(problems([user], { tools: [] })).toEqual(['tools: must be a non-empty array']);
    const tool = { type: 'function', function: { name: 'a', parameters: { type: 'object' } } };
    expect(problems([user], { tools: [tool, tool] })).toEqual(['tools: a is defined twice']);
    expect(problems([user], { tools: [{ type: 'function', function: { name: 'a b' } }] })).toHaveLength(2);
    expect(parseChatRequest('text', {}).ok).toBe(false);
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

  it('joins text parts', () => {
    const read = parseChatRequest(
      {
        model: 'm',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
          },
        ],
      },
      {},
    );
    expect(read.ok && read.request.messages[0]?.content).toBe('ab');
  });
});
