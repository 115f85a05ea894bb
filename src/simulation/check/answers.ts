import { historyEntries } from '../../simulator/world/history.ts';
import { ownComments } from '../github/own-words.ts';
import { standingOf } from '../github/port.ts';
import { OPEN_SENTENCE } from '../people/page.ts';
import type { Check, Evidence } from './evidence.ts';

const MARKED = /^<!-- countersign:(?:proposal|run):\S+ -->/;

/**
 * V5: what the App keeps up to date stands on the page once. Not where a process hung past its lease: what it and its
 * successor had under way in that moment may stand there twice.
 */
export const commentsStandOnce: Check = ({ played, happenings }) => {
  if (happenings.some((one) => one.kind === 'fault' && one.fault === 'hang')) return [];
  const markers = ownComments(standingOf(played.hub, played.scene), played.scene).flatMap(
    ({ body }) => MARKED.exec(body)?.[0] ?? [],
  );
  return markers
    .filter((marker, place) => markers.indexOf(marker) !== place)
    .map((marker) => `V5: ${marker} stands twice`);
};

const UNDER_WAY: ReadonlySet<string> = new Set(['approved', 'executing']);

/** Somebody else was the last to write it: what is decided already is not put back. */
function changedByPeople({ played }: Evidence, commentId: number): boolean {
  const edits = historyEntries(played.hub.world.history).filter(
    ({ id, kind }) => id === commentId && /^(?:review-)?comment-edited$/.test(kind),
  );
  return edits.at(-1)?.viaAppId === null;
}

/** V5: every decision that was accepted can be seen to its end on the page. */
export const decisionsShow: Check = (evidence) => {
  const bodies = new Map(
    ownComments(standingOf(evidence.played.hub, evidence.played.scene), evidence.played.scene).map((comment) => [
      comment.id,
      comment.body,
    ]),
  );
  return [...evidence.ends].flatMap(([id, { state, comment }]) => {
    if (UNDER_WAY.has(state)) return [`V5: ${id} is ${state} for ever`];
    const body = comment === null ? undefined : bodies.get(comment.id);
    if (body === undefined || comment === null || changedByPeople(evidence, comment.id)) return [];
    if (state === 'proposed') return [];
    if (body.includes(OPEN_SENTENCE)) return [`V5: the comment of ${id}, which is ${state}, says that it waits`];
    const commit = evidence.landed.find(({ plan }) => plan.proposalIds.includes(id));
    if (commit === undefined) return [];
    if (state !== 'completed') return [`V5: ${id} was committed and is ${state}`];
    return body.includes(commit.sha.slice(0, 7)) ? [] : [`V5: the comment of ${id} does not name its commit`];
  });
};

/** V5: whoever gave a command that was taken sees a reaction to it, an answer, or the decision itself. */
export const commandsAreAnswered: Check = (evidence) => {
  const { played } = evidence;
  const { pull } = standingOf(played.hub, played.scene);
  const reacted = (commentId: number): boolean =>
    [pull.comments.get(commentId), pull.reviewComments.get(commentId)].some((comment) =>
      comment?.reactions.some(({ authorId }) => authorId === played.scene.botId),
    );
  return evidence.saved.flatMap(({ saved: { signal, step } }) => {
    if (signal.type !== 'intent' || signal.intent.kind !== 'said' || !TAKEN.has(step.reason)) return [];
    const { place } = signal.intent;
    if (place.at === 'review') return [];
    const stands = pull.comments.has(place.commentId) || pull.reviewComments.has(place.commentId);
    return !stands || reacted(place.commentId) ? [] : [`V5: ${step.reason} (${place.commentId}) shows no reaction`];
  });
};

/** Reasons of words that a reaction answers. */
const TAKEN: ReadonlySet<string> = new Set(['approved', 'denied', 'modified', 'run-started']);

/** V5: GitHub is told that a delivery is taken only once it is stored. */
export const answersAreStored: Check = ({ happenings }: Evidence) => {
  const stored = new Set(happenings.flatMap((one) => (one.kind === 'received' ? [one.delivery.id] : [])));
  return happenings.flatMap((one) =>
    one.kind === 'answered' && one.meant && !stored.has(one.deliveryId)
      ? [`V5: ${one.deliveryId} was answered and never stored`]
      : [],
  );
};
