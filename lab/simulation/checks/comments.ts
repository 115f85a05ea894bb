import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { listAuditEntries } from '../../../fakes/github/state/audit-log.ts';
import { DELIVERY_RETENTION_MS } from '../../../src/adapters/store/cleanup.ts';
import { COMMAND_LIST } from '../../../src/core/commands/all-commands.ts';
import { REPLY_MARKER, runMarker } from '../../../src/core/messages/markers.ts';
import { PENDING_LABEL, STATE_LABELS } from '../../../src/core/messages/proposal-status.ts';
import { renderReply, renderReplyContinuations } from '../../../src/core/messages/replies.ts';
import { describeEnd } from '../../../src/core/messages/run-ended.ts';
import { isFinal, type ProposalState } from '../../../src/core/state/proposal.ts';
import type { Reason } from '../../../src/core/state/reasons.ts';
import { GITHUB_URL } from '../world/fixture.ts';
import { listBotComments, snapshotAllPulls } from '../world/simulated-github.ts';
import { type CaseCheck, type CaseEvidence, isInstalled } from './evidence.ts';

const APP_MARKER = /^<!-- countersign:(?:proposal|run):\S+ -->/;

/** V5: what the App keeps up to date stands on the page once, whatever hung meanwhile. */
export const commentsArePostedOnce: CaseCheck = ({ played }) =>
  snapshotAllPulls(played.simulatedGitHub, played.fixture).flatMap((snapshot) => {
    const markers = listBotComments(snapshot, played.fixture).flatMap(({ body }) => APP_MARKER.exec(body)?.[0] ?? []);
    return markers
      .filter((marker, place) => markers.indexOf(marker) !== place)
      .map((marker) => `V5: ${marker} stands twice`);
  });

const IN_PROGRESS_STATES: ReadonlySet<ProposalState> = new Set<ProposalState>(['approved', 'executing']);

/** Somebody else was the last to write it: what is decided already is not put back. */
function wasEditedByPerson({ played }: CaseEvidence, commentId: number): boolean {
  const edits = listAuditEntries(played.simulatedGitHub.state.auditLog).filter(
    ({ id, action }) => id === commentId && /^(?:review-)?comment-edited$/.test(action),
  );
  return edits.at(-1)?.viaAppId === null;
}

/** V5: every decision that was accepted can be seen to its end on the page. */
export const decisionsAreShown: CaseCheck = (evidence) => {
  const { simulatedGitHub, fixture } = evidence.played;
  const comments = snapshotAllPulls(simulatedGitHub, fixture).flatMap((snapshot) => listBotComments(snapshot, fixture));
  const bodies = new Map(comments.map((comment) => [comment.id, comment.body]));
  return [...evidence.finalProposals].flatMap(([id, { state, comment, ref }]) => {
    if (IN_PROGRESS_STATES.has(state)) return [`V5: ${id} is ${state} for ever`];
    if (!isInstalled(evidence, ref)) return [];
    const body = comment === null ? undefined : bodies.get(comment.id);
    if (body === undefined || comment === null || wasEditedByPerson(evidence, comment.id)) return [];
    if (state === 'proposed') return [];
    if (body.includes(PENDING_LABEL)) return [`V5: the comment of ${id}, which is ${state}, says that it waits`];
    const commit = evidence.commits.find(({ plan }) => plan.proposalIds.includes(id));
    if (commit === undefined) return [];
    if (state !== 'completed') return [`V5: ${id} was committed and is ${state}`];
    return body.includes(commit.sha.slice(0, 7)) ? [] : [`V5: the comment of ${id} does not name its commit`];
  });
};

/** V5: the comment of a run that is over says so, and names what was committed of it. */
export const runEndsAreShown: CaseCheck = (evidence) => {
  const { played, saved } = evidence;
  const comments = snapshotAllPulls(played.simulatedGitHub, played.fixture).flatMap((snapshot) =>
    listBotComments(snapshot, played.fixture),
  );
  const last = new Map(
    saved.flatMap(({ saved: { step } }) => (step.pull.run === null ? [] : [[step.pull.run.id, step.pull]])),
  );
  return [...last].flatMap(([id, { run, ref }]) => {
    const own = comments.find(({ body }) => body.startsWith(runMarker(id)));
    if (own === undefined || run?.phase.kind !== 'ended' || !isInstalled(evidence, ref)) return [];
    if (wasEditedByPerson(evidence, own.id)) return [];
    const words = [`The run ${describeEnd(run.phase)}`, ...commitsOfRun(evidence, id)];
    if (own.body.includes(STATE_LABELS.executing))
      return [`V5: the comment of run ${id} says that something is being applied`];
    return words
      .filter((one) => !own.body.includes(one))
      .map((one) => `V5: the comment of run ${id} does not say: ${one}`);
  });
};

function commitsOfRun({ commits, finalProposals }: CaseEvidence, runId: string): readonly string[] {
  const isOf = (id: string): boolean => finalProposals.get(id)?.runId === runId;
  return commits.filter(({ plan }) => plan.proposalIds.some(isOf)).map(({ sha }) => sha.slice(0, 7));
}

/** V5: whoever gave a command that was taken sees a reaction to it, an answer, or the decision itself. */
export const commandsAreAnswered: CaseCheck = (evidence) => {
  const { played } = evidence;
  const said = new Map(
    snapshotAllPulls(played.simulatedGitHub, played.fixture).flatMap(({ pull }) =>
      [...pull.comments.values(), ...pull.reviewComments.values()].map(({ id, reactions }) => [id, reactions] as const),
    ),
  );
  return evidence.saved.flatMap(({ saved: { signal, step } }) => {
    if (signal.type !== 'intent' || signal.intent.kind !== 'comment' || !REACTION_REASONS.has(step.reason)) return [];
    const { location } = signal.intent;
    if (location.at === 'review' || !isInstalled(evidence, signal.intent.pull)) return [];
    const reactions = said.get(location.commentId);
    const isAnswered = reactions?.some(({ authorId }) => authorId === played.fixture.botId) ?? true;
    return isAnswered ? [] : [`V5: ${step.reason} (${location.commentId}) shows no reaction`];
  });
};

/** Reasons of words that a reaction answers. */
const REACTION_REASONS: ReadonlySet<Reason> = new Set<Reason>(['approved', 'denied', 'user-edited', 'run-started']);

/** V5: GitHub is told that a delivery is taken only once it is stored. */
export const acknowledgedDeliveriesAreStored: CaseCheck = ({ events }: CaseEvidence) => {
  const stored = new Set(events.flatMap((one) => (one.kind === 'received' ? [one.delivery.id] : [])));
  return events.flatMap((one) =>
    one.kind === 'acknowledged' && one.isForUs && !stored.has(one.deliveryId)
      ? [`V5: ${one.deliveryId} was answered and never stored`]
      : [],
  );
};

/** V5: every answer that a decision wants stands on the page, and as often as it was wanted at most. */
export const repliesArePosted: CaseCheck = (evidence) => {
  const { played } = evidence;
  const snapshot = Map.groupBy(
    snapshotAllPulls(played.simulatedGitHub, played.fixture).flatMap((one) => listBotComments(one, played.fixture)),
    ({ body }) => body,
  );
  return [...Map.groupBy(expectedReplies(evidence), ({ body }) => body)].flatMap(([body, wanted]) => {
    const count = snapshot.get(body)?.length ?? 0;
    const words = JSON.stringify(body.replace(REPLY_MARKER, '').trim().slice(0, 80));
    if (count === 0 && wanted.some(({ mustBePosted }) => mustBePosted)) return [`V5: nobody was answered ${words}`];
    if (count <= wanted.length) return [];
    return [`V5: ${words} stands ${count} times, and was wanted ${wanted.length} times`];
  });
};

/** A comment that answers; `reached` where it has to be written: the App can, and what is told only once was not yet. */
type ExpectedReply = { readonly body: string; readonly mustBePosted: boolean };

function expectedReplies(evidence: CaseEvidence): readonly ExpectedReply[] {
  const context = { links: { repository: `${GITHUB_URL}/acme/shop` }, commands: COMMAND_LIST };
  const told = new Map<string, number>();
  return evidence.saved.flatMap(({ saved: { at, claim, step } }) =>
    step.effects.flatMap((effect) => {
      if (effect.type !== 'reply') return [];
      const key = `${claim.pullRequestKey} ${effect.onceKey ?? ''}`;
      const toldAt = effect.onceKey === null ? undefined : told.get(key);
      // What was told longer ago than effects are kept may be told again, where it was forgotten.
      if (toldAt !== undefined && at - toldAt < DELIVERY_RETENTION_MS) return [];
      told.set(key, at);
      const mustBePosted = toldAt === undefined && isInstalled(evidence, step.pull.ref);
      const bodies = [renderReply(effect.reply, context), ...renderReplyContinuations(effect.reply)];
      return bodies.map((body) => ({ body, mustBePosted: mustBePosted }));
    }),
  );
}

/** S72a: where nothing waits any more no review of the App asks for changes: it would block the pull request for ever. */
export const changeRequestsAreReleased: CaseCheck = (evidence) => {
  const { played, saved } = evidence;
  if (!played.simulatedGitHub.state.installations.has(played.fixture.ref.installationId)) return [];
  // Where GitHub does not let the App take it back, people are told.
  const kept = new Set(
    saved.flatMap(({ saved: { signal } }) => (signal.type === 'review-dismiss-refused' ? signal.reviewId : [])),
  );
  return snapshotAllPulls(played.simulatedGitHub, played.fixture).flatMap(({ pull }) =>
    [...pull.reviews.values()]
      .filter(({ authorId, state }) => authorId === played.fixture.botId && state === 'CHANGES_REQUESTED')
      .filter(({ id }) => !kept.has(id))
      .map(({ id }) => `S72a: review ${id} asks for changes for ever`),
  );
};

/** S73: the thread of what is decided for good is resolved, unless somebody opened it again, or deleted what it began with. */
export const threadsAreResolved: CaseCheck = (evidence) => {
  const { played, finalProposals } = evidence;
  const threads = new Map(
    snapshotAllPulls(played.simulatedGitHub, played.fixture).flatMap(({ pull }) =>
      [...pull.threads].filter(([id]) => pull.reviewComments.has(id)),
    ),
  );
  const opened = new Set(
    listAuditEntries(played.simulatedGitHub.state.auditLog).flatMap(({ action, id }) =>
      action === 'thread-unresolved' ? [id] : [],
    ),
  );
  return [...finalProposals].flatMap(([id, { state, comment, ref }]) => {
    const thread = comment === null || comment.kind === 'issue-comment' ? undefined : threads.get(comment.id);
    if (thread === undefined || thread.resolvedById !== null || opened.has(thread.id)) return [];
    return isFinal(state) && isInstalled(evidence, ref)
      ? [`S73: the thread of ${id}, which is ${state}, stays open`]
      : [];
  });
};

/** What people said to a run that goes on is told the model, or stays with the run. */
export const notesReachTheModel: CaseCheck = ({ saved }) => {
  const waiting = new Map<string, readonly { readonly text: string }[]>();
  return saved.flatMap(({ saved: { step } }) => {
    const { run } = step.pull;
    if (run === null) return [];
    const told = JSON.stringify(step.messages);
    const gone = (waiting.get(run.id) ?? []).filter(({ text }) => !run.agentNotes.some((note) => note.text === text));
    waiting.set(run.id, run.agentNotes);
    return gone
      .filter(({ text }) => !told.includes(JSON.stringify(JSON.stringify(text)).slice(3, -3)))
      .map(({ text }) => `the model was never told ${JSON.stringify(text)} (${step.reason})`);
  });
};

/** HTML that is the App's own. */
const APP_HTML = /^(?:<!-- countersign:[a-z0-9:/-]+ -->|<details>\n<summary>[^<>]*<\/summary>|<\/details>)$/i;

const HOSTILE_MENTION = /(?:^|[^\w`])@evil/;

/** V6: what models and people wrote does nothing on the page: no image, no link elsewhere, no HTML, nobody is called. */
export const userTextStaysInert: CaseCheck = ({ played }) =>
  snapshotAllPulls(played.simulatedGitHub, played.fixture)
    .flatMap((snapshot) => listBotComments(snapshot, played.fixture))
    .filter(({ body }) => body.includes('evil'))
    .flatMap(({ id, body }) => findActiveNodes(fromMarkdown(body)).map((what) => `V6: comment ${id} holds ${what}`));

function findActiveNodes(node: Nodes): readonly string[] {
  const below = 'children' in node ? node.children.flatMap(findActiveNodes) : [];
  switch (node.type) {
    case 'image':
    case 'imageReference':
    case 'linkReference':
    case 'definition':
      return [node.type, ...below];
    case 'html':
      return APP_HTML.test(node.value) ? below : [`html ${node.value}`, ...below];
    case 'link':
      return node.url.startsWith(GITHUB_URL) ? below : [`a link to ${node.url}`, ...below];
    case 'text':
      return HOSTILE_MENTION.test(node.value) ? [`a mention in ${JSON.stringify(node.value)}`] : [];
    default:
      return below;
  }
}
