import { z } from 'zod';
import type { Place, PullRef } from '../command/intent.ts';
import { interpret } from '../command/interpret.ts';
import type { DeliveryEvent } from '../intake/delivery-event.ts';

export type AsItStandsOptions = {
  /** Who we are on GitHub. */
  readonly self: { readonly slug: string; readonly botId: number };
  /** The words that stand at a place on GitHub now; null where they are gone. */
  readonly words: (pull: PullRef, place: Place) => Promise<string | null>;
};

/** What of a lost delivery may still be taken; null where its words were deleted since. */
export type AsItStands = (event: DeliveryEvent) => Promise<DeliveryEvent | null>;

const Worded = z.object({ body: z.string().nullish() }).loose();
const Payload = z.object({ comment: Worded.optional(), review: Worded.optional() }).loose();

/**
 * Live, words are heard before anybody can think again. Of words that were lost the writer may have thought again long
 * since: deleted ones are not taken, and edited ones only as what they are, an edit, which never decides (S60, S61).
 */
export function openAsItStands({ self, words }: AsItStandsOptions): AsItStands {
  return async (event) => {
    const meaning = interpret({ event: event.name, payload: event.payload, self });
    if (meaning.kind !== 'intent' || meaning.intent.kind !== 'said') return event;
    const now = await words(meaning.intent.pull, meaning.intent.place);
    return now === null ? null : withWords(event, now);
  };
}

function withWords(event: DeliveryEvent, now: string): DeliveryEvent {
  const { comment, review, ...rest } = Payload.parse(event.payload);
  const said = comment ?? review;
  if (said === undefined || sameText(said.body ?? '', now)) return event;
  const edited = comment === undefined ? { review: { ...review, body: now } } : { comment: { ...comment, body: now } };
  return { ...event, payload: { ...rest, ...edited, action: 'edited' } };
}

/** GitHub's two ways to tell a text may differ in the ends of its lines. */
function sameText(left: string, right: string): boolean {
  return left.replaceAll('\r\n', '\n').trimEnd() === right.replaceAll('\r\n', '\n').trimEnd();
}
