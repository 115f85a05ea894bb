import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { listAuditEntries } from '../../../fakes/github/state/audit-log.ts';
import { DELIVERY_RETENTION_MS } from '../../../src/adapters/store/cleanup.ts';
import { PENDING_LABEL, STATE_LABELS } from '../../../src/core/messages/proposal/proposal-status.ts';
import { describeEnd } from '../../../src/core/messages/run-ended.ts';
import { REPLY_MARKER, runMarker } from '../../../src/core/messages/shared/markdown.ts';
import { isFinal, type ProposalState } from '../../../src/core/state/proposal.ts';
import type { Reason } from '../../../src/core/step/reasons.ts';
import { GITHUB_URL } from '../world/fixture.ts';
import { listAllBotComments, listBotComments, snapshotAllPulls } from '../world/simulated-github.ts';
import { type CaseCheck, type CaseEvidence, isInstalled } from './evidence.ts';

const APP_MARKER = /^<!-- countersign:(?:(?:proposal|run):\S+|settings) -->/;

/** V5: each proposal, each run and the settings file have at most one comment, even if a process hung while posting it. */
export const commentsArePostedOnce: CaseCheck = ({ played }) =>
  snapshotAllPulls(played.simulatedGitHub, played.fixture).flatMap((snapshot) => {
    const markers = listBotComments(snapshot, played.fixture).flatMap(({ body }) => APP_MARKER.exec(body)?.[0] ?? []);
    return markers
      .filter((marker, index) => markers.indexOf(marker) !== index)
      .map((marker) => `V5: two comments have the marker ${marker}`);
  });

const IN_PROGRESS_STATES: ReadonlySet<ProposalState> = new Set<ProposalState>(['approved', 'executing']);

/** The App does not restore comments of decided proposals that a person edited. */
function wasEditedByPerson({ played }: CaseEvidence, commentId: number): boolean {
  const edits = listAuditEntries(played.simulatedGitHub.state.auditLog).filter(
    ({ id, action }) => id === commentId && /^(?:review-)?comment-edited$/.test(action),
  );
  return edits.at(-1)?.viaAppId === null;
}

/** V5: the comment of each proposal shows its final state, and its commit if there is one. */
export const decisionsAreShown: CaseCheck = (evidence) => {
  const bodies = new Map(listAllBotComments(evidence.played).map(({ id, body }) => [id, body]));
  return [...evidence.finalProposals].flatMap(([id, { state, comment, ref }]) => {
    if (IN_PROGRESS_STATES.has(state)) return [`V5: ${id} stays ${state}`];
    if (!isInstalled(evidence, ref)) return [];
    const body = comment === null ? undefined : bodies.get(comment.id);
    if (body === undefined || comment === null || wasEditedByPerson(evidence, comment.id)) return [];
    if (state === 'proposed') return [];
    if (body.includes(PENDING_LABEL)) return [`V5: the comment of ${id} says pending, but its state is ${state}`];
    const commit = evidence.commits.find(({ plan }) => plan.proposalIds.includes(id));
    if (commit === undefined) return [];
    if (state !== 'completed') return [`V5: ${id} was committed, but its state is ${state}`];
    return body.includes(commit.sha.slice(0, 7)) ? [] : [`V5: the comment of ${id} does not name its commit`];
  });
};

/** V5: the comment of an ended run shows its end and its commits. */
export const runEndsAreShown: CaseCheck = (evidence) => {
  const { played, saved } = evidence;
  const comments = listAllBotComments(played);
  const lastPulls = new Map(
    saved.flatMap(({ saved: { step } }) => (step.pull.run === null ? [] : [[step.pull.run.id, step.pull]])),
  );
  return [...lastPulls].flatMap(([id, { run, ref }]) => {
    const comment = comments.find(({ body }) => body.startsWith(runMarker(id)));
    if (comment === undefined || run?.phase.kind !== 'ended' || !isInstalled(evidence, ref)) return [];
    if (wasEditedByPerson(evidence, comment.id)) return [];
    const expectedTexts = [`The run ${describeEnd(run.phase)}`, ...commitsOfRun(evidence, id)];
    if (comment.body.includes(STATE_LABELS.executing))
      return [`V5: the comment of the ended run ${id} still shows a commit in progress`];
    return expectedTexts
      .filter((text) => !comment.body.includes(text))
      .map((text) => `V5: the comment of run ${id} does not say: ${text}`);
  });
};

function commitsOfRun({ commits, finalProposals }: CaseEvidence, runId: string): readonly string[] {
  // The undo of an earlier run's change is no part of the task, so its own comment alone names the commit.
  const isOf = (id: string): boolean => {
    const proposal = finalProposals.get(id);
    if (proposal?.runId !== runId) return false;
    return proposal.origin.kind === 'call' || isOf(proposal.origin.undoneProposalId);
  };
  return commits.filter(({ plan }) => plan.proposalIds.some(isOf)).map(({ sha }) => sha.slice(0, 7));
}

/** V5: each accepted approval, denial, edit and task gets a reaction. */
export const commandsAreAnswered: CaseCheck = (evidence) => {
  const { played } = evidence;
  const reactionsById = new Map(
    snapshotAllPulls(played.simulatedGitHub, played.fixture).flatMap(({ pull }) =>
      [...pull.comments.values(), ...pull.reviewComments.values()].map(({ id, reactions }) => [id, reactions] as const),
    ),
  );
  return evidence.saved.flatMap(({ saved: { signal, step } }) => {
    if (signal.type !== 'intent' || signal.intent.kind !== 'comment' || !REACTION_REASONS.has(step.reason)) return [];
    const { location } = signal.intent;
    if (location.at === 'review' || !isInstalled(evidence, signal.intent.pull)) return [];
    const reactions = reactionsById.get(location.commentId);
    const isAnswered = reactions?.some(({ authorId }) => authorId === played.fixture.botId) ?? true;
    return isAnswered ? [] : [`V5: comment ${location.commentId} (${step.reason}) has no reaction`];
  });
};

/** Reasons for which the App adds a reaction to the comment. */
const REACTION_REASONS: ReadonlySet<Reason> = new Set<Reason>(['approved', 'denied', 'user-edited', 'run-started']);

/** V5: a delivery is stored before it is acknowledged. */
export const acknowledgedDeliveriesAreStored: CaseCheck = ({ events }: CaseEvidence) => {
  const storedIds = new Set(events.flatMap((event) => (event.kind === 'received' ? [event.delivery.id] : [])));
  return events.flatMap((event) =>
    event.kind === 'acknowledged' && event.isForUs && !storedIds.has(event.deliveryId)
      ? [`V5: ${event.deliveryId} was acknowledged but never stored`]
      : [],
  );
};

/** V5: each reply of a saved step is posted, and not more often than requested. */
export const repliesArePosted: CaseCheck = (evidence) => {
  const postedByBody = Map.groupBy(listAllBotComments(evidence.played), ({ body }) => body);
  return [...Map.groupBy(expectedReplies(evidence), ({ body }) => body)].flatMap(([body, expected]) => {
    const count = postedByBody.get(body)?.length ?? 0;
    const excerpt = JSON.stringify(body.replace(REPLY_MARKER, '').trim().slice(0, 80));
    if (count === 0 && expected.some(({ mustBePosted }) => mustBePosted))
      return [`V5: the reply ${excerpt} was not posted`];
    if (count <= expected.length) return [];
    return [`V5: the reply ${excerpt} was posted ${count} times instead of ${expected.length}`];
  });
};

/** `mustBePosted` is false if the App was removed, or if the reply is a repetition that the store can drop. */
type ExpectedReply = { readonly body: string; readonly mustBePosted: boolean };

function expectedReplies(evidence: CaseEvidence): readonly ExpectedReply[] {
  const requestedAt = new Map<string, number>();
  return evidence.saved.flatMap(({ saved: { at, claim, step } }) =>
    step.effects.flatMap((effect) => {
      if (effect.type !== 'reply') return [];
      const key = `${claim.pullRequestKey} ${effect.onceKey ?? ''}`;
      const previousAt = effect.onceKey === null ? undefined : requestedAt.get(key);
      // The reply can be posted again after the retention time of effects.
      if (previousAt !== undefined && at - previousAt < DELIVERY_RETENTION_MS) return [];
      requestedAt.set(key, at);
      const mustBePosted = previousAt === undefined && isInstalled(evidence, step.pull.ref);
      return [{ body: effect.reply, mustBePosted }];
    }),
  );
}

/** S72a: without pending proposals no review of the App requests changes, because it would block the pull request. */
export const changeRequestsAreReleased: CaseCheck = (evidence) => {
  const { played, saved } = evidence;
  if (!played.simulatedGitHub.state.installations.has(played.fixture.ref.installationId)) return [];
  // GitHub refused to dismiss these reviews, and the App said so.
  const undismissed = new Set(
    saved.flatMap(({ saved: { signal } }) => (signal.type === 'review-dismiss-refused' ? signal.reviewId : [])),
  );
  return snapshotAllPulls(played.simulatedGitHub, played.fixture).flatMap(({ pull }) =>
    [...pull.reviews.values()]
      .filter(({ authorId, state }) => authorId === played.fixture.botId && state === 'CHANGES_REQUESTED')
      .filter(({ id }) => !undismissed.has(id))
      .map(({ id }) => `S72a: review ${id} still requests changes`),
  );
};

/** S73: the thread of a decided proposal is resolved, unless a person unresolved it or deleted its first comment. */
export const threadsAreResolved: CaseCheck = (evidence) => {
  const { played, finalProposals } = evidence;
  const threads = new Map(
    snapshotAllPulls(played.simulatedGitHub, played.fixture).flatMap(({ pull }) =>
      [...pull.threads].filter(([id]) => pull.reviewComments.has(id)),
    ),
  );
  const unresolvedIds = new Set(
    listAuditEntries(played.simulatedGitHub.state.auditLog).flatMap(({ action, id }) =>
      action === 'thread-unresolved' ? [id] : [],
    ),
  );
  return [...finalProposals].flatMap(([id, { state, comment, ref }]) => {
    const thread = comment === null || comment.kind === 'issue-comment' ? undefined : threads.get(comment.id);
    if (thread === undefined || thread.resolvedById !== null || unresolvedIds.has(thread.id)) return [];
    return isFinal(state) && isInstalled(evidence, ref) ? [`S73: the thread of ${id} (${state}) is not resolved`] : [];
  });
};

/** A note from a person stays with its run until the model gets it. */
export const notesReachTheModel: CaseCheck = ({ saved }) => {
  const pendingNotes = new Map<string, readonly { readonly text: string }[]>();
  return saved.flatMap(({ saved: { step } }) => {
    const { run } = step.pull;
    if (run === null) return [];
    const messages = JSON.stringify(step.messages);
    const words = run.agentNotes.filter((note) => note.kind === 'words');
    const removed = (pendingNotes.get(run.id) ?? []).filter(({ text }) => !words.some((note) => note.text === text));
    pendingNotes.set(run.id, words);
    return removed
      .filter(({ text }) => !messages.includes(JSON.stringify(JSON.stringify(text)).slice(3, -3)))
      .map(({ text }) => `the model never received the note ${JSON.stringify(text)} (${step.reason})`);
  });
};

/** HTML that the App itself writes. */
const APP_HTML = /^(?:<!-- countersign:[a-z0-9:/-]+ -->|<details>\n<summary>[^<>]*<\/summary>|<\/details>)$/i;

const HOSTILE_MENTION = /(?:^|[^\w`])@evil/;

/** V6: text of people and the model is inert: no images, external links, HTML or mentions. */
export const userTextStaysInert: CaseCheck = ({ played }) =>
  listAllBotComments(played)
    .filter(({ body }) => body.includes('evil'))
    .flatMap(({ id, body }) => findActiveNodes(fromMarkdown(body)).map((node) => `V6: comment ${id} contains ${node}`));

function findActiveNodes(node: Nodes): readonly string[] {
  const childResults = 'children' in node ? node.children.flatMap(findActiveNodes) : [];
  switch (node.type) {
    case 'image':
    case 'imageReference':
    case 'linkReference':
    case 'definition':
      return [node.type, ...childResults];
    case 'html':
      return APP_HTML.test(node.value) ? childResults : [`html ${node.value}`, ...childResults];
    case 'link':
      return node.url.startsWith(GITHUB_URL) ? childResults : [`a link to ${node.url}`, ...childResults];
    case 'text':
      return HOSTILE_MENTION.test(node.value) ? [`a mention in ${JSON.stringify(node.value)}`] : [];
    default:
      return childResults;
  }
}
