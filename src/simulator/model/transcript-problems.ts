import type { ChatMessage } from './script.ts';

/**
 * Whether the messages are a conversation: every call of an assistant message is answered by exactly
 * one `tool` message, in the calls' order, before anything else is said. Answers the broken rules, in
 * the order of the messages; an empty list is a valid transcript.
 */
export function transcriptProblems(messages: readonly ChatMessage[]): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let waiting: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const where = `messages[${index}]`;
    if (message.role === 'tool') {
      problems.push(...answerProblems(message, waiting, seen, where));
      waiting = waiting.filter((id) => id !== message.toolCallId);
      continue;
    }
    if (waiting.length > 0) problems.push(`${where}: ${waiting.join(', ')} had no tool message before it`);
    problems.push(...repeatedIds(message, seen, where));
    waiting = message.calls.map((call) => call.id);
    for (const id of waiting) seen.add(id);
  }
  if (waiting.length > 0) problems.push(`messages: ${waiting.join(', ')} had no tool message at the end`);
  return problems;
}

function answerProblems(
  message: ChatMessage,
  waiting: readonly string[],
  seen: ReadonlySet<string>,
  where: string,
): readonly string[] {
  const id = message.toolCallId ?? '';
  if (waiting[0] === id) return [];
  if (waiting.includes(id)) return [`${where}: ${id} is answered out of order, ${waiting[0]} comes first`];
  if (seen.has(id)) return [`${where}: ${id} was answered already, or its turn is over`];
  return [`${where}: a tool message answers ${id}, which no assistant message before it called`];
}

function repeatedIds(message: ChatMessage, seen: ReadonlySet<string>, where: string): readonly string[] {
  const ids = message.calls.map((call) => call.id);
  const repeated = ids.filter((id, index) => seen.has(id) || ids.indexOf(id) !== index);
  return repeated.map((id) => `${where}: the call id ${id} is used twice`);
}
