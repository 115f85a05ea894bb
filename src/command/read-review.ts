import type { IgnoreReason } from './ignore-reason.ts';
import type { Actor, Intent } from './intent.ts';
import { DismissedEvent, ThreadEvent } from './payloads.ts';
import { actorOf, type Context, pullRef } from './reader.ts';

/** A review was dismissed: ours says that somebody does not want what it holds, another's is none of our business. */
export function readDismissed(payload: unknown, context: Context): Intent | IgnoreReason {
  const read = DismissedEvent.safeParse(payload);
  if (!read.success) return 'malformed';
  const actor = person(context);
  if (typeof actor === 'string') return actor;
  const { repository, pull_request, review } = read.data;
  if (review.user?.id !== context.self.botId) return 'not-our-review';
  return { kind: 'dismissed', pull: pullRef(repository, pull_request.number, context), actor, reviewId: review.id };
}

/** A review thread was resolved or opened again; whose it is only the store knows. */
export function readThread(resolved: boolean): (payload: unknown, context: Context) => Intent | IgnoreReason {
  return (payload, context) => {
    const read = ThreadEvent.safeParse(payload);
    if (!read.success) return 'malformed';
    const actor = person(context);
    if (typeof actor === 'string') return actor;
    const { repository, pull_request, thread } = read.data;
    const root = thread.comments.find((comment) => (comment.in_reply_to_id ?? null) === null);
    if (root === undefined) return 'malformed';
    const pull = pullRef(repository, pull_request.number, context);
    return { kind: 'thread', pull, actor, rootId: root.id, resolved };
  };
}

/** GitHub need not name whoever settled a thread; what nobody did decides nothing. */
function person({ self, sender }: Context): Actor | IgnoreReason {
  if (!sender) return 'no-actor';
  if (sender.id === self.botId) return 'own-event';
  if (sender.type === 'Bot') return 'bot';
  return sender.type === 'User' ? actorOf(sender, false) : 'not-a-person';
}
