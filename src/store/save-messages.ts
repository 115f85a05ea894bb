import type { Insertable } from 'kysely';
import type { Step } from '../run/step.ts';
import { toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';

/** The run counts its messages, so the new ones are its last; two writers of one position cannot both succeed. */
export function messageRows({ pull: { run }, messages }: Step): readonly Insertable<Tables['messages']>[] {
  if (messages.length === 0) return [];
  if (run === null || run.messages < messages.length) throw new Error('Messages without a run that counts them');
  const first = run.messages - messages.length;
  return messages.map((message, place) => ({ run_id: run.id, seq: first + place, body: toStored(message) }));
}
