import type { OpaqueMembers, OpaqueObject, TranscriptMessage } from '../../core/state/conversation.ts';
import { isRecord } from '../../lib/trust.ts';

/** Maximum size of the opaque members of one response, as JSON. Each later request of the run contains them. */
const MAX_OPAQUE_BYTES = 256 * 1024;

/** A model at an endpoint: nothing else gets what it wrote for itself. */
export type ModelAddress = Pick<OpaqueMembers, 'model' | 'endpoint'>;

/** Members that this product reads or that mean nothing in a request. */
const KNOWN_IN_MESSAGE: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'tool_calls', 'function_call', 'annotations', 'audio', 'name'],
]);

const KNOWN_IN_CALL: ReadonlySet<string> = new Set(['id', 'type', 'index', 'function']);

const KNOWN_IN_FUNCTION: ReadonlySet<string> = new Set(['name', 'arguments']);

type OpaqueReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'kept'; readonly opaque: OpaqueMembers }
  | { readonly kind: 'too-large'; readonly bytes: number };

/** The members of a completion's first message that its schema does not know, without nulls. */
export function readOpaqueMembers(completion: unknown, address: ModelAddress): OpaqueReading {
  const message = firstMessage(completion);
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isRecord) : [];
  const members = {
    message: unknownMembers(message, KNOWN_IN_MESSAGE),
    calls: Object.fromEntries(
      calls.map((call) => [String(call['id']), readCall(call)] as const).filter(([, found]) => hasMembers(found)),
    ),
  };
  if (!hasMembers(members.message) && !hasMembers(members.calls)) return { kind: 'none' };
  const bytes = Buffer.byteLength(JSON.stringify(members));
  if (bytes > MAX_OPAQUE_BYTES) return { kind: 'too-large', bytes };
  return { kind: 'kept', opaque: { model: address.model, endpoint: address.endpoint, ...members } };
}

/** The members that a request sends back beside the known ones. */
export type SentMembers = Pick<OpaqueMembers, 'message' | 'calls'>;

/** The members that may go to this model: those that it wrote itself, without those that it refused. */
export function opaqueFor(
  sent: TranscriptMessage,
  address: ModelAddress,
  isRefused: (name: string) => boolean,
): SentMembers {
  const opaque = sent.role === 'assistant' ? sent.opaque : undefined;
  if (opaque === undefined || opaque.model !== address.model || opaque.endpoint !== address.endpoint)
    return { message: {}, calls: {} };
  const accepted = (members: OpaqueObject): OpaqueObject =>
    Object.fromEntries(Object.entries(members).filter(([name]) => !isRefused(name)));
  return {
    message: accepted(opaque.message),
    calls: Object.fromEntries(Object.entries(opaque.calls).map(([id, members]) => [id, accepted(members)])),
  };
}

/** Names of all members that a request would send back. */
export function opaqueNames({ message, calls }: SentMembers): readonly string[] {
  return [message, ...Object.values(calls)].flatMap((members) => Object.keys(members));
}

function firstMessage(completion: unknown): OpaqueObject {
  const choices = isRecord(completion) ? completion['choices'] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isRecord(choice) ? choice['message'] : undefined;
  return isRecord(message) ? message : {};
}

function readCall(call: OpaqueObject): OpaqueObject {
  const inFunction = isRecord(call['function']) ? unknownMembers(call['function'], KNOWN_IN_FUNCTION) : {};
  const own = unknownMembers(call, KNOWN_IN_CALL);
  return hasMembers(inFunction) ? { ...own, function: inFunction } : own;
}

function unknownMembers(object: OpaqueObject, known: ReadonlySet<string>): OpaqueObject {
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => value !== null && !known.has(name)));
}

function hasMembers(object: OpaqueObject): boolean {
  return Object.keys(object).length > 0;
}
