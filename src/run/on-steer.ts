import { settleBatch, withdraw, withExpiredAnswered } from './batch.ts';
import { draftOf, finish, withAnswer, withEffects, withPull, withRun } from './draft.ts';
import { cancelUndos, endRun, openUndos, tasksAskedBy } from './end-run.ts';
import { resumable } from './on-resume.ts';
import { isPending } from './proposal.ts';
import { activeRun } from './run.ts';
import { inform, named, reply, type Spoken } from './spoken.ts';
import type { Step } from './step.ts';
import { aimAtAll } from './targets.ts';

/** `/continue`: what is undecided is withdrawn, and the outcomes so far go to the model. */
export function onContinue(spoken: Spoken): Step {
  const run = activeRun(spoken.pull);
  const found = aimAtAll(spoken.pull, 'continue', spoken.words);
  if (run?.batch == null || found.kind !== 'these') {
    const left = found.kind === 'none' ? found.left : [];
    if (left.length > 0) return reply(spoken, { kind: 'posted-later', left: left.map(named) }, 'posted-later');
    return reply(spoken, { kind: 'nothing-pending', command: 'continue' }, 'nothing-pending');
  }
  const going = withExpiredAnswered(withRun(draftOf(spoken.pull), { batch: { ...run.batch, continued: true } }));
  const note = `${spoken.person.login} went on without it with /continue`;
  const withdrawn = found.proposals.reduce((draft, one) => withdraw(draft, one, note, spoken.intent.createdAt), going);
  const acknowledged = withEffects(withdrawn, { type: 'react', place: spoken.intent.place, content: '+1' });
  return finish(settleBatch(acknowledged, spoken.facts.now), 'continued');
}

/** `/stop`: ends a run whose task was written before it, or in the same second, and drops the queued tasks of which that is true. */
export function onStop(spoken: Spoken): Step {
  const run = activeRun(spoken.pull);
  const begun = run !== null && Date.parse(run.task.askedAt) <= Date.parse(spoken.intent.createdAt);
  if (!begun) return stopQueued(spoken);
  const { intent, facts, person } = spoken;
  const acknowledged = withEffects(draftOf(spoken.pull), { type: 'react', place: intent.place, content: '+1' });
  const ending = { how: 'stopped', by: person, note: null } as const;
  return finish(endRun(acknowledged, ending, facts.now, intent.createdAt), 'stopped');
}

/** Between two runs, or before one that began later: what was queued by then does not begin, and no undo goes on. */
function stopQueued(spoken: Spoken): Step {
  const { pull, intent, facts } = spoken;
  const dropped = tasksAskedBy(pull, intent.createdAt);
  if (dropped.length === 0 && openUndos(pull, intent.createdAt).length === 0)
    return reply(spoken, { kind: 'no-run', command: 'stop' }, 'no-run');
  const left = withPull(draftOf(pull), { queue: pull.queue.filter((task) => !dropped.includes(task)) });
  const stopped = cancelUndos(left, 'stopped', facts.now, intent.createdAt);
  const acknowledged = withEffects(stopped, { type: 'react', place: intent.place, content: '+1' });
  if (dropped.length === 0) return finish(acknowledged, 'stopped');
  const answer = { kind: 'queue-dropped', dropped: dropped.map(({ text }) => text) } as const;
  return finish(withAnswer(acknowledged, intent.place, answer), 'stopped');
}

/** `/status`: what is pending, with links. */
export function onStatus(spoken: Spoken): Step {
  const { pull, intent } = spoken;
  const pending = pull.proposals.filter(isPending).map(named);
  const answer = {
    kind: 'status',
    pending,
    running: activeRun(pull) !== null,
    queued: pull.queue.length,
    questions: pull.questions.length,
    resumable: typeof resumable(pull, intent.createdAt) !== 'string',
  } as const;
  return inform(spoken, answer);
}

/** `/help`: the command table. */
export function onHelp(spoken: Spoken): Step {
  return inform(spoken, { kind: 'help' });
}
