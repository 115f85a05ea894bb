import { formatNumber } from '../../lib/format.ts';
import { byteLength } from '../edits/text/characters.ts';
import type { ModelResponse, TokenUsage, ToolCall, TranscriptMessage } from '../state/conversation.ts';
import { isClearable, readToolName, toolDefinitions } from '../state/tools.ts';

/** The text in the place of a cleared reading. */
export const CLEARED_OUTPUT = '(cleared to save space; read it again if you need it, a part at a time if it is long)';

/** The conversation as it is sent: results of reading tools among the first `clearedBefore` messages are one line. */
export function sentMessages(
  messages: readonly TranscriptMessage[],
  clearedBefore: number,
): readonly TranscriptMessage[] {
  if (clearedBefore === 0) return messages;
  const clearable = new Set(clearableIndexes(messages));
  return messages.map((message, index) =>
    index < clearedBefore && clearable.has(index) ? { ...message, content: CLEARED_OUTPUT } : message,
  );
}

/** The indexes of readings that are longer than the line in their place, in order. */
function clearableIndexes(messages: readonly TranscriptMessage[]): readonly number[] {
  let calls: ReadonlyMap<string, ToolCall> = new Map();
  return messages.flatMap((message, index) => {
    if (message.role === 'assistant') calls = new Map(message.toolCalls.map((call) => [call.id, call]));
    if (message.role !== 'tool' || message.content.length <= CLEARED_OUTPUT.length) return [];
    const tool = readToolName(calls.get(message.toolCallId)?.name ?? '');
    return tool !== null && isClearable(tool) ? [index] : [];
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

/** The plan of a request: it is sent as it is, or planned again with more readings cleared, or cannot be sent. */
export type RequestPlan =
  | { readonly kind: 'send'; readonly messages: readonly TranscriptMessage[]; readonly estimatedTokens: number }
  | { readonly kind: 'clear'; readonly clearedBefore: number }
  | { readonly kind: 'too-long'; readonly message: string };

/** Readings are cleared above this share of the limit. */
const CLEAR_ABOVE = 0.7;

/** Plans the next request. `maxTokens` is the most that a request can have; null if nobody said. */
export function planRequest(
  messages: readonly TranscriptMessage[],
  clearedBefore: number,
  maxTokens: number | null,
): RequestPlan {
  const sent = sentMessages(messages, clearedBefore);
  const estimatedTokens = estimateTokens(sent);
  const most = maxTokens ?? Number.POSITIVE_INFINITY;
  const isTooLong = estimatedTokens > most;
  const more = estimatedTokens > most * CLEAR_ABOVE ? clearMore(messages, clearedBefore, isTooLong) : null;
  if (more !== null) return { kind: 'clear', clearedBefore: more };
  if (!isTooLong) return { kind: 'send', messages: sent, estimatedTokens };
  return {
    kind: 'too-long',
    message: `Even without older readings the conversation has about ${formatNumber(estimatedTokens)} tokens, and at most ${formatNumber(most)} fit into the model’s context; the operator should check \`MODEL_CONTEXT_TOKENS\`, or use a model that reads more.`,
  };
}

/**
 * Clears the readings before the last two responses. If there are none and the request does not fit (`isTooLong`),
 * those before the last response, and then all of them. Null if nothing is left to clear.
 */
export function clearMore(
  messages: readonly TranscriptMessage[],
  clearedBefore: number,
  isTooLong: boolean,
): number | null {
  const responses = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  const clearable = clearableIndexes(messages).filter((index) => index >= clearedBefore);
  const cuts = isTooLong ? [responses.at(-2), responses.at(-1), messages.length] : [responses.at(-2)];
  return cuts.find((cut = 0) => clearable.some((index) => index < cut)) ?? null;
}
