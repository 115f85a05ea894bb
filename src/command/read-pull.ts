import type { IgnoreReason } from './ignore-reason.ts';
import type { Intent } from './intent.ts';
import { ClosedEvent, EditedPullEvent, PushedEvent } from './payloads.ts';
import { actorOf, type Context, pullRef } from './reader.ts';

/** The head moved. Whoever pushed, the branch is another now: the App's own push may have come through another pull request. */
export function readPushed(payload: unknown, context: Context): Intent | IgnoreReason {
  const read = PushedEvent.safeParse(payload);
  if (!read.success) return 'malformed';
  const { sender } = context;
  if (!sender) return 'no-actor';
  const { repository, pull_request, before, after } = read.data;
  const pull = pullRef(repository, pull_request.number, context);
  return { kind: 'pushed', pull, actor: actorOf(sender, false), before, after };
}

/** Closed, merged or not. Who did it does not matter: what waits can no longer be applied. */
export function readClosed(payload: unknown, context: Context): Intent | IgnoreReason {
  const read = ClosedEvent.safeParse(payload);
  if (!read.success) return 'malformed';
  if (!context.sender) return 'no-actor';
  const { repository, pull_request } = read.data;
  const pull = pullRef(repository, pull_request.number, context);
  return { kind: 'closed', pull, actor: actorOf(context.sender, false), merged: pull_request.merged === true };
}

/** Edited: what matters is whether it goes to another branch now. */
export function readRetargeted(payload: unknown, context: Context): Intent | IgnoreReason {
  const read = EditedPullEvent.safeParse(payload);
  if (!read.success) return 'malformed';
  if (!context.sender) return 'no-actor';
  const { repository, pull_request, changes } = read.data;
  const from = changes?.base?.ref.from;
  if (from === undefined || from === pull_request.base.ref) return 'harmless-edit';
  const pull = pullRef(repository, pull_request.number, context);
  return { kind: 'retargeted', pull, actor: actorOf(context.sender, false), from, to: pull_request.base.ref };
}
