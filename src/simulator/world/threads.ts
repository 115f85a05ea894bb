import { threadEvent } from '../payloads/events.ts';
import type { OnThread } from './inputs.ts';
import { mayWrite, threadPlace } from './lookup.ts';
import type { Operation, Outcome } from './outcome.ts';
import { NOT_ALLOWED, unknownNode } from './refusals.ts';
import type { World } from './state.ts';
import type { Thread } from './talk.ts';
import { timestamp } from './timestamp.ts';
import { done, recorded, refused, withEntry, withPull } from './update.ts';

/** Marks a thread resolved: the author of the pull request and people with write access may. */
export const resolveThread: Operation<OnThread, Thread> = (world, input, now) =>
  settle(world, input, 'resolved', input.actor.accountId, now);

/** Opens a resolved thread again, by the same rule. */
export const unresolveThread: Operation<OnThread, Thread> = (world, input, now) =>
  settle(world, input, 'unresolved', null, now);

function settle(
  world: World,
  { actor, threadNodeId }: OnThread,
  action: 'resolved' | 'unresolved',
  resolvedById: number | null,
  now: number,
): Outcome<Thread> {
  const found = threadPlace(world, threadNodeId);
  if (found === undefined) return refused(world, unknownNode(threadNodeId));
  const { repository, pull } = found;
  const isAuthor = pull.authorId === actor.accountId;
  if (actor.viaAppId === null && !isAuthor && !mayWrite(repository, actor.accountId))
    return refused(world, NOT_ALLOWED);
  const already = (found.thread.resolvedById !== null) === (action === 'resolved');
  if (already) return done(world, found.thread);
  const thread = { ...found.thread, resolvedById };
  const next = { ...pull, threads: withEntry(pull.threads, thread.id, thread) };
  const about = { repositoryId: repository.id, number: pull.number, id: thread.id };
  const state = recorded(withPull(world, repository.id, next), `thread-${action}`, actor, now, about);
  const event = threadEvent(state, { repository, pull: next, thread }, action, actor, timestamp(now));
  return done(state, thread, [event]);
}
