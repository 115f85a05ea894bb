import { redactDiff } from '../../lib/redaction.ts';
import { dropQueue } from '../actions/end-run.ts';
import { runStartNeeds } from '../actions/fact-needs.ts';
import {
  appendMessages,
  endStep,
  type StepBuilder,
  startStep,
  withEffects,
  withPullState,
  withReply,
} from '../actions/step-builder.ts';
import { buildFirstMessage } from '../agent/messages.ts';
import { SYSTEM_PROMPT } from '../agent/system-prompt.ts';
import { findReadDenyRule } from '../policy/path-tables.ts';
import { findBranchRestrictions, NO_BRANCH_RESTRICTIONS } from '../state/branch-rules.ts';
import type { Facts, Need } from '../state/facts.ts';
import type { CommentLocation } from '../state/intent.ts';
import { isOpen } from '../state/proposal.ts';
import { activeRun, type PullState, RUN_SCHEMA, type Run, type Task } from '../state/run.ts';
import { DEFAULT_SETTINGS, type Settings } from '../state/settings.ts';
import type { Step } from '../state/step.ts';
import {
  acknowledge,
  type CommandContext,
  type CommentContext,
  refuseIfClosed,
  refuseWithoutPermissions,
} from './shared/context.ts';
import type { CommandDefinition } from './shared/definition.ts';
import { findAnsweredProposal } from './shared/targets.ts';

export const task = {
  name: 'task',
  words: ['countersign'],
  syntax: '/countersign <task>',
  summary: 'start a task on this pull request (queued if one is already running)',
  allowedTo: 'writer',
  argument: 'task',
  read: ({ text }) => ({ name: 'task', text }),
  needs: {
    condition: 'no run is active',
    kinds: [
      'missing-permissions',
      'pull-request',
      'settings',
      'branch-rules',
      'other-pulls-on-branch',
      'changed-paths',
    ],
    next: needsToStart,
  },
  run: (context, { text }) => requestTask(context, text),
} as const satisfies CommandDefinition<'task'>;

function needsToStart({ pull, intent, facts }: CommentContext): readonly Need[] {
  // A mention that answers a proposal is an instruction.
  const isInstruction = intent.parsed.kind === 'mention' && findAnsweredProposal(pull, intent) !== null;
  return activeRun(pull) === null && !isInstruction ? runStartNeeds(facts) : [];
}

/** Starts a run, or queues the task behind the active run. */
export function requestTask(context: CommandContext, text: string): Step {
  const { pull, facts, intent } = context;
  const task: Task = {
    text: withThreadContext(text, intent.location),
    by: context.person,
    location: intent.location,
    requestedAt: intent.createdAt,
  };
  if (activeRun(pull) !== null || pull.queue.length > 0) return queueTask(context, task);
  return (
    refuseWithoutPermissions(context) ??
    refuseIfClosed(context) ??
    endStep(startRun(acknowledge(startStep(pull), context, 'eyes'), task, facts), 'run-started')
  );
}

function queueTask(context: CommandContext, task: Task): Step {
  const { pull, intent } = context;
  const acknowledged = acknowledge(startStep(pull), context, 'eyes');
  const added = withPullState(acknowledged, { queue: [...pull.queue, task] });
  const replied = withReply(added, intent.location, { kind: 'task-queued', position: pull.queue.length + 1 });
  return endStep(activeRun(pull) === null ? withEffects(replied, { type: 'start-next-task' }) : replied, 'task-queued');
}

/** Starts the oldest queued task once the previous run has ended. */
export function onNextTaskDue(pull: PullState, facts: Facts): Step {
  const [next, ...rest] = pull.queue;
  if (next === undefined || activeRun(pull) !== null) return endStep(startStep(pull), 'queue-empty');
  if (facts.missingPermissions !== undefined && facts.missingPermissions.length > 0) {
    const reply = { kind: 'permission-missing', permissions: facts.missingPermissions } as const;
    return endStep(dropQueue(startStep(pull), reply), 'permission-missing');
  }
  if (facts.pullRequest !== undefined && facts.pullRequest.state !== 'open') {
    const reply = { kind: 'pull-not-open', state: facts.pullRequest.state } as const;
    return endStep(dropQueue(startStep(pull), reply), 'pull-not-open');
  }
  return endStep(startRun(withPullState(startStep(pull), { queue: rest }), next, facts), 'run-started');
}

function startRun(builder: StepBuilder, task: Task, facts: Facts): StepBuilder {
  const run = createRun(builder.pull, task, facts);
  // The open proposals are undos, and commit attempts of the previous run in flight.
  const withNewRun = withPullState(builder, { run, proposals: builder.pull.proposals.filter(isOpen) });
  const opening = appendMessages(
    withNewRun,
    { role: 'system', content: SYSTEM_PROMPT },
    {
      role: 'user',
      content: buildFirstMessage({
        task,
        pull: builder.pull.ref,
        facts: facts.pullRequest,
        changedPaths: facts.changedPaths ?? [],
      }),
    },
  );
  return withEffects(
    opening,
    { type: 'update-run-comment', runId: run.id, first: true },
    { type: 'ask-model', runId: run.id, turn: 1 },
  );
}

function createRun(pull: PullState, task: Task, facts: Facts): Run {
  return {
    schema: RUN_SCHEMA,
    id: runIdFor(pull, task),
    task,
    settings: settingsOf(facts),
    phase: { kind: 'awaiting-model', turn: 1 },
    turns: 0,
    lastResumption: null,
    questionCount: 0,
    messageCount: 0,
    batch: null,
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
    assessedHeadSha: facts.pullRequest?.headSha ?? '',
    headRef: facts.pullRequest?.headRef ?? '',
    baseRef: facts.pullRequest?.baseRef ?? '',
    isFork: facts.pullRequest?.fork ?? false,
    branchRestrictions:
      facts.branchRules === undefined ? NO_BRANCH_RESTRICTIONS : findBranchRestrictions(facts.branchRules),
    otherPullsOnBranch: facts.otherPullsOnBranch ?? [],
    commitsRefused: false,
    pullAuthor: facts.pullRequest?.author ?? null,
    agentNotes: [],
    instructors: [],
    lastFeedbackAt: null,
    repeatedProposals: 0,
    commits: [],
    appCommits: {},
    readBlobs: {},
    summary: null,
    comment: null,
    reviews: [],
    repairCount: 0,
  };
}

/** The safe defaults hold if the settings file is broken; approvals reply what is wrong with it. */
function settingsOf({ settings }: Facts): Settings {
  return settings?.kind === 'settings' ? settings.settings : DEFAULT_SETTINGS;
}

/** Derived from the comment, so that one comment never starts two runs. */
function runIdFor(pull: PullState, { location }: Task): string {
  const locationId =
    location.at === 'review' ? `r${location.reviewId}` : `${location.at.charAt(0)}${location.commentId}`;
  return `${pull.ref.repositoryId}-${pull.ref.number}-${locationId}`;
}

/** The agent can't see the thread that the task was written in. */
function withThreadContext(text: string, location: CommentLocation): string {
  if (location.at !== 'thread') return text;
  const line = location.line === null ? '' : `, line ${location.line}`;
  const place = `This was written in a review thread on ${JSON.stringify(location.path)}${line}`;
  if (findReadDenyRule(location.path) !== null) return `${text}\n\n${place}, a file that the agent cannot read.`;
  return `${text}\n\n${place}, below this part of the diff:\n${redactDiff(location.diffHunk)}`;
}
