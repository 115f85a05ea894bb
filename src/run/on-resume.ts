import { noteMessage, resumedMessage } from '../prompt/notes.ts';
import { WITHDRAWN } from '../prompt/outputs.ts';
import type { NotResumable } from './answer.ts';
import { answerCall, nextTurn, settleBatch, withCall } from './batch.ts';
import { type Draft, draftOf, finish, withEffects, withMessages, withRun } from './draft.ts';
import { activeRun, type Batch, type Call, isResumable, type Pull, type Run } from './run.ts';
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

/** `/resume`: a run that the model, its limit or an expiry had ended goes on from its transcript, once for each such end. */
export function onResume(spoken: Spoken): Step {
  const { pull, facts, intent, person } = spoken;
  const run = resumable(pull, intent.createdAt);
  if (typeof run === 'string') return reply(spoken, { kind: 'not-resumed', why: run }, 'not-resumable');
  if (facts.pull !== undefined && facts.pull.state !== 'open')
    return reply(spoken, { kind: 'pull-not-open', state: facts.pull.state }, 'pull-not-open');
  const seen = withEffects(draftOf(pull), { type: 'react', place: intent.place, content: '+1' });
  const resumed = { by: person, askedAt: intent.createdAt, turns: run.turns };
  const going = withRun(seen, { resumed, baseRef: facts.pull?.baseRef ?? run.baseRef, summary: null });
  if (run.batch !== null) return finish(settleBatch(proposedAgain(going, run.id, run.batch), facts.now), 'resumed');
  const told = withMessages(going, ...run.notes.map(noteMessage), resumedMessage(person));
  return finish(nextTurn(withRun(told, { notes: [] }), facts.now), 'resumed');
}

/**
 * What nobody decided in time is worked out anew for the head of now, from the model's own calls; the model hears
 * nothing of the pause. A person's own lines were not its call, and are not proposed again by themselves.
 */
function proposedAgain(draft: Draft, runId: string, { turn, calls }: Batch): Draft {
  const expired = calls.filter(({ status }) => status.kind === 'expired');
  const [own, again] = [
    expired.filter((call) => isOwnText(draft.pull, call)),
    expired.filter((call) => !isOwnText(draft.pull, call)),
  ];
  const going = withRun(draft, { phase: { kind: 'using-tools', turn } });
  const withdrawn = own.reduce((next, { call }) => answerCall(next, call.id, WITHDRAWN), going);
  const waiting = again.reduce((next, { call }) => withCall(next, call.id, { kind: 'using' }), withdrawn);
  if (again.length === 0) return waiting;
  return withEffects(waiting, { type: 'use-tools', runId, turn, calls: again.map(({ call }) => call) });
}

function isOwnText({ proposals }: Pull, { status }: Call): boolean {
  return (
    status.kind === 'expired' && proposals.some(({ id, modified }) => id === status.proposalId && modified !== null)
  );
}
