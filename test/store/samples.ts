import type { Change } from '../../src/change/change.ts';
import type { Intent, PullRef } from '../../src/command/intent.ts';
import type { Notice } from '../../src/command/notice.ts';
import { NO_OBSTACLES } from '../../src/policy/branch-rules.ts';
import { DEFAULT_SETTINGS } from '../../src/policy/settings.ts';
import type { Proposal, Vote } from '../../src/run/proposal.ts';
import { newPull, type Pull, RUN_SCHEMA, type Run } from '../../src/run/run.ts';
import type { Step } from '../../src/run/step.ts';
import type { Delivery } from '../../src/store/store.ts';

/** That everything of the installation is lost. */
export const UNINSTALLED = {
  kind: 'access-lost',
  installationId: 1,
  repositoryIds: null,
  loss: 'uninstalled',
} as const satisfies Notice;

const ana = { id: 7, login: 'ana' };
const AT = '2030-01-01T00:00:00.000Z';

export function refOf(number: number): PullRef {
  return { installationId: 1, repositoryId: 2, owner: 'acme', repo: 'shop', number };
}

/** A delivery about pull request `number` that closes it. */
export function delivery(id: string, number = 1, naturalKey: string | null = null): Delivery {
  const actor = { ...ana, type: 'User', viaApp: false } as const;
  const intent: Intent = { kind: 'closed', pull: refOf(number), actor, merged: false };
  return { id, intent, naturalKey };
}

export function run(id: string, changed: Partial<Run> = {}): Run {
  return {
    schema: RUN_SCHEMA,
    id,
    task: { text: 'use bigint', by: ana, place: { at: 'conversation', commentId: 5 }, askedAt: AT },
    settings: DEFAULT_SETTINGS,
    phase: { kind: 'thinking', turn: 1 },
    turns: 0,
    resumed: null,
    questions: 0,
    messages: 0,
    batch: null,
    usage: { input: 0, cachedInput: 0, output: 0 },
    head: 'a'.repeat(40),
    headRef: 'topic',
    baseRef: 'main',
    commits: [],
    fork: false,
    obstacles: NO_OBSTACLES,
    sameBranch: [],
    pushRefused: false,
    pullAuthor: ana,
    notes: [],
    spokenAt: null,
    repeats: 0,
    ownEdits: {},
    read: {},
    summary: null,
    comment: null,
    reviews: [],
    restorations: 0,
    ...changed,
  };
}

function change(text: string): Change {
  const region = { oldStart: 1, newStart: 1, before: [], old: ['a\n'], new: [text], after: [] };
  return {
    op: 'write',
    path: 'a.txt',
    from: null,
    base: null,
    result: { blob: 'b'.repeat(40), mode: '100644' },
    region,
    places: 1,
    standsOnce: true,
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
    origin: { kind: 'call', turn: 1, callId: `call-${id}`, tool: 'write_file' },
    index: 1,
    total: 1,
    modelReason: null,
    change: change(text),
    modified: null,
    head: 'a'.repeat(40),
    state: 'proposed',
    votes: [],
    placement: null,
    comment: null,
    parts: [],
    formerThreads: [],
    commit: null,
    made: null,
    note: null,
    replacedBy: null,
    proposedAt: null,
    decidedAt: null,
    executedAt: null,
    expiresAt: null,
    reminded: false,
    movedTo: null,
    resolved: null,
    requiredApprovals: 1,
    missedSince: null,
    retargeted: null,
    restorations: 0,
    shownSince: null,
    ...changed,
  };
}

/** The proposal as it is once it was posted under this comment id. */
export function posted(id: string, runId: string, commentId: number): Proposal {
  const comment = {
    kind: 'review-comment',
    id: commentId,
    nodeId: `n${commentId}`,
    createdAt: AT,
    bodyHash: '',
    url: '',
  };
  return proposal(id, runId, { comment: { ...comment, kind: 'review-comment' } });
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
    bodyHash: 'e'.repeat(64),
    deliveryId: 'x',
    head: 'a'.repeat(40),
    at: AT,
    text,
  };
}

/** A step that leaves the pull request as given and does what else is named. */
export function step(pull: Pull, more: Partial<Omit<Step, 'pull'>> = {}): Step {
  return {
    pull,
    effects: [],
    messages: [],
    votes: [],
    writes: [],
    reason: 'informed',
    wait: false,
    dropsRest: false,
    ...more,
  };
}

export function pullOf(number: number, changed: Partial<Pull> = {}): Pull {
  return { ...newPull(refOf(number)), ...changed };
}
