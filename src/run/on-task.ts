import type { Place } from '../command/intent.ts';
import { NO_OBSTACLES, obstaclesIn } from '../policy/branch-rules.ts';
import { DEFAULT_SETTINGS, type Settings } from '../policy/settings.ts';
import { firstMessage } from '../prompt/first-message.ts';
import { SYSTEM_PROMPT } from '../prompt/system.ts';
import { type Draft, draftOf, finish, withAnswer, withEffects, withMessages, withPull } from './draft.ts';
import type { Facts } from './facts.ts';
import { dropQueue } from './on-event.ts';
import { isOpen } from './proposal.ts';
import { activeRun, type Pull, RUN_SCHEMA, type Run, type Task } from './run.ts';
import { reply, type Spoken } from './spoken.ts';
import type { Step } from './step.ts';

/** `/countersign <task>`: begins a run, or queues behind the one that is active. */
export function onTask(spoken: Spoken, text: string): Step {
  const { pull, facts, intent } = spoken;
  const task: Task = {
    text: withContext(text, intent.place),
    by: spoken.person,
    place: intent.place,
    askedAt: intent.createdAt,
  };
  if (activeRun(pull) !== null || pull.queue.length > 0) return queue(spoken, task);
  if (facts.pull !== undefined && facts.pull.state !== 'open') {
    return reply(spoken, { kind: 'pull-not-open', state: facts.pull.state }, 'pull-not-open');
  }
  const seen = withEffects(draftOf(pull), { type: 'react', place: intent.place, content: 'eyes' });
  return finish(startRun(seen, task, facts), 'run-started');
}

function queue(spoken: Spoken, task: Task): Step {
  const { pull, intent } = spoken;
  const seen = withEffects(draftOf(pull), { type: 'react', place: intent.place, content: 'eyes' });
  const queued = withPull(seen, { queue: [...pull.queue, task] });
  const told = withAnswer(queued, intent.place, { kind: 'queued', ahead: pull.queue.length + 1 });
  return finish(activeRun(pull) === null ? withEffects(told, { type: 'start-next' }) : told, 'task-queued');
}

/** The oldest queued task, once the run before it is over. */
export function onTaskDue(pull: Pull, facts: Facts): Step {
  const [task, ...rest] = pull.queue;
  if (task === undefined || activeRun(pull) !== null) return finish(draftOf(pull), 'queue-empty');
  if (facts.pull !== undefined && facts.pull.state !== 'open') {
    return finish(dropQueue(draftOf(pull), facts.pull.state), 'pull-not-open');
  }
  return finish(startRun(withPull(draftOf(pull), { queue: rest }), task, facts), 'run-started');
}

function startRun(draft: Draft, task: Task, facts: Facts): Draft {
  const run = newRun(draft.pull, task, facts);
  // Nothing of the run before is open but what belongs to no run.
  const started = withPull(draft, { run, proposals: draft.pull.proposals.filter(isOpen) });
  const opening = withMessages(
    started,
    { role: 'system', content: SYSTEM_PROMPT },
    {
      role: 'user',
      content: firstMessage({ task, pull: draft.pull.ref, facts: facts.pull, changedPaths: facts.changedPaths ?? [] }),
    },
  );
  return withEffects(
    opening,
    { type: 'show-run', runId: run.id, first: true },
    { type: 'ask-model', runId: run.id, turn: 1 },
  );
}

function newRun(pull: Pull, task: Task, facts: Facts): Run {
  return {
    schema: RUN_SCHEMA,
    id: runId(pull, task),
    task,
    settings: settingsOf(facts),
    phase: { kind: 'thinking', turn: 1 },
    turns: 0,
    resumed: null,
    questions: 0,
    messages: 0,
    batch: null,
    usage: { input: 0, cachedInput: 0, output: 0 },
    head: facts.pull?.headSha ?? '',
    headRef: facts.pull?.headRef ?? '',
    baseRef: facts.pull?.baseRef ?? '',
    fork: facts.pull?.fork ?? false,
    obstacles: facts.rules === undefined ? NO_OBSTACLES : obstaclesIn(facts.rules),
    sameBranch: facts.sameBranch ?? [],
    pushRefused: false,
    pullAuthor: facts.pull?.author ?? null,
    notes: [],
    spokenAt: null,
    repeats: 0,
    commits: [],
    ownEdits: {},
    read: {},
    summary: null,
    comment: null,
    reviews: [],
    restorations: 0,
  };
}

/** A broken file is told of where something is to be approved; until then the safe defaults hold. */
function settingsOf({ settings }: Facts): Settings {
  return settings?.kind === 'settings' ? settings.settings : DEFAULT_SETTINGS;
}

/** From the words that began it, so that the same words never begin two runs. */
function runId(pull: Pull, task: Task): string {
  const { place } = task;
  const words = place.at === 'review' ? `r${place.reviewId}` : `${place.at.charAt(0)}${place.commentId}`;
  return `${pull.ref.repositoryId}-${pull.ref.number}-${words}`;
}

/** What a task in a review thread is about is part of the task. */
function withContext(text: string, place: Place): string {
  if (place.at !== 'thread') return text;
  const line = place.line === null ? '' : `, line ${place.line}`;
  return `${text}\n\nThis was written in a review thread on ${JSON.stringify(place.path)}${line}, below this part of the diff:\n${place.diffHunk}`;
}
