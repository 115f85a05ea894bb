import { randomUUID } from 'node:crypto';
import { isRecord } from '../../lib/trust.ts';

/**
 * Creates a function that tells apart streamed calls without ids under one index, as some endpoints send them. A call
 * ends with its JSON object, so the next object or another name under its index begins another call, which gets an
 * index of its own.
 */
export function createCallSeparator(): (delta: unknown) => unknown {
  const current = new Map<number, StreamedCall>();
  let separated = 0;
  const separate = (piece: unknown): unknown => {
    if (!isRecord(piece) || typeof piece['index'] !== 'number') return piece;
    const { index } = piece;
    const target = isRecord(piece['function']) ? piece['function'] : {};
    const name = typeof target['name'] === 'string' ? target['name'] : '';
    const text = typeof target['arguments'] === 'string' ? target['arguments'] : '';
    const before = current.get(index) ?? { index, name, hasId: false, json: createObjectReader() };
    const hasId = before.hasId || !isUnset(piece['id']);
    const isNext = !hasId && before.json.hasEnded() && (/^\s*\{/.test(text) || (name !== '' && name !== before.name));
    if (isNext) separated += 1;
    const begun = isNext ? { index: -separated, json: createObjectReader() } : before;
    if (!hasId) begun.json.add(text);
    const call = { ...begun, name: name || before.name, hasId };
    current.set(index, call);
    return { ...piece, index: call.index, ...(isNext ? { function: { ...target, name: call.name } } : {}) };
  };
  return (delta) =>
    isRecord(delta) && Array.isArray(delta['tool_calls'])
      ? { ...delta, tool_calls: delta['tool_calls'].map(separate) }
      : delta;
}

/** The newest call under an index, and its index in what is merged. Calls with ids are told apart by them. */
type StreamedCall = {
  readonly index: number;
  readonly name: string;
  readonly hasId: boolean;
  readonly json: ObjectReader;
};

/** Finds the end of a JSON object that comes in pieces. */
type ObjectReader = { add(piece: string): void; hasEnded(): boolean };

function createObjectReader(): ObjectReader {
  let [depth, hasBegun, isInString, isEscaped] = [0, false, false, false];
  return {
    add(piece) {
      for (const character of piece) {
        if (isEscaped) isEscaped = false;
        else if (isInString) {
          isEscaped = character === '\\';
          isInString = character !== '"';
        } else if (character === '"') isInString = true;
        else if (character === '{' || character === '[') {
          depth += 1;
          hasBegun = true;
        } else if (character === '}' || character === ']') depth -= 1;
      }
    },
    hasEnded: () => hasBegun && depth === 0 && !isInString,
  };
}

/**
 * A completion whose calls all have an id: results are matched with calls by it. vLLM, llama.cpp and others leave it
 * out in some modes, and want to get one back.
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
