import { formatNumber } from '../../lib/format.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';
import { byteLength } from '../edits/text/characters.ts';
import type { ModelResponse, TokenUsage, ToolCall, TranscriptMessage } from '../state/conversation.ts';
import { type ModelContext, withMeasurement } from '../state/model-context.ts';
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

/** Roles, ids and separators of one message. */
const MESSAGE_BYTES = 24;

/** The tools are a part of every request. */
const TOOL_BYTES = byteLength(JSON.stringify(toolDefinitions()));

/** Our own estimate of a request's tokens, before the endpoint counted any. */
export function estimateTokens(messages: readonly TranscriptMessage[]): number {
  return Math.ceil((TOOL_BYTES + messages.reduce((sum, message) => sum + bytesOf(message), 0)) / BYTES_PER_TOKEN);
}

/** Our own estimate of an answer's tokens. */
function estimateAnswer({ content, toolCalls }: ModelResponse): number {
  return Math.ceil(bytesOf({ role: 'assistant', content, toolCalls }) / BYTES_PER_TOKEN);
}

/**
 * The cost of an answer, and the size of the context that it tells. Without the endpoint's count our own estimate
 * counts, so that no limit is void.
 */
export function measureAnswer(
  context: ModelContext,
  estimatedTokens: number,
  response: ModelResponse,
): { readonly counted: TokenUsage; readonly isEstimated: boolean; readonly context: ModelContext } {
  const { inputTokens, cachedInputTokens, outputTokens } = response.usage;
  // Every request has input, so without any its count is missing.
  const isEstimated = inputTokens === 0;
  const counted = {
    inputTokens: isEstimated ? estimatedTokens : inputTokens,
    cachedInputTokens,
    outputTokens: isEstimated && outputTokens === 0 ? estimateAnswer(response) : outputTokens,
  };
  return { counted, isEstimated, context: withMeasurement(context, estimatedTokens, inputTokens) };
}

function bytesOf(message: TranscriptMessage): number {
  const text = MESSAGE_BYTES + byteLength(message.content ?? '');
  if (message.role !== 'assistant') return text;
  const calls = message.toolCalls.reduce((sum, call) => sum + MESSAGE_BYTES + sentArgumentBytes(call), 0);
  return text + calls + (message.opaque === undefined ? 0 : byteLength(JSON.stringify(message.opaque)));
}

/** Arguments that are no JSON object are sent with their first characters only. */
const MAX_BROKEN_BYTES = 250;

function sentArgumentBytes({ arguments: text }: ToolCall): number {
  const bytes = byteLength(text);
  return bytes > MAX_BROKEN_BYTES && !isJsonObject(text) ? MAX_BROKEN_BYTES : bytes;
}

function isJsonObject(text: string): boolean {
  try {
    return isRecord(parseJson(text));
  } catch {
    return false;
  }
}

/** The plan of a request: it is sent as it is, or sent again from another context, or cannot be sent. */
export type RequestPlan =
  | { readonly kind: 'send'; readonly messages: readonly TranscriptMessage[]; readonly estimatedTokens: number }
  | { readonly kind: 'clear'; readonly modelContext: ModelContext }
  | { readonly kind: 'too-long'; readonly tokens: number; readonly limit: number };

type TooLongPlan = Extract<RequestPlan, { kind: 'too-long' }>;

/** Why a conversation cannot be sent, as a sentence for people. */
export function tooLongText({ tokens, limit }: Omit<TooLongPlan, 'kind'>): string {
  return `Even without older readings the conversation has about ${formatNumber(tokens)} tokens, and at most ${formatNumber(Math.floor(limit))} fit into the model’s context; the operator should check \`MODEL_CONTEXT_TOKENS\`, or use a model that reads more.`;
}

/** Readings are cleared above this share of the limit, and down to the other one, so that it happens rarely. */
const CLEARING = { above: 0.9, downTo: 0.5, atLeast: 0.1 } as const;

/**
 * Plans the next request. `maxTokens` is the most that a request can have by the endpoint's count, as far as the
 * operator or the endpoint said; null if they did not. Only that ends a run without a try: what a refusal showed is an
 * estimate.
 */
export function planRequest(
  messages: readonly TranscriptMessage[],
  context: ModelContext,
  maxTokens: number | null,
): RequestPlan {
  const sent = sentMessages(messages, context.clearedBefore);
  const estimatedTokens = estimateTokens(sent);
  const stated = maxTokens === null ? null : maxTokens / context.tokensPerEstimated;
  const limit = smallest(stated, context.learnedLimit);
  const send: RequestPlan = { kind: 'send', messages: sent, estimatedTokens };
  if (limit === null || estimatedTokens <= limit * CLEARING.above) return send;
  const clearing = clearDownTo(messages, context, { target: limit * CLEARING.downTo, limit });
  const isWorthIt = estimatedTokens > limit || clearing.freed >= limit * CLEARING.atLeast;
  if (clearing.clearedBefore > context.clearedBefore && isWorthIt)
    return { kind: 'clear', modelContext: { ...context, clearedBefore: clearing.clearedBefore } };
  return stated !== null && estimatedTokens > stated ? tooLong(estimatedTokens, stated, context) : send;
}

/**
 * Plans what follows after the endpoint found the request too long. `statedTokens` is the size of the context in its
 * words; without one, the limit is below what was sent.
 */
export function planAfterOverflow(
  messages: readonly TranscriptMessage[],
  context: ModelContext,
  statedTokens: number | null,
): RequestPlan {
  const sent = estimateTokens(sentMessages(messages, context.clearedBefore));
  const stated = statedTokens === null ? null : statedTokens / context.tokensPerEstimated;
  // A part of the stated size is for the answer.
  const limit = Math.floor((smallest(stated, sent) ?? 0) * CLEARING.above);
  const { clearedBefore } = clearDownTo(messages, context, { target: limit * CLEARING.downTo, limit });
  if (clearedBefore === context.clearedBefore) return tooLong(sent, limit, context);
  return {
    kind: 'clear',
    modelContext: { ...context, clearedBefore, learnedLimit: smallest(limit, context.learnedLimit) },
  };
}

/** People read tokens as the endpoint counts them. */
function tooLong(estimated: number, limit: number, { tokensPerEstimated }: ModelContext): TooLongPlan {
  return { kind: 'too-long', tokens: Math.round(estimated * tokensPerEstimated), limit: limit * tokensPerEstimated };
}

/**
 * Clears the oldest readings until `target` tokens are left. Readings that the model has not seen yet are cleared only
 * where the request would not fit into `limit` otherwise.
 */
function clearDownTo(
  messages: readonly TranscriptMessage[],
  { clearedBefore }: ModelContext,
  { target, limit }: { readonly target: number; readonly limit: number },
): { readonly clearedBefore: number; readonly freed: number } {
  const before = estimateTokens(sentMessages(messages, clearedBefore));
  const unseenFrom = messages.findLastIndex(({ role }) => role === 'assistant');
  let tokens = before;
  let cut = clearedBefore;
  for (const index of clearableIndexes(messages)) {
    const message = messages[index];
    if (message === undefined || index < clearedBefore) continue;
    if (tokens <= (index < unseenFrom ? target : limit)) break;
    tokens -= (bytesOf(message) - bytesOf(cleared(message))) / BYTES_PER_TOKEN;
    cut = index + 1;
  }
  return { clearedBefore: cut, freed: before - tokens };
}

function smallest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
