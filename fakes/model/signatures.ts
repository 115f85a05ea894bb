import { createHash } from 'node:crypto';
import { isRecord } from '../../src/lib/trust.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ScriptedTurn } from './script.ts';

/** The signature that the model puts on a call of this name, where Gemini's endpoint puts it. */
function signatureOf(name: string): JsonObject {
  const signature = createHash('sha256').update(`signed ${name}`).digest('base64');
  return { extra_content: { google: { thought_signature: signature } } };
}

/** A copy of the turn with a signature on each call. */
export function signTurn(turn: ScriptedTurn): ScriptedTurn {
  if (turn.calls === undefined) return turn;
  return {
    ...turn,
    calls: turn.calls.map((call) => ({ ...call, members: { ...call.members, ...signatureOf(call.name) } })),
  };
}

/** The calls in a request's history that lack their signature, as violations. */
export function findUnsignedCalls({ messages }: JsonObject): readonly string[] {
  const calls = Array.isArray(messages) ? messages.filter(isRecord).flatMap(callsOf) : [];
  return calls
    .filter(({ name, extra }) => JSON.stringify(extra) !== JSON.stringify(signatureOf(name)['extra_content']))
    .map(({ name }) => `the call of ${name} is missing a thought_signature`);
}

function callsOf({ tool_calls: calls }: JsonObject): readonly { readonly name: string; readonly extra: unknown }[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isRecord).map((call) => {
    const target = call['function'];
    return { name: isRecord(target) ? String(target['name']) : '', extra: call['extra_content'] };
  });
}
