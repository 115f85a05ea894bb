import type { Batch } from '../run/run.ts';
import type { Message, ToolCall } from './message.ts';

/**
 * The tool messages of a batch, one per call in the order of the calls; null while any call is without an answer,
 * for then the model must not be asked.
 */
export function toolMessages(batch: Batch): readonly Message[] | null {
  const messages: Message[] = [];
  for (const { call, status } of batch.calls) {
    if (status.kind !== 'answered') return null;
    messages.push({ role: 'tool', callId: call.id, content: status.output });
  }
  return messages;
}

/** Call ids that an assistant message uses more than once: such a reply cannot be answered call by call. */
export function repeatedCallIds(calls: readonly ToolCall[]): readonly string[] {
  const ids = calls.map((call) => call.id);
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}

/**
 * What stands between a transcript and a request; empty where it may be sent. Each call must have exactly one tool
 * message, in the order of the calls, right after the message that asked, and the last word must not be the model's.
 */
export function checkTranscript(messages: readonly Message[]): readonly string[] {
  const problems: string[] = [];
  let awaited: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const [next, ...rest] = awaited;
      if (next !== message.callId)
        problems.push(`message ${index} answers ${message.callId}, awaited ${next ?? 'none'}`);
      awaited = rest;
      continue;
    }
    if (awaited.length > 0) problems.push(`message ${index} comes before the answer to ${awaited.join(', ')}`);
    awaited = message.role === 'assistant' ? message.calls.map((call) => call.id) : [];
    if (message.role === 'assistant') {
      problems.push(...repeatedCallIds(message.calls).map((id) => `message ${index} uses the call id ${id} twice`));
    }
  }
  if (awaited.length > 0) problems.push(`no answer to ${awaited.join(', ')}`);
  const last = messages.at(-1);
  if (last === undefined || last.role === 'assistant') problems.push('nothing to ask: the last word is the model’s');
  return problems;
}
