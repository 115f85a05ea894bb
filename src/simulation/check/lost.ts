import { interpret } from '../../command/interpret.ts';
import { naturalKey } from '../../command/natural-key.ts';
import type { Attempt } from '../delivery-log.ts';
import { wordsAt } from '../github/own-words.ts';
import { onPull, pullsOf, standingOf } from '../github/port.ts';
import type { Check, Evidence } from './evidence.ts';
import { isReached } from './removed.ts';

/** V5: where lost webhooks are looked for, nothing that meant something stays unheard, unless its words are gone. */
export const nothingIsLost: Check = (evidence) => {
  const { attempts, swept } = evidence.played;
  if (!swept) return [];
  const answered = new Set(attempts.filter((one) => one.answered).map(({ guid }) => guid));
  const heard = new Set(
    evidence.happenings.flatMap((one) => (one.kind === 'received' ? [one.delivery.id, one.delivery.naturalKey] : [])),
  );
  return attempts.flatMap((attempt) =>
    answered.has(attempt.guid) || !isMissing(evidence, attempt, heard)
      ? []
      : [`V5: ${attempt.guid} (${attempt.event}.${attempt.action ?? ''}) was lost for good`],
  );
};

function isMissing({ played }: Evidence, attempt: Attempt, heard: ReadonlySet<string | null>): boolean {
  const { hub, scene } = played;
  const meaning = interpret({ event: attempt.event, payload: attempt.payload, self: scene });
  if (meaning.kind !== 'intent' || heard.has(attempt.guid)) return false;
  const { intent } = meaning;
  if (!isReached({ played }, intent.pull)) return false;
  const key = naturalKey(intent);
  if (key !== null && heard.has(key)) return false;
  if (intent.kind !== 'said' || !pullsOf(hub, scene).includes(intent.pull.number)) return true;
  return wordsAt(standingOf(hub, onPull(scene, intent.pull.number)), intent.place) !== null;
}
