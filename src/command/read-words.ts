import { hash } from 'node:crypto';
import type { IgnoreReason } from './ignore-reason.ts';
import type { Actor, Intent, Utterance } from './intent.ts';
import type { QuotedId } from './quoted-ids.ts';
import { readComment } from './read-comment.ts';
import { actorOf, type Context, pullRef, type Reader } from './reader.ts';
import type { ReadWords, Said } from './said.ts';

/** New words. Only a person who speaks for themselves is heard. */
export function readSaid(find: ReadWords): Reader {
  return (payload, context) => {
    const words = find(payload);
    if (typeof words === 'string') return words;
    const actor = personOf(words, context);
    if (typeof actor === 'string') return actor;
    if (words.writer?.id !== actor.id) return 'another-hand';
    if (isEmptyReview(words)) return 'empty-review';
    const { utterance: read, quotedIds } = readComment(words.body, context.self.slug);
    const utterance = words.reviewState === 'approved' && read.kind === 'remark' ? SILENCE : read;
    const reason = notForUs(words, utterance, quotedIds);
    if (reason !== null) return reason;
    const bodyHash = hash('sha256', words.body, 'hex');
    const { place, createdAt, reviewState } = words;
    const pull = pullRef(words.repository, words.number, context);
    return { kind: 'said', pull, actor, place, utterance, quotedIds, createdAt, bodyHash, reviewState };
  };
}

/** What stands in a plain approval besides: nobody's business here, so it is not even kept. */
const SILENCE: Utterance = {
  kind: 'remark',
  text: '',
  toSomebodyElse: false,
  affirmation: false,
  suggestions: [],
  unclosedSuggestion: false,
};

/** An approval may mean something without a word; of the others only the words do. */
function isEmptyReview({ reviewState, body }: Said): boolean {
  return reviewState !== null && reviewState !== 'approved' && body.trim() === '';
}

/** Edited words never decide; somebody who edited them into a command is told so, whoever wrote them first. */
export function readEdited(read: ReadWords): Reader {
  return (payload, context) => {
    const words = read(payload);
    if (typeof words === 'string') return words;
    if (words.writer?.id === context.self.botId) return ownComment(words, context, 'edited');
    const actor = personOf(words, context);
    if (typeof actor === 'string') return actor;
    const { utterance } = readComment(words.body, context.self.slug);
    if (!isToUs(utterance)) return 'harmless-edit';
    const { place, createdAt } = words;
    const pull = pullRef(words.repository, words.number, context);
    return { kind: 'edited', pull, actor, place, utterance, createdAt };
  };
}

/** Deleted words have been heard; whoever deletes them may think otherwise. A comment of ours that is gone was shown to people. */
export function readDeleted(read: ReadWords): Reader {
  return (payload, context) => {
    const words = read(payload);
    if (typeof words === 'string') return words;
    if (words.writer?.id === context.self.botId) return ownComment(words, context, 'deleted');
    const actor = personOf(words, context);
    if (typeof actor === 'string') return actor;
    const { utterance, quotedIds } = readComment(words.body, context.self.slug);
    const reason = notForUs(words, utterance, quotedIds);
    if (reason !== null) return reason;
    return { kind: 'deleted', pull: pullRef(words.repository, words.number, context), actor, place: words.place };
  };
}

/** Whoever did it, a comment of ours no longer stands as we wrote it; what we do to our own we know. */
function ownComment(words: Said, context: Context, deed: 'edited' | 'deleted'): Intent | IgnoreReason {
  const { self, sender } = context;
  if (!sender) return 'no-actor';
  if (sender.id === self.botId) return 'own-event';
  const pull = pullRef(words.repository, words.number, context);
  return { kind: 'own-comment', deed, pull, actor: actorOf(sender, false), place: words.place };
}

/** The person behind the words: the sender, never the comment's author; known by type and id, never by login. */
function personOf(words: Said, { self, sender }: Context): Actor | IgnoreReason {
  const { writer, viaApp } = words;
  if (!sender || !writer) return 'no-actor';
  if (sender.id === self.botId) return 'own-event';
  if (sender.type === 'Bot' || writer.type === 'Bot') return 'bot';
  if (sender.type !== 'User') return 'not-a-person';
  return viaApp ? 'via-app' : actorOf(sender, viaApp);
}

/** Why words concern nobody here, as far as they tell; only the store knows whose thread a reply stands in. */
function notForUs(words: Said, utterance: Utterance, quotedIds: readonly QuotedId[]): IgnoreReason | null {
  if (words.isReply || isToUs(utterance)) return null;
  if (utterance.kind === 'unknown-command') return utterance.nearest === null ? 'other-command' : null;
  if (words.reviewState === 'approved' || words.reviewState === 'changes_requested') return null;
  return words.place.at === 'conversation' && quotedIds.length > 0 ? null : 'not-addressed';
}

function isToUs(utterance: Utterance): boolean {
  switch (utterance.kind) {
    case 'command':
    case 'misfit':
    case 'mention':
      return true;
    case 'unknown-command':
      return utterance.addressed;
    case 'remark':
      return false;
  }
}
