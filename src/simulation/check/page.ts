import { isFinal } from '../../run/transition.ts';
import { historyEntries } from '../../simulator/world/history.ts';
import { standingsOf } from '../github/port.ts';
import type { Check } from './evidence.ts';
import { isReached } from './removed.ts';

/** S72a: where nothing waits any more no review of the App asks for changes: it would block the pull request for ever. */
export const reviewsLetGo: Check = (evidence) => {
  const { played, saved } = evidence;
  if (!played.hub.world.installations.has(played.scene.ref.installationId)) return [];
  // Where GitHub does not let the App take it back, people are told.
  const kept = new Set(
    saved.flatMap(({ saved: { signal } }) => (signal.type === 'review-kept' ? signal.reviewId : [])),
  );
  return standingsOf(played.hub, played.scene).flatMap(({ pull }) =>
    [...pull.reviews.values()]
      .filter(({ authorId, state }) => authorId === played.scene.botId && state === 'CHANGES_REQUESTED')
      .filter(({ id }) => !kept.has(id))
      .map(({ id }) => `S72a: review ${id} asks for changes for ever`),
  );
};

/** S73: the thread of what is decided for good is resolved, unless somebody opened it again, or deleted what it began with. */
export const threadsAreResolved: Check = (evidence) => {
  const { played, ends } = evidence;
  const threads = new Map(
    standingsOf(played.hub, played.scene).flatMap(({ pull }) =>
      [...pull.threads].filter(([id]) => pull.reviewComments.has(id)),
    ),
  );
  const opened = new Set(
    historyEntries(played.hub.world.history).flatMap(({ kind, id }) => (kind === 'thread-unresolved' ? [id] : [])),
  );
  return [...ends].flatMap(([id, { state, comment, ref }]) => {
    const thread = comment === null || comment.kind === 'issue-comment' ? undefined : threads.get(comment.id);
    if (thread === undefined || thread.resolvedById !== null || opened.has(thread.id)) return [];
    return isFinal(state) && isReached(evidence, ref)
      ? [`S73: the thread of ${id}, which is ${state}, stays open`]
      : [];
  });
};

/** What people said to a run that goes on is told the model, or stays with the run. */
export const notesAreTold: Check = ({ saved }) => {
  const waiting = new Map<string, readonly { readonly text: string }[]>();
  return saved.flatMap(({ saved: { step } }) => {
    const { run } = step.pull;
    if (run === null) return [];
    const told = JSON.stringify(step.messages);
    const gone = (waiting.get(run.id) ?? []).filter(({ text }) => !run.notes.some((note) => note.text === text));
    waiting.set(run.id, run.notes);
    return gone
      .filter(({ text }) => !told.includes(JSON.stringify(JSON.stringify(text)).slice(3, -3)))
      .map(({ text }) => `the model was never told ${JSON.stringify(text)} (${step.reason})`);
  });
};
