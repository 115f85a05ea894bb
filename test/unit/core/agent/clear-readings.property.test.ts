import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTranscript } from '../../../../lab/shared/check-transcript.ts';
import {
  CLEARED_OUTPUT,
  clearMore,
  countedUsage,
  estimateTokens,
  planRequest,
  type RequestPlan,
  sentMessages,
} from '../../../../src/core/agent/clear-readings.ts';
import type { TranscriptMessage } from '../../../../src/core/state/conversation.ts';
import { isClearable, toolsOfKind } from '../../../../src/core/state/tools.ts';

const TOOL = fc.constantFrom(
  ...['read_file', 'SEARCH', 'functions.read_diff', 'read_discussion', 'edit_file', 'plan', 'nonsense'],
);

type Turn = { readonly tools: readonly string[]; readonly length: number; readonly words: string | null };

const TURN: fc.Arbitrary<Turn> = fc.record({
  tools: fc.array(TOOL, { minLength: 1, maxLength: 4 }),
  length: fc.nat(20_000),
  words: fc.option(fc.string()),
});

const CONVERSATION = fc.array(TURN, { maxLength: 15 }).map((turns) => turns.reduce(addTurn, OPENING));

const OPENING: readonly TranscriptMessage[] = [
  { role: 'system', content: 'rules' },
  { role: 'user', content: 'the task' },
];

/** Ids repeat in each response, as some endpoints number them. */
function addTurn(messages: readonly TranscriptMessage[], { tools, length, words }: Turn): readonly TranscriptMessage[] {
  const toolCalls = tools.map((name, index) => ({ id: `call-${index}`, name, arguments: '{}' }));
  return [
    ...messages,
    { role: 'assistant', content: null, toolCalls },
    ...toolCalls.map(({ id }) => ({ role: 'tool', toolCallId: id, content: 'x'.repeat(length) }) as const),
    ...(words === null ? [] : [{ role: 'user', content: words } as const]),
  ];
}

/** The names of the tools that the results of a conversation belong to; null for other messages. */
function toolsOfResults(messages: readonly TranscriptMessage[]): readonly (string | null)[] {
  let names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === 'assistant') names = new Map(message.toolCalls.map(({ id, name }) => [id, name]));
    return message.role === 'tool' ? (names.get(message.toolCallId) ?? null) : null;
  });
}

/** Plans until nothing more is cleared. */
function settle(messages: readonly TranscriptMessage[], context: number, max: number): readonly RequestPlan[] {
  const plan = planRequest(messages, context, max);
  return plan.kind === 'clear' ? [plan, ...settle(messages, plan.clearedBefore, max)] : [plan];
}

const isReading = (tool: string | null) => ['read_file', 'SEARCH', 'functions.read_diff'].includes(tool ?? '');

describe('clearing old readings (S169)', () => {
  it('never changes anything but results of reading tools, and keeps a valid conversation (S169)', () => {
    fc.assert(
      fc.property(CONVERSATION, fc.nat(80), (messages, clearedBefore) => {
        const sent = sentMessages(messages, clearedBefore);
        const tools = toolsOfResults(messages);
        expect(sent).toHaveLength(messages.length);
        for (const [index, message] of sent.entries()) {
          if (index < clearedBefore && isReading(tools[index] ?? null)) {
            const original = messages[index]?.content ?? '';
            expect([original, CLEARED_OUTPUT]).toContain(message.content);
            expect({ ...message, content: original }).toEqual(messages[index]);
          } else expect(message).toBe(messages[index]);
        }
        expect(checkTranscript(sent)).toEqual(checkTranscript(messages));
      }),
    );
  });

  it('fits the conversation into its limit in at most three steps, or every reading is cleared (S169)', () => {
    let cleared = 0;
    fc.assert(
      fc.property(CONVERSATION, fc.integer({ min: 4_000, max: 60_000 }), (messages, max) => {
        const plans = settle(messages, 0, max);
        expect(plans.length).toBeLessThanOrEqual(4);
        const last = plans.at(-1);
        if (plans.length > 1) cleared += 1;
        if (last?.kind === 'send') expect(last.estimatedTokens).toBeLessThanOrEqual(max);
        else expect(estimateTokens(sentMessages(messages, messages.length))).toBeGreaterThan(max);
      }),
      { numRuns: 500 },
    );
    expect(cleared).toBeGreaterThan(50);
  });

  it('clears rarely: all but the last two responses, so that many more readings fit before the next time (S169)', () => {
    let context = 0;
    let messages = OPENING;
    let steps = 0;
    for (let turn = 0; turn < 200; turn += 1) {
      messages = addTurn(messages, { tools: ['read_file'], length: 3_500, words: null });
      for (const plan of settle(messages, context, 40_000)) {
        if (plan.kind === 'clear') {
          context = plan.clearedBefore;
          expect(sentMessages(messages, context).slice(-4)).toEqual(messages.slice(-4));
          steps += 1;
        } else expect(plan.kind).toBe('send');
      }
    }
    expect(steps).toBeGreaterThan(5);
    expect(steps).toBeLessThan(25);
  });

  it('after each overflow less is sent, until nothing is left to clear (S169)', () => {
    fc.assert(
      fc.property(CONVERSATION, (messages) => {
        let context = 0;
        for (let count = 0; ; count += 1) {
          const before = estimateTokens(sentMessages(messages, context));
          const next = clearMore(messages, context, true);
          if (next === null) break;
          context = next;
          expect(estimateTokens(sentMessages(messages, context))).toBeLessThan(before);
          expect(count).toBeLessThan(3);
        }
        const clearable = toolsOfResults(messages).findLastIndex(
          (tool, index) => isReading(tool) && (messages[index]?.content ?? '').length > CLEARED_OUTPUT.length,
        );
        expect(context).toBeGreaterThan(Math.max(-1, clearable));
      }),
    );
  });

  it('without a count of the endpoint our estimate counts (S171)', () => {
    const response = { content: 'w'.repeat(35), toolCalls: [], finishReason: 'stop' };
    const counted = (inputTokens: number, outputTokens: number) =>
      countedUsage({ ...response, usage: { inputTokens, cachedInputTokens: 0, outputTokens } }, 90_000);
    expect(counted(100, 12)).toEqual({ inputTokens: 100, cachedInputTokens: 0, outputTokens: 12 });
    expect(counted(0, 12)).toEqual({ inputTokens: 90_000, cachedInputTokens: 0, outputTokens: 12 });
    expect(counted(0, 0)).toEqual({ inputTokens: 90_000, cachedInputTokens: 0, outputTokens: 12 });
  });

  it('knows every tool: what it does not clear are plans and people’s words (S169)', () => {
    const kept = toolsOfKind('immediate').filter((name) => !isClearable(name));
    expect(kept).toEqual(['read_discussion', 'plan']);
  });

  it('a context smaller than the first message ends with a clear sentence (S169)', () => {
    const plan = planRequest(OPENING, 0, 750);
    if (plan.kind !== 'too-long') throw new Error(plan.kind);
    expect(plan.message).toMatch(
      /^Even without older readings the conversation has about [\d,]+ tokens, and at most 750 fit into the model’s context; the operator should check `MODEL_CONTEXT_TOKENS`, or use a model that reads more\.$/,
    );
  });
});
