import type { OpaqueMembers, OpaqueObject, TranscriptMessage } from '../../core/state/conversation.ts';
import type { SentMembers } from './model-wire.ts';

/** Maximum size of the opaque members of one response, as JSON. Each later request of the run contains them. */
const MAX_OPAQUE_BYTES = 256 * 1024;

/** A model at an endpoint: nothing else gets what it wrote for itself. */
export type ModelAddress = Pick<OpaqueMembers, 'model' | 'endpoint'>;

/** The members of a response for the transcript; null if there are none, or too many, of which `onDropped` is told. */
export function keepMembers(
  { message, calls }: SentMembers,
  { model, endpoint }: ModelAddress,
  onDropped: (bytes: number) => void,
): OpaqueMembers | null {
  if (!hasMembers(message) && !hasMembers(calls)) return null;
  const bytes = Buffer.byteLength(JSON.stringify({ message, calls }));
  if (bytes <= MAX_OPAQUE_BYTES) return { model, endpoint, message, calls };
  onDropped(bytes);
  return null;
}

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

function hasMembers(object: OpaqueObject): boolean {
  return Object.keys(object).length > 0;
}
