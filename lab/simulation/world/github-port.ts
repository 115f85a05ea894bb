import { readBlob } from '../../../fakes/github/git/objects.ts';
import { answerWithError, type KnownErrorName, LOST_RACES, RULE_REFUSALS } from '../../../fakes/github/known-errors.ts';
import { createCommitOnBranch } from '../../../fakes/github/operations/git-data.ts';
import type { PullTarget } from '../../../fakes/github/operations/inputs.ts';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type { Operation } from '../../../fakes/github/state/operation.ts';
import { hashBody } from '../../../src/adapters/github/comments.ts';
import { resultOfError } from '../../../src/adapters/github/commit.ts';
import { graphqlErrorOf } from '../../../src/adapters/github/requests/errors.ts';
import type { PostedComment } from '../../../src/core/state/posted-comment.ts';
import { CHECK_RUN_NAME } from '../../../src/core/state/pull-state.ts';
import {
  type CommitPlan,
  type CommitResult,
  type CreatedReview,
  type FileContent,
  type GitHub,
  GitHubError,
  LeaseLostError,
  type NewReview,
} from '../../../src/core/step/ports.ts';
import type { CaseFixture } from './fixture.ts';
import { asPostedComment, type PortContext, readMethods, toPostedReview } from './port-reads.ts';
import type { Random } from './random.ts';
import { type PullSnapshot, readPullFacts, type SimulatedGitHub, snapshotPull } from './simulated-github.ts';
import type { Trace } from './trace.ts';

/** The retry delay that the adapter gives for a suspended installation. */
const SUSPENDED_RETRY_MS = 60_000;

/**
 * The worker's GitHub port on the simulated state, without requests: each method is one lookup or one operation. The
 * real adapter has tests of its own against the fake GitHub over HTTP.
 */
export function createGitHubPort(simulatedGitHub: SimulatedGitHub, fixture: CaseFixture, trace: Trace): GitHub {
  const snapshot = (): PullSnapshot => {
    const installation = simulatedGitHub.state.installations.get(fixture.ref.installationId);
    if (installation === undefined) throw new GitHubError('no such installation', 404, null);
    if (installation.suspendedAt !== null)
      throw new GitHubError('the installation is suspended', 403, simulatedGitHub.now + SUSPENDED_RETRY_MS);
    return snapshotPull(simulatedGitHub, fixture);
  };
  const context: PortContext = { simulatedGitHub, fixture, trace, snapshot };
  return { ...readMethods(context), ...writeMethods(context) };
}

/** `write` applies an operation as the App's bot. It throws a `GitHubError` if GitHub refuses. */
function actAsBot({ simulatedGitHub, fixture: { botId, appId, repositoryId, ref }, snapshot }: PortContext) {
  const actor = { accountId: botId, viaAppId: appId };
  const write = <Input, Value>(operation: Operation<Input, Value>, input: Input): Value => {
    snapshot();
    const outcome = simulatedGitHub.apply(operation, input);
    if (!outcome.ok) throw new GitHubError(outcome.error.message, outcome.error.status, null);
    return outcome.value;
  };
  return { actor, repositoryId, target: { actor, repositoryId, number: ref.number }, write };
}

function writeMethods(context: PortContext) {
  const { actor, repositoryId, target, write } = actAsBot(context);
  return {
    createReview: async (head, review) => {
      const input = {
        ...target,
        commitSha: head,
        event: review.event,
        body: review.body,
        comments: reviewCommentInputs(review),
      };
      const created = write(OPERATIONS.createPullRequestReview, input);
      return toCreatedReview(context.snapshot(), review, created);
    },
    createFileComment: async (head, path, body) => {
      const input = { ...target, commitSha: head, path, body, subjectType: 'file' } as const;
      return asPostedComment('file-comment', write(OPERATIONS.createReviewComment, input), body);
    },
    createComment: async (body) =>
      asPostedComment('issue-comment', write(OPERATIONS.createIssueComment, { ...target, body }), body),
    createReply: async (inReplyTo, body) =>
      asPostedComment('review-comment', write(OPERATIONS.replyToReviewComment, { ...target, inReplyTo, body }), body),
    updateComment: async ({ kind, id: commentId }, body) => {
      const input = { actor, repositoryId, commentId, body };
      if (kind === 'issue-comment') write(OPERATIONS.editIssueComment, input);
      else write(OPERATIONS.editReviewComment, input);
      return { bodyHash: hashBody(body) };
    },
    commit: async (plan) => {
      context.snapshot();
      const outcome = applyCommitPlan(context.simulatedGitHub, target, plan);
      context.trace.add({ kind: 'committed', number: target.number, plan, outcome });
      const isPullOpen = outcome.kind === 'committed' && readPullFacts(context.snapshot()).state === 'open';
      return isPullOpen ? { ...outcome, isPullOpen } : outcome;
    },
    closeThread: async ({ id: commentId, ...comment }, body) => {
      const thread = findThread(context.snapshot(), comment);
      if (thread?.resolvedById !== null) return 'no-open-thread';
      write(OPERATIONS.editReviewComment, { actor, repositoryId, commentId, body });
      write(OPERATIONS.resolveReviewThread, { actor, threadNodeId: thread.nodeId });
      return 'closed';
    },
    resolveThread: async (comment) => {
      const thread = findThread(context.snapshot(), comment);
      if (thread?.resolvedById === null) write(OPERATIONS.resolveReviewThread, { actor, threadNodeId: thread.nodeId });
    },
    dismissReview: async (reviewId, message) => {
      context.snapshot();
      context.simulatedGitHub.apply(OPERATIONS.dismissPullRequestReview, { ...target, reviewId, message });
      return context.snapshot().pull.reviews.get(reviewId)?.state !== 'CHANGES_REQUESTED';
    },
    react: async (location, content) => {
      if (location.at === 'review' || location.at === 'check') return;
      const input = { actor, repositoryId, commentId: location.commentId, content };
      if (location.at === 'conversation') write(OPERATIONS.reactToIssueComment, input);
      else write(OPERATIONS.reactToReviewComment, input);
    },
    createCheckRun: async (headSha, { externalId, detailsUrl, conclusion, title, summary, text, actions }) => {
      const output = { title, summary, text };
      const fields = { externalId, detailsUrl, conclusion, output, actions, status: 'completed' } as const;
      const { snapshot, simulatedGitHub } = context;
      snapshot();
      const input = { actor, repositoryId, name: CHECK_RUN_NAME, headSha, ...fields };
      const outcome = simulatedGitHub.apply(OPERATIONS.createCheckRun, input);
      if (!outcome.ok) return null;
      const { id } = outcome.value;
      context.trace.add({ kind: 'listed', checkRunId: id, text, hasButtons: actions.length > 0 });
      return id;
    },
    updateCheckRun: async (checkRunId, { externalId, conclusion, title, summary, text, actions }) => {
      const named = externalId === undefined ? {} : { externalId };
      const fields = { ...named, conclusion, output: { title, summary, text }, actions, status: 'completed' } as const;
      write(OPERATIONS.updateCheckRun, { actor, repositoryId, checkRunId, ...fields });
    },
    addLabel: async (name) => {
      write(OPERATIONS.addLabel, { ...target, name });
      return true;
    },
    removeLabel: async (name) => {
      context.snapshot();
      context.simulatedGitHub.apply(OPERATIONS.removeLabel, { ...target, name });
    },
  } satisfies Partial<GitHub>;
}

function reviewCommentInputs({ comments }: NewReview) {
  return comments.map(({ path, startLine, line, body }) => ({
    ...{ path, line, body, side: 'RIGHT' as const },
    ...(startLine === null || startLine === line ? {} : { startLine, startSide: 'RIGHT' as const }),
  }));
}

function toCreatedReview(
  snapshot: PullSnapshot,
  { comments: drafts }: NewReview,
  { id, state }: { readonly id: number; readonly state: string },
): CreatedReview {
  const created = [...snapshot.pull.reviewComments.values()].filter(({ reviewId }) => reviewId === id);
  const comments = drafts.flatMap(({ body }) => {
    const comment = created.find((candidate) => candidate.body === body);
    return comment === undefined ? [] : [asPostedComment('review-comment', comment, body)];
  });
  return { review: toPostedReview(id, state), comments, pull: readPullFacts(snapshot) };
}

function findThread({ pull }: PullSnapshot, { kind, nodeId }: Pick<PostedComment, 'kind' | 'nodeId'>) {
  const first = [...pull.reviewComments.values()].find((comment) => comment.nodeId === nodeId);
  return kind === 'issue-comment' || first === undefined ? undefined : pull.threads.get(first.id);
}

/** Commits like GitHub's GraphQL mutation: only on the expected head. */
function applyCommitPlan(
  simulatedGitHub: SimulatedGitHub,
  { actor, repositoryId }: PullTarget,
  plan: CommitPlan,
): CommitResult {
  const headlineEnd = plan.message.indexOf('\n');
  const outcome = simulatedGitHub.apply(createCommitOnBranch, {
    actor,
    repositoryId,
    branch: plan.branch,
    expectedHeadOid: plan.expectedHead,
    headline: headlineEnd === -1 ? plan.message : plan.message.slice(0, headlineEnd),
    body: headlineEnd === -1 ? '' : plan.message.slice(headlineEnd + 1).replace(/^\n+/, ''),
    additions: plan.files.flatMap(({ path, content }) => {
      const bytes = contentBytes(simulatedGitHub, content);
      return bytes === null ? [] : [{ path, bytes }];
    }),
    deletions: plan.files.flatMap(({ path, content }) => (content.kind === 'deleted' ? [path] : [])),
  });
  if (outcome.ok) return { kind: 'committed', sha: outcome.value };
  const { type, message } = outcome.error;
  return resultOfError(graphqlErrorOf({ errors: [{ type, message }] }, {}, { now: 0, isCommit: true }));
}

/** Null for a deleted file. A moved file keeps the bytes of its blob. */
function contentBytes(simulatedGitHub: SimulatedGitHub, content: FileContent): Uint8Array | null {
  switch (content.kind) {
    case 'bytes':
      return content.bytes;
    case 'blob':
      return readBlob(simulatedGitHub.state.store, content.sha) ?? null;
    case 'deleted':
      return null;
  }
}

/** The methods that write to GitHub. */
export const WRITE_METHODS: ReadonlySet<PropertyKey> = new Set([
  'createReview',
  'dismissReview',
  'createFileComment',
  'createComment',
  'createReply',
  'updateComment',
  'closeThread',
  'resolveThread',
  'react',
  'createCheckRun',
  'updateCheckRun',
  'addLabel',
  'removeLabel',
  'commit',
] as const satisfies readonly (keyof GitHub)[]);

/** Rejects writes with a `LeaseLostError` while `canWrite` is false, as the adapter does. */
export function withWriteGuard(github: GitHub, canWrite: () => boolean): GitHub {
  return new Proxy(github, {
    get(target, name) {
      if (WRITE_METHODS.has(name) && !canWrite()) return () => Promise.reject(new LeaseLostError());
      return Reflect.get(target, name);
    },
  });
}

/** A period (ms since the epoch) in which every commit fails with one of these answers. */
export type StaleHeadWindow = {
  readonly from: number;
  readonly until: number;
  readonly fault: 'stale-head' | 'refused-by-rule';
};

/** GitHub's commit mutation sees an older head than its reads, or a rule refuses for a while. */
const WINDOW_ANSWERS = { 'stale-head': LOST_RACES, 'refused-by-rule': RULE_REFUSALS } as const;

const STALE_HEAD_WINDOW_COUNT = 4;

/** The latest start, counted from the start of the case. */
const LATEST_WINDOW_START_MS = 300_000;

/** Longer than a series of immediate retries. */
const WINDOW_DURATION_MS = [5_000, 60_000] as const;

export function pickStaleHeadWindows(random: Random, start: number): readonly StaleHeadWindow[] {
  return Array.from({ length: STALE_HEAD_WINDOW_COUNT }, () => {
    const from = start + random.between(0, LATEST_WINDOW_START_MS);
    const fault = random.pick(['stale-head', 'stale-head', 'stale-head', 'refused-by-rule'] as const);
    return { from, until: from + random.between(...WINDOW_DURATION_MS), fault };
  });
}

/** GitHub's replicas lag after a push: commits fail as if they had lost a race, in any of its forms. Rules come and go. */
export function withStaleHead(
  github: GitHub,
  {
    window,
    random,
    trace,
  }: { readonly window: () => StaleHeadWindow | undefined; readonly random: Random; readonly trace: Trace },
): GitHub {
  return {
    ...github,
    commit: async (plan) => {
      const fault = window()?.fault;
      if (fault === undefined) return github.commit(plan);
      const race = random.pick<KnownErrorName>(WINDOW_ANSWERS[fault]);
      trace.add({ kind: 'fault', fault, where: `${plan.proposalIds.join(', ')}: ${race}` });
      const failed = { graphqlField: 'createCommitOnBranch', expectedHead: plan.expectedHead };
      return resultOfError(graphqlErrorOf(answerWithError(race, failed).body, {}, { now: 0, isCommit: true }));
    },
  };
}
