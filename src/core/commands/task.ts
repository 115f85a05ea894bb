import { pluralize } from '../../lib/format.ts';
import { questionNote } from '../actions/agent-notes.ts';
import { checkWaitOf, endInsteadOfWaiting } from '../actions/check-wait.ts';
import { dropQueue } from '../actions/end-run.ts';
import { runStartNeeds, runStartOf, startSettings } from '../actions/fact-needs.ts';
import { applyBase } from '../actions/head-moved.ts';
import {
  endStep,
  type StepBuilder,
  startStep,
  withEffects,
  withPullState,
  withReply,
} from '../actions/step-builder.ts';
import { summarizePull } from '../agent/context/pull-summary.ts';
import { readText } from '../comments/command-line.ts';
import { queueFull, taskQueued } from '../messages/replies.ts';
import { joinRules } from '../policy/path-policy.ts';
import { type HeadBranch, NO_BRANCH_FACTS } from '../state/head-branch.ts';
import { locationId } from '../state/intent.ts';
import { LIMITS, NO_IDLE_RESPONSES } from '../state/limits.ts';
import { isOpen } from '../state/proposal.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import { type DecidedChange, NO_DENIALS, type Run, type Task } from '../state/run.ts';
import type { Settings } from '../state/settings.ts';
import { priceOf, startSpending } from '../state/spending.ts';
import type { Person } from '../state/vote.ts';
import type { Facts, Need } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import {
  acknowledge,
  type CommandContext,
  type CommandDefinition,
  type CommentContext,
  endWithReply,
  refuseToRun,
  whyNoRun,
} from './shared/context.ts';
import { findAnsweredProposal } from './shared/targets.ts';
import { isAboutDecided, wordsNeeds } from './shared/words-for-agent.ts';

export const task = {
  name: 'task',
  words: ['countersign'],
  syntax: '/countersign <task>',
  summary: 'start a task on this pull request (queued if one is already running)',
  allowedTo: 'writer',
  read: ({ rest, below }) => readText('task', rest, below),
  needs: {
    condition: 'no run is active',
    kinds: ['missing-permissions', 'pull-request', 'settings', 'run-limit', 'branch'],
    next: needsToStart,
  },
  run: (context, { text }) => requestTask(context, text),
} as const satisfies CommandDefinition<'task'>;

function needsToStart(context: CommentContext): readonly Need[] {
  const { pull, intent, facts } = context;
  if (intent.parsed.kind === 'command') return canStartAtOnce(pull) ? runStartNeeds(facts, intent.actor) : [];
  // Words that answer a proposal are an instruction, or about its outcome.
  const answered = findAnsweredProposal(pull, intent);
  return answered === null || isAboutDecided(answered, intent.createdAt) ? wordsNeeds(context, answered) : [];
}

/** A run that waits for checks ends for a new task. */
function canStartAtOnce(pull: PullState): boolean {
  return activeRun(pull) === null || checkWaitOf(pull) !== null;
}

/** Starts a run, or queues the task behind the active run. `about` is the decided change that the words answer. */
export function requestTask(context: CommandContext, text: string, about: DecidedChange | null = null): Step {
  const { pull, facts, intent } = context;
  const task: Task = {
    text,
    quote: intent.quote,
    by: context.person,
    location: intent.location,
    ...(about === null ? {} : { about }),
    requestedAt: intent.createdAt,
  };
  if (!canStartAtOnce(pull) || pull.queue.length > 0) return queueTask(context, task);
  const refusal = refuseToRun(context);
  if (refusal !== null) return refusal;
  const free = endInsteadOfWaiting(acknowledge(startStep(pull), context, 'eyes'), facts.now);
  return endStep(startRun(free, task, facts), 'run-started');
}

function queueTask(context: CommandContext, task: Task): Step {
  const { pull, intent } = context;
  const full = findFullQueue(pull, context.person);
  if (full !== null) return endWithReply(context, queueFull('task', full), 'queue-full');
  const acknowledged = acknowledge(startStep(pull), context, 'eyes');
  const added = withPullState(acknowledged, { queue: [...pull.queue, task] });
  const replied = withReply(added, intent.location, taskQueued(pull.queue.length + 1));
  return endStep(activeRun(pull) === null ? withEffects(replied, { type: 'start-next-task' }) : replied, 'queued');
}

/** The tasks that leave no place for another one of this person; null if there is one. */
function findFullQueue({ queue }: PullState, person: Person): string | null {
  const { queuedTasks, queuedTasksOfOnePerson } = LIMITS;
  if (queue.length >= queuedTasks) return pluralize(queuedTasks, 'task');
  const own = queue.filter(({ by }) => by.id === person.id);
  return own.length >= queuedTasksOfOnePerson ? `${pluralize(queuedTasksOfOnePerson, 'task')} of yours` : null;
}

/** Starts the oldest queued task once the previous run has ended. */
export function onNextTaskDue(pull: PullState, facts: Facts): Step {
  const [next, ...rest] = pull.queue;
  if (next === undefined || activeRun(pull) !== null) return endStep(startStep(pull), 'outdated-result');
  const refusal = whyNoRun(facts);
  if (refusal !== null) return endStep(dropQueue(startStep(pull), refusal.reply), refusal.reason);
  return endStep(startRun(withPullState(startStep(pull), { queue: rest }), next, facts), 'run-started');
}

function startRun(builder: StepBuilder, task: Task, facts: Facts): StepBuilder {
  const { pull } = builder;
  // The webhook of a new base can be late or lost: what people approved for the one before ends here.
  const atBase = applyBase(builder, facts.pullRequest?.baseRef ?? pull.run?.assessed.baseRef ?? '', facts.now);
  const run = createRun(pull, task, facts);
  // The open proposals are undos, and commit attempts of the previous run in flight.
  const proposals = atBase.pull.proposals.filter(isOpen);
  const idKey = pull.idKey || (facts.idKey ?? '');
  const withNewRun = { ...withPullState(atBase, { run, proposals, idKey }), runStart: runStartOf(facts, task.by) };
  const summary = facts.pullRequest === undefined ? null : summarizePull(facts.pullRequest);
  return withEffects(
    withNewRun,
    { type: 'update-run-comment', runId: run.id, first: true },
    { type: 'read-context', runId: run.id, pull: summary },
  );
}

function createRun(pull: PullState, task: Task, facts: Facts): Run {
  const settings = withEarlierRules(startSettings(facts), pull, facts);
  return {
    id: runIdFor(pull, task),
    task,
    settings,
    phase: { kind: 'reading-context', since: facts.now },
    turns: 0,
    lastResumption: null,
    messageCount: 0,
    remindedAt: null,
    batch: null,
    heldCalls: [],
    idleResponses: NO_IDLE_RESPONSES,
    plan: null,
    questions: [],
    spending: startSpending(priceOf(facts.modelPrices, settings.model)),
    clearedBefore: 0,
    assessed: { headSha: facts.pullRequest?.headSha ?? '', baseRef: facts.pullRequest?.baseRef ?? '' },
    branch: headBranchOf(facts),
    pullAuthor: facts.pullRequest?.author ?? null,
    agentNotes: pull.answeredQuestions.map(questionNote),
    unreadPushes: [],
    denials: NO_DENIALS,
    commits: [],
    appCommits: {},
    readings: [],
    syntaxRefusals: [],
    summary: null,
    comment: null,
    reviews: [],
  };
}

function headBranchOf({ branch = NO_BRANCH_FACTS, pullRequest }: Facts): HeadBranch {
  const { headRef: ref = '', fork: isFork = false, defaultBranch } = pullRequest ?? {};
  return { ...branch, ref, isFork, isDefault: !isFork && ref === defaultBranch, refusesCommits: false, checks: null };
}

/** While the file is broken, the rules of the run before hold too, because not all of its own might be legible. */
function withEarlierRules(settings: Settings, { run }: PullState, facts: Facts): Settings {
  if (facts.settings?.kind !== 'broken' || run === null) return settings;
  return { ...settings, rules: joinRules(settings.rules, run.settings.rules) };
}

/** Derived from the comment, so that one comment never starts two runs. */
function runIdFor(pull: PullState, { location }: Task): string {
  return `${pull.ref.repositoryId}-${pull.ref.number}-${locationId(location)}`;
}
