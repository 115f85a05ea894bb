import type { InterpretedDelivery } from '../../../src/adapters/store/store.ts';
import { type FileChange, singleChange } from '../../../src/core/edits/change.ts';
import { NO_BRANCH_FACTS } from '../../../src/core/state/head-branch.ts';
import type { InstallationEvent, Intent, PullRequestRef } from '../../../src/core/state/intent.ts';
import type { Proposal } from '../../../src/core/state/proposal.ts';
import { createPullState, type PullState } from '../../../src/core/state/pull-state.ts';
import type { AgentQuestion, AnswerRecord } from '../../../src/core/state/question.ts';
import { NO_DENIALS, type Run } from '../../../src/core/state/run.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/state/settings.ts';
import { startSpending } from '../../../src/core/state/spending.ts';
import type { Vote } from '../../../src/core/state/vote.ts';
import type { Step } from '../../../src/core/step/step.ts';

/** The App was uninstalled. */
export const UNINSTALLED = {
  kind: 'access-lost',
  installationId: 1,
  repositoryIds: null,
  cause: 'uninstalled',
} as const satisfies InstallationEvent;

/** A signal that was never in the inbox. */
export const PREFLIGHT = {
  type: 'commit-preflight',
  runId: 'r',
  headSha: 'h',
  baseRef: 'main',
  checks: [],
  settings: { kind: 'settings', settings: DEFAULT_SETTINGS },
} as const;

const ana = { id: 7, login: 'ana' };

const AT = '2030-01-01T00:00:00.000Z';

export function refOf(number: number): PullRequestRef {
  return { installationId: 1, repositoryId: 2, owner: 'acme', repo: 'shop', number };
}

/** A delivery that closes pull request `number`. */
export function delivery(id: string, number = 1, contentKey: string | null = null): InterpretedDelivery {
  const actor = { ...ana, type: 'User', viaApp: false } as const;
  const intent: Intent = { kind: 'closed', pull: refOf(number), actor, merged: false };
  return { id, intent, contentKey };
}

export function run(id: string, changed: Partial<Run> = {}): Run {
  return {
    id,
    task: { text: 'use bigint', quote: null, by: ana, location: { at: 'conversation', commentId: 5 }, requestedAt: AT },
    settings: DEFAULT_SETTINGS,
    phase: { kind: 'awaiting-model', turn: 1, since: AT, delay: null, unfinished: null },
    turns: 0,
    lastResumption: null,
    messageCount: 0,
    remindedAt: null,
    batch: null,
    heldCalls: [],
    idleResponses: { sinceWords: 0, sincePeople: 0 },
    plan: null,
    questions: [],
    spending: startSpending(null),
    clearedBefore: 0,
    assessed: { headSha: 'a'.repeat(40), baseRef: 'main' },
    branch: { ...NO_BRANCH_FACTS, ref: 'topic', isFork: false, refusesCommits: false, checks: null },
    commits: [],
    pullAuthor: ana,
    agentNotes: [],
    unreadPushes: [],
    denials: NO_DENIALS,
    appCommits: {},
    readings: [],
    syntaxRefusals: [],
    summary: null,
    comment: null,
    reviews: [],
    ...changed,
  };
}

function change(text: string): FileChange {
  const region = { oldStart: 1, newStart: 1, before: [], old: ['a\n'], new: [text], after: [] };
  return {
    op: 'write',
    path: 'a.txt',
    from: null,
    base: null,
    result: { blob: 'b'.repeat(40), mode: '100644' },
    region,
    placeCount: 1,
    uniqueInBase: true,
    digest: 'd'.repeat(64),
    payload: {
      type: 'write',
      description: 'Write a.txt',
      path: 'a.txt',
      sandbox: 'shop',
      content: text,
      content_lines: 1,
      content_bytes: 1,
      preview: text,
      preview_truncated: false,
      file_exists: false,
      existing_lines: null,
      existing_bytes: null,
      unified_diff: '',
    },
  };
}

export function proposal(id: string, runId: string, changed: Partial<Proposal> = {}, text = 'b\n'): Proposal {
  return {
    id,
    runId,
    origin: { kind: 'call', turn: 1, calls: [{ turn: 1, callId: `call-${id}` }], tool: 'write_file' },
    index: 1,
    total: 1,
    modelReason: null,
    answers: null,
    change: singleChange(change(text)),
    userEdit: null,
    writers: [],
    syntaxProblems: [],
    headSha: 'a'.repeat(40),
    state: 'proposed',
    votes: [],
    placement: null,
    comment: null,
    commitSha: null,
    committed: null,
    note: null,
    replacedBy: null,
    replaces: [],
    proposedAt: null,
    decidedAt: null,
    executedAt: null,
    requiredApprovals: 1,
    requiredApprovers: 'write',
    ...changed,
  };
}

/** A proposal that was posted under this comment id. */
export function posted(id: string, runId: string, commentId: number): Proposal {
  const comment = {
    kind: 'review-comment',
    id: commentId,
    nodeId: `n${commentId}`,
    createdAt: AT,
    bodyHash: '',
    url: '',
  } as const;
  return proposal(id, runId, { comment });
}

export function vote(proposalId: string, text: string | null = null): Vote {
  return {
    proposalId,
    digest: 'd'.repeat(64),
    action: 'approve',
    by: ana,
    permission: 'write',
    surface: 'thread',
    commentId: 11,
    thread: { rootId: 10, reviewId: 9 },
    bodyHash: 'e'.repeat(64),
    deliveryId: 'x',
    headSha: 'a'.repeat(40),
    writtenAt: AT,
    at: AT,
    text,
    standingApproval: null,
  };
}

/** A text question that ana answered. */
export function answeredQuestion(id: string): AgentQuestion {
  return {
    ...{
      id,
      runId: 'r',
      call: { turn: 1, callId: 'c' },
      input: { type: 'text' },
      prompt: 'Which?',
    },
    isDue: true,
    ...{ precedingText: null, digest: 'd'.repeat(64), place: { at: 'conversation' }, state: 'answered', by: ana },
    ...{ comment: null, problem: null },
    answer: { kind: 'text', value: 'canary' },
    note: null,
  };
}

export function answerTo(questionId: string, value: string): AnswerRecord {
  const { digest, by, permission, surface, commentId, bodyHash, deliveryId, headSha, at } = vote(questionId);
  const record = { digest, by, permission, surface, commentId, bodyHash, deliveryId, headSha, at };
  return { ...record, questionId, answer: { kind: 'text', value }, note: null };
}

/** A step that results in the given pull request. */
export function step(pull: PullState, more: Partial<Omit<Step, 'pull'>> = {}): Step {
  return {
    pull,
    effects: [],
    messages: [],
    votes: [],
    answers: [],
    ledgerCommits: [],
    runStart: null,
    reason: 'info-replied',
    deferred: false,
    cancelsPendingWork: false,
    ...more,
  };
}

export function pullOf(number: number, changed: Partial<PullState> = {}): PullState {
  return { ...createPullState(refOf(number)), ...changed };
}
