import { noteMessage, resumedMessage } from '../prompt/notes.ts';
import type { NotResumable } from './answer.ts';
import { nextTurn } from './batch.ts';
import { draftOf, finish, withEffects, withMessages, withRun } from './draft.ts';
import { activeRun, isResumable, type Pull, type Run } from './run.ts';
import { reply, type Spoken } from './spoken.ts';
import type { Step } from './step.ts';

/** The run that a `/resume` written at that time lets go on, or why there is none. */
export function resumable(pull: Pull, createdAt: string): Run | NotResumable {
  const { run } = pull;
  if (activeRun(pull) !== null || pull.queue.length > 0) return 'active';
  if (run === null || run.phase.kind !== 'ended' || !isResumable(run.phase.how)) return 'nothing';
  const written = Date.parse(createdAt);
  const isAfterTask = written > Date.parse(run.task.askedAt);
  const isAfterEnd = written > inWholeSeconds(run.phase.at);
  const isAfterLast = run.resumed === null || written > Date.parse(run.resumed.askedAt);
  return isAfterTask && isAfterEnd && isAfterLast ? run : 'written-before';
}

/** GitHub tells whole seconds; what came in the same one did not come later. */
function inWholeSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000) * 1000;
}

/** `/resume`: a run that the model or its limit had ended goes on from its transcript, once for each such end. */
export function onResume(spoken: Spoken): Step {
  const { pull, facts, intent, person } = spoken;
  const run = resumable(pull, intent.createdAt);
  if (typeof run === 'string') return reply(spoken, { kind: 'not-resumed', why: run }, 'not-resumable');
  if (facts.pull !== undefined && facts.pull.state !== 'open')
    return reply(spoken, { kind: 'pull-not-open', state: facts.pull.state }, 'pull-not-open');
  const seen = withEffects(draftOf(pull), { type: 'react', place: intent.place, content: '+1' });
  const told = withMessages(seen, ...run.notes.map(noteMessage), resumedMessage(person));
  const resumed = { by: person, askedAt: intent.createdAt, turns: run.turns };
  const baseRef = facts.pull?.baseRef ?? run.baseRef;
  return finish(nextTurn(withRun(told, { resumed, baseRef, notes: [], summary: null }), facts.now), 'resumed');
}
