import { randomUUID } from 'node:crypto';
import { isRecord } from '../../lib/trust.ts';

/**
 * A completion whose calls all have an id: results are matched with calls by it. vLLM, llama.cpp and others leave it out
 * in some modes, and want to get one back.
 */
export function withCallIds(completion: unknown): unknown {
  if (!isRecord(completion) || !Array.isArray(completion['choices'])) return completion;
  return { ...completion, choices: completion['choices'].map(nameCallsOfChoice) };
}

function nameCallsOfChoice(choice: unknown): unknown {
  const message = isRecord(choice) ? choice['message'] : null;
  if (!isRecord(choice) || !isRecord(message) || !Array.isArray(message['tool_calls'])) return choice;
  return { ...choice, message: { ...message, tool_calls: message['tool_calls'].map(nameCall) } };
}

function nameCall(call: unknown): unknown {
  return isRecord(call) && isUnset(call['id']) ? { ...call, id: createCallId() } : call;
}

function isUnset(id: unknown): boolean {
  return id === undefined || id === null || id === '';
}

/** The templates of Mistral's models take ids of exactly nine letters and digits. */
const ID_CHARACTERS = 9;

function createCallId(): string {
  return randomUUID().replaceAll('-', '').slice(0, ID_CHARACTERS);
}
