import { z } from 'zod';
import {
  type ParseResult,
  parseProblem,
  type RecordedDelivery,
  tryParseJson,
} from '../../src/cli/explain/read-delivery.ts';
import { assessStaleness, type FilesByPath } from '../../src/core/actions/head-assessment.ts';
import { COMMAND_LIST } from '../../src/core/commands/all-commands.ts';
import { USER_EDIT_FILE_CHANGED, withBaseText } from '../../src/core/commands/shared/user-edit-target.ts';
import { decide } from '../../src/core/decide.ts';
import { affectedPaths } from '../../src/core/edits/change.ts';
import { applyUserEdit } from '../../src/core/edits/user-edit.ts';
import { renderReply } from '../../src/core/messages/replies.ts';
import { needs } from '../../src/core/needs.ts';
import { computeUndo } from '../../src/core/policy/compute-undo.ts';
import type { Effect, EffectType } from '../../src/core/state/effects.ts';
import type { AppIdentity, Facts, Need } from '../../src/core/state/facts.ts';
import type { StalenessInput } from '../../src/core/state/head-changes.ts';
import type { CommentLocation } from '../../src/core/state/intent.ts';
import { commentsOf, type Permission, PROPOSAL_STATES } from '../../src/core/state/proposal.ts';
import { type PullState, RUN_SCHEMA } from '../../src/core/state/run.ts';
import type { Signal } from '../../src/core/state/signals.ts';
import type { Step } from '../../src/core/state/step.ts';
import type { UndoFiles } from '../../src/core/state/undo.ts';
import { type Interpretation, interpret } from '../../src/core/webhooks/interpret.ts';
import { storedAs } from '../../src/lib/trust.ts';

/** The result of a delivery in a recorded state: the decision, or the facts that the recording lacks. */
type RecordedOutcome =
  | { readonly kind: 'ignored' }
  | { readonly kind: 'missing-facts'; readonly needs: readonly Need[] }
  | { readonly kind: 'decided'; readonly before: PullState; readonly step: Step };

/** The outcome of a recorded delivery in a recorded state as lines; `assumedPermission` replaces the recorded one. */
export function formatDecision(
  delivery: RecordedDelivery,
  app: AppIdentity,
  state: RecordedState,
  assumedPermission: Permission | null = null,
): string {
  const outcome = decideRecorded(delivery, app, state, assumedPermission);
  return `${outcomeRows(outcome)
    .map(([label, text]) => `${label.padEnd(10)}${text.replaceAll(/\s+/g, ' ').trim()}`)
    .join('\n')}\n`;
}

function decideRecorded(
  { id, event, payload }: RecordedDelivery,
  app: AppIdentity,
  { pull, facts: recorded, permissions }: RecordedState,
  assumedPermission: Permission | null,
): RecordedOutcome {
  const interpretation = interpret({ event, payload, app });
  const signal = interpretation.kind === 'ignored' ? null : signalOf(interpretation, id);
  if (signal === null) return { kind: 'ignored' };
  const known = interpretation.kind === 'intent' ? permissions[String(interpretation.intent.actor.id)] : undefined;
  const permission = assumedPermission ?? known;
  const now = timeOf(signal) ?? '1970-01-01T00:00:00Z';
  let facts: Facts = { now, app, ownerAllowed: true, ...recorded, ...(permission === undefined ? {} : { permission }) };
  for (;;) {
    const missing = needs(pull, signal, facts);
    const [need] = missing;
    if (need === undefined) return { kind: 'decided', before: pull, step: decide(pull, signal, facts) };
    const fact = computedFacts(need, recorded);
    if (fact === null) return { kind: 'missing-facts', needs: missing };
    facts = { ...facts, ...fact };
  }
}

type LabeledLine = readonly [label: string, text: string];

function outcomeRows(outcome: RecordedOutcome): readonly LabeledLine[] {
  switch (outcome.kind) {
    case 'ignored':
      return [['decided', 'nothing: the delivery is answered, and not stored']];
    case 'missing-facts':
      return outcome.needs.map((need) => ['lacks', `the recording does not hold ${needWords(need)}`] as const);
    case 'decided':
      return decidedRows(outcome.before, outcome.step);
  }
}

function signalOf(interpretation: Exclude<Interpretation, { kind: 'ignored' }>, id: string | null): Signal | null {
  if (interpretation.kind === 'intent')
    return { type: 'intent', deliveryId: id ?? 'recorded', intent: interpretation.intent };
  return interpretation.installationEvent.kind === 'access-lost'
    ? { type: 'access-lost', cause: interpretation.installationEvent.cause }
    : null;
}

function timeOf(signal: Signal): string | null {
  return signal.type === 'intent' && 'createdAt' in signal.intent ? signal.intent.createdAt : null;
}

function decidedRows(before: Parameters<typeof stateChanges>[0], step: Step): readonly LabeledLine[] {
  return [
    ['reason', step.deferred ? `${step.reason}: looked at again a little later` : step.reason],
    ...step.votes.map(({ action, proposalId, by }) => ['vote', `${action} of ${proposalId} by ${by.login}`] as const),
    ...stateChanges(before, step.pull).map(({ what, from, to }) => ['becomes', `${what}: ${from} → ${to}`] as const),
    ...(step.messages.length === 0 ? [] : ([['told', `${step.messages.length} messages for the model`]] as const)),
    ...step.effects.map((effect) => ['does', effectWords(effect)] as const),
    ...(step.effects.length === 0 ? ([['does', 'nothing']] as const) : []),
  ];
}

/** The stored pull request when the delivery arrived, and the facts from GitHub. */
export type RecordedState = {
  readonly pull: PullState;
  readonly facts: RecordedFacts;
  /** By user id. */
  readonly permissions: Readonly<Record<string, Permission>>;
};

/** Permissions are recorded per person, and derived facts are computed again. */
export type RecordedFacts = Partial<Omit<Facts, 'permission' | 'staleness' | 'undo' | 'userEdit'>> & {
  readonly files?: { readonly atBase: FilesByPath; readonly atHead: FilesByPath };
  readonly undone?: UndoFiles;
};

/** The possible results of GitHub's permission endpoint. */
export const PERMISSION_NAMES = ['admin', 'maintain', 'write', 'read', 'none'] as const satisfies readonly Permission[];

/** Distinguishes a stored pull request from other JSON; the rest is trusted to have this version's form. */
const RecordedStateSchema = z.looseObject({
  pull: z.looseObject({
    ref: z.looseObject({ installationId: z.number(), repositoryId: z.number(), owner: z.string(), repo: z.string() }),
    run: z
      .looseObject({
        schema: z.literal(RUN_SCHEMA),
        id: z.string(),
        phase: z.looseObject({ kind: z.string() }),
        task: z.looseObject({ text: z.string(), requestedAt: z.string() }),
      })
      .nullable(),
    queue: z.array(z.looseObject({ text: z.string() })),
    questions: z.array(z.looseObject({ text: z.string() })),
    proposals: z.array(
      z.looseObject({
        id: z.string(),
        state: z.enum(PROPOSAL_STATES),
        votes: z.array(z.looseObject({ action: z.string() })),
        change: z.looseObject({ path: z.string(), digest: z.string() }),
      }),
    ),
    notifiedUnauthorizedUserIds: z.array(z.number()),
  }),
  facts: z
    .looseObject({ permission: z.never('belongs to nobody here: keep it in permissions, by user id').optional() })
    .default({}),
  permissions: z.record(z.string().regex(/^\d+$/), z.enum(PERMISSION_NAMES)).default({}),
});

/** Reads a recorded state. */
export function readState(text: string): ParseResult<RecordedState> {
  const json = tryParseJson(text);
  if (json === undefined) return parseProblem('does not hold JSON');
  const read = RecordedStateSchema.safeParse(json);
  if (read.success) return { kind: 'parsed', value: storedAs<RecordedState>(read.data) };
  const [issue] = read.error.issues;
  return parseProblem(`is not a recorded state: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}

/** A change of the stored state: of a proposal, the run, or the queues of tasks and questions. */
type StateChange = { readonly what: string; readonly from: string; readonly to: string };

/** Every change of state between two views of one pull request, in words. */
export function stateChanges(before: PullState, after: PullState): readonly StateChange[] {
  const proposals = after.proposals.map((one) => {
    const was = before.proposals.find(({ id }) => id === one.id);
    return { what: one.id, from: was?.state ?? 'none', to: one.state };
  });
  const all = [
    { what: 'run', from: runWords(before), to: runWords(after) },
    ...proposals,
    { what: 'tasks in the queue', from: String(before.queue.length), to: String(after.queue.length) },
    { what: 'questions in the queue', from: String(before.questions.length), to: String(after.questions.length) },
  ];
  return all.filter(({ from, to }) => from !== to);
}

function runWords({ run }: PullState): string {
  if (run === null) return 'none';
  const { phase } = run;
  return phase.kind === 'ended' ? `ended (${phase.reason})` : `${phase.kind}, turn ${phase.turn}`;
}

/** The fact for a need, computed from recorded files; null if they were not recorded. */
export function computedFacts(need: Need, { files, undone }: RecordedFacts): Partial<Facts> | null {
  switch (need.kind) {
    case 'staleness':
      return files === undefined ? null : { staleness: assessStaleness(need.staleness, files.atBase, files.atHead) };
    case 'undo':
      return undone === undefined ? null : { undo: computeUndo({ ...need.undo, files: undone }) };
    case 'user-edit': {
      const { path, base } = need.userEdit.change;
      if (base !== null && files === undefined) return null;
      const own = withBaseText(need.userEdit, files?.atBase[path] ?? null);
      return { userEdit: own === null ? USER_EDIT_FILE_CHANGED : applyUserEdit(own) };
    }
    default:
      return null;
  }
}

/** A description of each effect, to follow “it would”. */
const EFFECTS = {
  'ask-model': 'send the transcript to the model',
  'ask-question': 'send the question to the model, with a copy of the transcript',
  'run-tools': 'run the model’s tool calls',
  'post-proposals': 'post the proposals together',
  commit: 'commit the approved changes',
  'restore-review-body': 'restore the text of the App’s own review',
  'dismiss-review': 'dismiss the App’s own request for changes',
  'check-thread': 'check whether the thread is still resolved',
  'check-outdated-suggestions': 'check which threads GitHub has marked as outdated',
  'check-deadlines': 'check later which deadlines have passed',
  'catch-up': 'read the comments for which no webhook came',
  'expire-proposals': 'expire proposals that are still pending after their time',
  'start-next-task': 'start the oldest queued task',
  'update-proposal-comment': 'bring the proposal’s comment up to date',
  'update-run-comment': 'bring the run comment up to date',
  react: 'react',
  reply: 'answer',
} as const satisfies Record<EffectType, string>;

/** An effect in one line. */
export function effectWords(effect: Effect): string {
  const words = EFFECTS[effect.type];
  switch (effect.type) {
    case 'react':
      return `${words} with ${effect.content} ${commentLocationText(effect.location)}`;
    case 'reply':
      return `${words} ${commentLocationText(effect.to)}: ${answerText(effect)}`;
    case 'commit':
    case 'post-proposals':
      return `${words}: ${effect.proposalIds.join(', ')}`;
    case 'update-proposal-comment':
      return `${words}: ${effect.proposalId}`;
    default:
      return words;
  }
}

function commentLocationText(place: CommentLocation | { readonly at: 'pull-request' }): string {
  switch (place.at) {
    case 'thread':
      return 'in the thread';
    case 'review':
      return 'on the review';
    case 'conversation':
    case 'pull-request':
      return 'in the conversation';
  }
}

/** The reply as it would be posted, without its hidden first line and with placeholder links. */
function answerText({ reply }: Extract<Effect, { type: 'reply' }>): string {
  const text = renderReply(reply, { links: { repository: '' }, commands: COMMAND_LIST });
  return text.replace(/^<!--.*?-->\s*/, '');
}

/** A description of each need, to follow “asked of GitHub next: ”. */
export function needWords(need: Need): string {
  switch (need.kind) {
    case 'permission':
      return `the permission of ${need.login} (${need.id})`;
    case 'missing-permissions':
      return 'the permissions of the App';
    case 'pull-request':
      return 'the pull request';
    case 'settings':
      return 'the repository’s settings';
    case 'branch-rules':
      return `the rules of ${[need.headRef, need.baseRef].filter((ref) => ref !== null).join(' and ')}`;
    case 'other-pulls-on-branch':
      return `other open pull requests whose head branch is ${need.headRef}`;
    case 'changed-paths':
      return 'the paths that the pull request changes';
    case 'review-comments':
      return `the comments of review ${need.reviewId}`;
    case 'comment-hashes':
      return `the App’s comments ${need.proposals
        .flatMap(commentsOf)
        .map(({ id }) => id)
        .join(', ')}`;
    case 'undo':
      return `${listed(affectedPaths(need.undo.change))} at ${[need.commit, need.head].filter((sha) => sha !== null).join(' and ')}`;
    case 'staleness':
      return `${listed(pathsOf(need.staleness))} at ${need.fromSha} and ${need.head}`;
    case 'user-edit':
      return `${need.userEdit.change.path} at ${need.head}`;
  }
}

function listed(paths: readonly string[]): string {
  return paths.join(', ');
}

function pathsOf({ paths, moves }: StalenessInput): readonly string[] {
  return [...paths.map(({ path }) => path), ...moves.flatMap(({ change }) => affectedPaths(change))];
}
