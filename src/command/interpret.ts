import type { IgnoreReason } from './ignore-reason.ts';
import type { Intent } from './intent.ts';
import type { Notice } from './notice.ts';
import { Envelope } from './payloads.ts';
import { NOTICE_READERS, type NoticeReader } from './read-installation.ts';
import { readClosed, readPushed, readRetargeted } from './read-pull.ts';
import { readDismissed, readThread } from './read-review.ts';
import { readDeleted, readEdited, readSaid } from './read-words.ts';
import type { Reader, Self } from './reader.ts';
import { saidInConversation, saidInReview, saidInThread } from './said.ts';

/** A verified delivery: GitHub's event name, its parsed body, and who we are on GitHub. */
export type Received = { readonly event: string; readonly payload: unknown; readonly self: Self };

export type Interpretation =
  | { readonly kind: 'intent'; readonly intent: Intent }
  | { readonly kind: 'notice'; readonly notice: Notice }
  | { readonly kind: 'nothing'; readonly reason: IgnoreReason };

/** Every event and action that can mean something. */
const READERS: ReadonlyMap<string, ReadonlyMap<string, Reader>> = new Map([
  [
    'issue_comment',
    new Map([
      ['created', readSaid(saidInConversation)],
      ['edited', readEdited(saidInConversation)],
      ['deleted', readDeleted(saidInConversation)],
    ]),
  ],
  [
    'pull_request_review_comment',
    new Map([
      ['created', readSaid(saidInThread)],
      ['edited', readEdited(saidInThread)],
      ['deleted', readDeleted(saidInThread)],
    ]),
  ],
  [
    'pull_request_review',
    new Map<string, Reader>([
      ['submitted', readSaid(saidInReview)],
      ['edited', readEdited(saidInReview)],
      ['dismissed', readDismissed],
    ]),
  ],
  [
    'pull_request_review_thread',
    new Map([
      ['resolved', readThread(true)],
      ['unresolved', readThread(false)],
    ]),
  ],
  [
    'pull_request',
    new Map<string, Reader>([
      ['synchronize', readPushed],
      ['closed', readClosed],
      ['edited', readRetargeted],
    ]),
  ],
]);

/** Whether any delivery of this event and action can mean something; `action` is null where the event has none. */
export function mayMean(event: string, action: string | null): boolean {
  return action !== null && ((NOTICE_READERS.get(event) ?? READERS.get(event))?.has(action) ?? false);
}

/** What a delivery means, from its bytes alone. Total: any payload gives an intent, a notice or one reason, and nothing throws. */
export function interpret({ event, payload, self }: Received): Interpretation {
  const notices = NOTICE_READERS.get(event);
  if (notices !== undefined) return interpretNotice(notices, payload);
  const meaning = readEvent(event, payload, self);
  return typeof meaning === 'string' ? { kind: 'nothing', reason: meaning } : { kind: 'intent', intent: meaning };
}

function interpretNotice(readers: ReadonlyMap<string, NoticeReader>, payload: unknown): Interpretation {
  const envelope = Envelope.safeParse(payload);
  const read = envelope.success ? readers.get(envelope.data.action) : undefined;
  if (read === undefined) return { kind: 'nothing', reason: envelope.success ? 'unknown-action' : 'malformed' };
  const meaning = read(payload);
  return typeof meaning === 'string' ? { kind: 'nothing', reason: meaning } : { kind: 'notice', notice: meaning };
}

function readEvent(event: string, payload: unknown, self: Received['self']): Intent | IgnoreReason {
  const actions = READERS.get(event);
  if (actions === undefined) return 'unknown-event';
  const envelope = Envelope.safeParse(payload);
  if (!envelope.success) return 'malformed';
  const { action, installation, sender } = envelope.data;
  const reader = actions.get(action);
  if (reader === undefined) return 'unknown-action';
  return installation ? reader(payload, { self, installationId: installation.id, sender }) : 'no-installation';
}
