import type { ToolCall, TranscriptMessage } from '../../src/core/state/conversation.ts';

/**
 * Problems that make a transcript invalid as a request; empty if it is valid. Each call needs exactly one tool message,
 * in order and directly after its assistant message, and the last message must not be the model's.
 */
export function checkTranscript(messages: readonly TranscriptMessage[]): readonly string[] {
  const problems: string[] = [];
  let expectedIds: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const [next, ...rest] = expectedIds;
      if (next !== message.toolCallId)
        problems.push(`message ${index} answers ${message.toolCallId}, expected ${next ?? 'none'}`);
      expectedIds = rest;
      continue;
    }
    if (expectedIds.length > 0) problems.push(`message ${index} comes before the answer to ${expectedIds.join(', ')}`);
    expectedIds = message.role === 'assistant' ? message.toolCalls.map((call) => call.id) : [];
    if (message.role === 'assistant') {
      problems.push(
        ...findDuplicateCallIds(message.toolCalls).map((id) => `message ${index} uses the call id ${id} twice`),
      );
    }
  }
  if (expectedIds.length > 0) problems.push(`no answer to ${expectedIds.join(', ')}`);
  const last = messages.at(-1);
  if (last === undefined || last.role === 'assistant') problems.push('the last message is the model’s');
  return problems;
}

/** Call ids that a response uses more than once, so that its calls cannot be answered one by one. */
function findDuplicateCallIds(calls: readonly ToolCall[]): readonly string[] {
  const ids = calls.map((call) => call.id);
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}
