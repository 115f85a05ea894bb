import { z } from 'zod';
import type { AppIdentity } from '../../core/state/facts.ts';
import type { CommentLocation, PullRequestRef } from '../../core/state/intent.ts';
import type { DeliveryEvent } from '../../core/state/ports.ts';
import { interpret } from '../../core/webhooks/interpret.ts';

type CurrentTextOptions = {
  readonly identity: AppIdentity;
  /** Fetches the current body of a comment; null if it was deleted. */
  readonly fetchComment: (pull: PullRequestRef, location: CommentLocation) => Promise<string | null>;
};

/** Updates a lost delivery to the current text of its comment; null if the comment was deleted. */
export type CurrentTextReader = (event: DeliveryEvent) => Promise<DeliveryEvent | null>;

const Body = z.object({ body: z.string().nullish() }).loose();

const CommentPayload = z.object({ comment: Body.optional(), review: Body.optional() }).loose();

/**
 * Authors can delete or edit a comment while its webhook is lost. A deleted comment is dropped, and an edited one is
 * handled as an edit, which never decides anything. [S60, S61]
 */
export function createCurrentTextReader({ identity, fetchComment }: CurrentTextOptions): CurrentTextReader {
  return async (event) => {
    const interpretation = interpret({ event: event.name, payload: event.payload, app: identity });
    if (interpretation.kind !== 'intent' || interpretation.intent.kind !== 'comment') return event;
    const body = await fetchComment(interpretation.intent.pull, interpretation.intent.location);
    return body === null ? null : withBody(event, body);
  };
}

function withBody(event: DeliveryEvent, body: string): DeliveryEvent {
  const { comment, review, ...rest } = CommentPayload.parse(event.payload);
  const commented = comment ?? review;
  if (commented === undefined || isSameText(commented.body ?? '', body)) return event;
  const edited = comment === undefined ? { review: { ...review, body } } : { comment: { ...comment, body } };
  return { ...event, payload: { ...rest, ...edited, action: 'edited' } };
}

/** The line endings of webhooks and API responses can differ. */
function isSameText(left: string, right: string): boolean {
  return left.replaceAll('\r\n', '\n').trimEnd() === right.replaceAll('\r\n', '\n').trimEnd();
}
