import { formatNumber } from '../../lib/format.ts';
import { byteLength } from '../edits/text/characters.ts';
import type { ModelResponse, TokenUsage, ToolCall, TranscriptMessage } from '../state/conversation.ts';
import type { ModelContext } from '../state/model-context.ts';
import { CLEARABLE_TOOLS, readToolName, toolDefinitions } from '../state/tools.ts';

/** The text in the place of a cleared reading. */
export const CLEARED_OUTPUT = '(cleared to save space; read it again if you need it, a part at a time if it is long)';

/** The conversation as it is sent: results of reading tools among the first `clearedBefore` messages are one line. */
export function sentMessages(
  messages: readonly TranscriptMessage[],
  clearedBefore: number,
): readonly TranscriptMessage[] {
  if (clearedBefore === 0) return messages;
  const clearable = new Set(clearableIndexes(messages));
  return messages.map((message, index) => (index < clearedBefore && clearable.has(index) ? cleared(message) : message));
}

function cleared(message: TranscriptMessage): TranscriptMessage {
  return { ...message, content: CLEARED_OUTPUT };
}

/** The indexes of readings that are longer than the line in their place, in order. */
function clearableIndexes(messages: readonly TranscriptMessage[]): readonly number[] {
  let calls: ReadonlyMap<string, ToolCall> = new Map();
  return messages.flatMap((message, index) => {
    if (message.role === 'assistant') calls = new Map(message.toolCalls.map((call) => [call.id, call]));
    if (message.role !== 'tool' || message.content.length <= CLEARED_OUTPUT.length) return [];
    const tool = readToolName(calls.get(message.toolCallId)?.name ?? '');
    return tool !== null && CLEARABLE_TOOLS.has(tool) ? [index] : [];
  });
}

/** Code, JSON and English have three to four bytes for each token; an estimate that is too high clears too early. */
const BYTES_PER_TOKEN = 3.5;

/** The tools are a part of every request. */
const TOOL_BYTES = byteLength(JSON.stringify(toolDefinitions()));

/** Our own estimate of a request's tokens. */
export function estimateTokens(messages: readonly TranscriptMessage[]): number {
  return Math.ceil((TOOL_BYTES + byteLength(JSON.stringify(messages))) / BYTES_PER_TOKEN);
}

/** The tokens of an answer. Our own estimate stands for a missing count, so that no limit is void. */
export function countedUsage({ usage, content, toolCalls }: ModelResponse, estimatedTokens: number): TokenUsage {
  // Every request has input, so without any its count is missing.
  if (usage.inputTokens > 0) return usage;
  const written = byteLength(JSON.stringify([content, toolCalls]));
  return {
    inputTokens: estimatedTokens,
    cachedInputTokens: 0,
    outputTokens: usage.outputTokens || Math.ceil(written / BYTES_PER_TOKEN),
  };
}

/** The plan of a request: it is sent as it is, or planned again from another context, or cannot be sent. */
export type RequestPlan =
  | { readonly kind: 'send'; readonly messages: readonly TranscriptMessage[]; readonly estimatedTokens: number }
  | { readonly kind: 'clear'; readonly modelContext: ModelContext }
  | { readonly kind: 'too-long'; readonly message: string };

/** Readings are cleared above this share of the limit. */
const CLEAR_ABOVE = 0.7;

/**
 * Plans the next request. `maxTokens` is the most that a request can have, as far as the operator or the endpoint
 * said; null if they did not. Only that ends a run without a try.
 */
export function planRequest(
  messages: readonly TranscriptMessage[],
  context: ModelContext,
  maxTokens: number | null,
): RequestPlan {
  const sent = sentMessages(messages, context.clearedBefore);
  const estimatedTokens = estimateTokens(sent);
  const most = maxTokens ?? Number.POSITIVE_INFINITY;
  const limit = Math.min(most, context.learnedLimit ?? most);
  const cleared = estimatedTokens > limit * CLEAR_ABOVE ? clearMore(messages, context, estimatedTokens > most) : null;
  if (cleared !== null) return { kind: 'clear', modelContext: cleared };
  if (estimatedTokens <= most) return { kind: 'send', messages: sent, estimatedTokens };
  return {
    kind: 'too-long',
    message: `Even without older readings the conversation has about ${formatNumber(estimatedTokens)} tokens, and at most ${formatNumber(most)} fit into the model’s context; the operator should check \`MODEL_CONTEXT_TOKENS\`, or use a model that reads more.`,
  };
}

/**
 * The context after the endpoint found the request too long; null if nothing is left to clear. `statedTokens` is the
 * size in its words; without one, the limit is what was sent.
 */
export function clearAfterOverflow(
  messages: readonly TranscriptMessage[],
  context: ModelContext,
  statedTokens: number | null,
): ModelContext | null {
  const learnedLimit = statedTokens ?? estimateTokens(sentMessages(messages, context.clearedBefore));
  const cleared = clearMore(messages, context, true);
  return cleared === null ? null : { ...cleared, learnedLimit };
}

/**
 * Clears the readings before the last two responses. If there are none and it is `urgent`, before the last one, and
 * then all of them. Null if nothing is left to clear.
 */
function clearMore(
  messages: readonly TranscriptMessage[],
  context: ModelContext,
  urgent: boolean,
): ModelContext | null {
  const responses = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  const clearable = clearableIndexes(messages).filter((index) => index >= context.clearedBefore);
  const cuts = urgent ? [responses.at(-2), responses.at(-1), messages.length] : [responses.at(-2)];
  const clearedBefore = cuts.find((cut = 0) => clearable.some((index) => index < cut));
  return clearedBefore === undefined ? null : { ...context, clearedBefore };
}
