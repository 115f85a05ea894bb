import { runMarker } from '../../render/markers.ts';
import { endingWords } from '../../render/run-comment.ts';
import { STATE_WORDS } from '../../render/verdict.ts';
import { historyEntries } from '../../simulator/world/history.ts';
import { ownComments } from '../github/own-words.ts';
import { standingsOf } from '../github/port.ts';
import { OPEN_SENTENCE } from '../people/page.ts';
import type { Check, Evidence } from './evidence.ts';
import { isReached } from './removed.ts';

const MARKED = /^<!-- countersign:(?:proposal|run):\S+ -->/;

/** V5: what the App keeps up to date stands on the page once, whatever hung meanwhile. */
export const commentsStandOnce: Check = ({ played }) =>
  standingsOf(played.hub, played.scene).flatMap((standing) => {
    const markers = ownComments(standing, played.scene).flatMap(({ body }) => MARKED.exec(body)?.[0] ?? []);
    return markers
      .filter((marker, place) => markers.indexOf(marker) !== place)
      .map((marker) => `V5: ${marker} stands twice`);
  });

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
  const { hub, scene } = evidence.played;
  const comments = standingsOf(hub, scene).flatMap((standing) => ownComments(standing, scene));
  const bodies = new Map(comments.map((comment) => [comment.id, comment.body]));
  return [...evidence.ends].flatMap(([id, { state, comment, ref }]) => {
    if (UNDER_WAY.has(state)) return [`V5: ${id} is ${state} for ever`];
    if (!isReached(evidence, ref)) return [];
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

/** V5: the comment of a run that is over says so, and names what was committed of it. */
export const endsShow: Check = (evidence) => {
  const { played, saved } = evidence;
  const comments = standingsOf(played.hub, played.scene).flatMap((standing) => ownComments(standing, played.scene));
  const last = new Map(
    saved.flatMap(({ saved: { step } }) => (step.pull.run === null ? [] : [[step.pull.run.id, step.pull]])),
  );
  return [...last].flatMap(([id, { run, ref }]) => {
    const own = comments.find(({ body }) => body.startsWith(runMarker(id)));
    if (own === undefined || run?.phase.kind !== 'ended' || !isReached(evidence, ref)) return [];
    if (changedByPeople(evidence, own.id)) return [];
    const words = [`The run ${endingWords(run.phase.how)}`, ...commitsOf(evidence, id)];
    if (own.body.includes(STATE_WORDS.executing))
      return [`V5: the comment of run ${id} says that something is being applied`];
    return words
      .filter((one) => !own.body.includes(one))
      .map((one) => `V5: the comment of run ${id} does not say: ${one}`);
  });
};

function commitsOf({ landed, ends }: Evidence, runId: string): readonly string[] {
  const isOf = (id: string): boolean => ends.get(id)?.runId === runId;
  return landed.filter(({ plan }) => plan.proposalIds.some(isOf)).map(({ sha }) => sha.slice(0, 7));
}

/** V5: whoever gave a command that was taken sees a reaction to it, an answer, or the decision itself. */
export const commandsAreAnswered: Check = (evidence) => {
  const { played } = evidence;
  const said = new Map(
    standingsOf(played.hub, played.scene).flatMap(({ pull }) =>
      [...pull.comments.values(), ...pull.reviewComments.values()].map(({ id, reactions }) => [id, reactions] as const),
    ),
  );
  return evidence.saved.flatMap(({ saved: { signal, step } }) => {
    if (signal.type !== 'intent' || signal.intent.kind !== 'said' || !TAKEN.has(step.reason)) return [];
    const { place } = signal.intent;
    if (place.at === 'review' || !isReached(evidence, signal.intent.pull)) return [];
    const reactions = said.get(place.commentId);
    const isAnswered = reactions?.some(({ authorId }) => authorId === played.scene.botId) ?? true;
    return isAnswered ? [] : [`V5: ${step.reason} (${place.commentId}) shows no reaction`];
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
