import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { closedMeanwhileOutput, notShowableOutput } from '../../core/agent/shared/tool-results.ts';
import { mainPath, pathsOf, sourcePath } from '../../core/edits/change.ts';
import type { Placement } from '../../core/edits/placement.ts';
import {
  type DraftContext,
  draftComments,
  draftCommentsAt,
  type PlacedComments,
} from '../../core/messages/proposal/exact-page.ts';
import { renderReview } from '../../core/messages/run-comment.ts';
import { runWarnings } from '../../core/messages/run-warnings.ts';
import { proposalMarker, turnMarker } from '../../core/messages/shared/markdown.ts';
import type { PostedComment } from '../../core/state/posted-comment.ts';
import type { Proposal } from '../../core/state/proposal.ts';
import { activeRun, type PullState } from '../../core/state/pull-state.ts';
import {
  type FoundComment,
  type GitHub,
  means,
  type NewReview,
  nullIf,
  type OwnReview,
  type PullRequestFile,
} from '../../core/step/ports.ts';
import type { PostedProposal } from '../../core/step/signals.ts';
import { fetchFile } from '../jobs/gather-facts.ts';
import { DONE, type EffectResult, type Job, resultIfClosed } from '../jobs/job.ts';

type PostProposalsJob = Job<'post-proposals'>;

/** A pending proposal with its rendered comments; null if no placement can show the change. */
type Draft = { readonly proposal: Proposal; readonly context: DraftContext; readonly placed: PlacedComments | null };

/** A draft that can be posted. */
type PlacedDraft = Draft & { readonly placed: PlacedComments };

/**
 * Posts the proposals of a turn: one review with all suggestion blocks, then a comment for each exact diff. A retry
 * first finds existing comments by their markers, and adds only the missing ones.
 */
export async function postProposals(job: PostProposalsJob): Promise<EffectResult> {
  const { context, stored, effect, attempts } = job;
  const { runId, turn, proposalIds } = effect;
  const pull = await context.store.load(stored.pullRequestKey, { ids: proposalIds, commentId: null });
  const github = context.githubApp.forPull(pull.ref);
  const unposted = pull.proposals.filter(({ id, comment }) => proposalIds.includes(id) && comment === null);
  const isRelevant = turn === null || activeRun(pull)?.id === runId;
  const pending = isRelevant ? unposted.filter(({ state }) => state === 'proposed') : [];
  const drafts = await draftProposals(job, github, pull, pending);
  const earlier = attempts > 1 ? await findEarlierPosts(github, pull, effect, unposted) : NOTHING_POSTED;
  // What was posted before is adopted, and closed with the rest. It can be open again before the webhook of its close.
  const closed = attempts > 1 ? resultIfClosed(await github.fetchPull()) : null;
  if (closed !== null && earlier.comments.size + earlier.reviews.length === 0) return closed;
  const adopted = await adoptComments(github, unposted, drafts, earlier.comments);
  const isMissing = ({ proposal }: Draft) => closed === null && !earlier.comments.has(proposalMarker(proposal.id));
  const posted = await postMissing({ job, github, pull }, drafts.filter(isMissing).filter(isPlaced), earlier.reviews);
  const proposals = [...adopted, ...posted.proposals];
  const reviews = [...earlier.reviews, ...posted.reviews];
  const postedIds = new Set(proposals.map(({ proposalId }) => proposalId));
  const output = closed === null ? notShowableOutput : closedMeanwhileOutput;
  const unpostable = pending.filter(({ id }) => !postedIds.has(id)).map((one) => toUnpostable(one, output));
  if (proposals.length === 0 && unpostable.length === 0 && reviews.length === 0) return DONE;
  const head = posted.head === null ? {} : { head: posted.head };
  return { kind: 'done', signal: { type: 'proposals-posted', runId, turn, proposals, reviews, unpostable, ...head } };
}

function isPlaced(draft: Draft): draft is PlacedDraft {
  return draft.placed !== null;
}

function toUnpostable({ id, change }: Proposal, outputFor: (paths: string) => string) {
  return { proposalId: id, output: outputFor(pathsOf(change).join(', ')) };
}

async function draftProposals(
  { context }: PostProposalsJob,
  github: GitHub,
  pull: PullState,
  pending: readonly Proposal[],
): Promise<readonly Draft[]> {
  const [first] = pending;
  if (first === undefined) return [];
  const files = new Map((await github.listFiles(first.headSha)).map((file) => [file.path, file]));
  const tree = await github.fetchTree(first.headSha);
  const links = context.links(pull.ref);
  const runDetails = runWarnings(pull.run);
  const drafts: Draft[] = [];
  for (const proposal of pending) {
    // Even a short draft takes a while to render and read back, so let other work run in between.
    await yieldToEventLoop();
    const sources = proposal.change.members.map(sourcePath);
    const memberTexts: string[] = [];
    for (const path of sources) memberTexts.push((await fetchFile(github, tree, path))?.text ?? '');
    const path = sources.find((one) => isShownInDiff(files.get(one))) ?? sources[0] ?? '';
    const draftContext: DraftContext = { runDetails, links, memberTexts, file: files.get(path), path };
    drafts.push({ proposal, context: draftContext, placed: draftComments(proposal, draftContext) });
  }
  return numberInOrder(drafts);
}

/**
 * The drafts in the order of the page, with their numbers in that order: the review stands above diffs. A page that is
 * posted again alone keeps its number.
 */
function numberInOrder(drafts: readonly Draft[]): readonly Draft[] {
  const numbers = drafts.map(({ proposal }) => proposal.index).toSorted((left, right) => left - right);
  const inReview = ({ placed }: Draft): boolean => placed?.placement.kind === 'suggestion';
  const sorted = [...drafts.filter(inReview), ...drafts.filter((draft) => !inReview(draft))];
  return sorted.map((draft, at) => {
    const proposal = { ...draft.proposal, index: numbers[at] ?? draft.proposal.index };
    if (draft.placed === null || proposal.index === draft.proposal.index) return draft;
    return { ...draft, proposal, placed: draftCommentsAt(proposal, draft.placed.placement, draft.context) };
  });
}

/** A comment can stand on a file of the pull request's diff that still exists. */
function isShownInDiff(file: PullRequestFile | undefined): boolean {
  return file !== undefined && file.status !== 'removed';
}

/** What earlier attempts have posted: comments by marker, and reviews that are not stored yet. */
type EarlierPosts = { readonly comments: ReadonlyMap<string, FoundComment>; readonly reviews: readonly OwnReview[] };

const NOTHING_POSTED: EarlierPosts = { comments: new Map(), reviews: [] };

/** Also looks for proposals that were decided meanwhile: their comments can show commands and a suggestion button. */
async function findEarlierPosts(
  github: GitHub,
  { run }: PullState,
  { runId, turn }: PostProposalsJob['effect'],
  unposted: readonly Proposal[],
): Promise<EarlierPosts> {
  const since = run?.id === runId ? run.task.requestedAt : null;
  const markers = unposted.map(({ id }) => proposalMarker(id));
  const comments = markers.length === 0 ? NOTHING_POSTED.comments : await github.findCommentsByMarker(markers, since);
  const known = run?.reviews ?? [];
  const reviews = await github.findReviews(turnMarker(runId, turn));
  return { comments, reviews: reviews.filter(({ id }) => !known.some((review) => review.id === id)) };
}

/**
 * Adopts the comments of an earlier attempt, wherever they are. An edited page of a pending proposal is restored; that
 * of a decided one is only reported.
 */
async function adoptComments(
  github: GitHub,
  unposted: readonly Proposal[],
  drafts: readonly Draft[],
  comments: EarlierPosts['comments'],
): Promise<readonly PostedProposal[]> {
  const adopted: PostedProposal[] = [];
  for (const proposal of unposted) {
    const found = comments.get(proposalMarker(proposal.id));
    if (found === undefined) continue;
    const draft = drafts.find((one) => one.proposal.id === proposal.id);
    const { body, ...comment } = found;
    const placement = actualPlacement(comment, proposal, draft?.placed?.placement ?? null);
    const page = draft === undefined ? null : draftCommentsAt(draft.proposal, placement, draft.context);
    const isEdited = page !== null && page.comments.body !== body;
    const restored = isEdited ? await github.updateComment(comment, page.comments.body) : comment;
    const { id, index } = draft?.proposal ?? proposal;
    adopted.push({ proposalId: id, index, placement, comment: { ...comment, bodyHash: restored.bodyHash } });
  }
  return adopted;
}

/** The real placement of a comment: it differs from the intended one if GitHub refused the review. */
function actualPlacement(comment: PostedComment, { change }: Proposal, intended: Placement | null): Placement {
  const path = intended?.path ?? mainPath(change);
  if (comment.kind === 'issue-comment') return { kind: 'conversation', path };
  return comment.kind === 'review-comment' && intended !== null ? intended : { kind: 'file', path };
}

/** The shared context of all posts of one attempt. */
type Batch = { readonly job: PostProposalsJob; readonly github: GitHub; readonly pull: PullState };

/** `refusal` is why GitHub refused the review, in its own words; null if it did not. For `head` see the signal. */
type PostedBatch = {
  readonly proposals: readonly PostedProposal[];
  readonly reviews: readonly OwnReview[];
  readonly refusal: string | null;
  readonly head: string | null;
};

const NO_REVIEW: PostedBatch = { proposals: [], reviews: [], refusal: null, head: null };

async function postMissing(
  batch: Batch,
  drafts: readonly PlacedDraft[],
  earlierReviews: readonly OwnReview[],
): Promise<PostedBatch> {
  const suggestions = drafts.filter(({ placed }) => placed.placement.kind === 'suggestion');
  const requestsChanges = earlierReviews.length === 0 && requestsChangesIn(batch);
  const needsReview = suggestions.length > 0 || (drafts.length > 0 && requestsChanges);
  const inReview = needsReview ? await postReview(batch, drafts, suggestions) : NO_REVIEW;
  const proposals = [...inReview.proposals];
  const posted = new Set(proposals.map(({ proposalId }) => proposalId));
  for (const draft of drafts.filter(({ proposal }) => !posted.has(proposal.id)))
    proposals.push(...(await postDiff(batch.github, draft, inReview.refusal)));
  return { ...inReview, proposals };
}

/** Proposals without a turn come from people, so they never block a merge. */
function requestsChangesIn({ job, pull: { run } }: Batch): boolean {
  return job.effect.turn !== null && run?.settings.reviewEvent === 'request-changes';
}

/**
 * One invalid line makes GitHub refuse the whole review without naming it: then all its changes are posted as diffs.
 */
async function postReview(
  batch: Batch,
  [first]: readonly PlacedDraft[],
  suggestions: readonly PlacedDraft[],
): Promise<PostedBatch> {
  if (first === undefined) return NO_REVIEW;
  try {
    const { review, comments, pull } = await batch.github.createReview(
      first.proposal.headSha,
      buildReview(batch, suggestions),
    );
    const proposals = suggestions.flatMap(({ proposal, placed: { placement } }, index) => {
      const comment = comments[index];
      return comment === undefined ? [] : [{ proposalId: proposal.id, index: proposal.index, placement, comment }];
    });
    return { proposals, reviews: [review], refusal: null, head: pull?.state === 'open' ? pull.headSha : null };
  } catch (error) {
    if (!means(error, 'our-mistake')) throw error;
    batch.job.context.log.warn({ err: error }, 'review refused by GitHub, posting diffs instead');
    return { ...NO_REVIEW, refusal: error.detail };
  }
}

function buildReview(batch: Batch, suggestions: readonly PlacedDraft[]): NewReview {
  const { runId, turn, proposalIds } = batch.job.effect;
  const { run, proposals } = batch.pull;
  const modelText = turn === null ? null : (run?.batch?.assistantText ?? null);
  const own = proposals.filter(({ id }) => proposalIds.includes(id));
  return {
    body: renderReview({ runId, turn, proposals: own, modelText }),
    event: requestsChangesIn(batch) ? 'REQUEST_CHANGES' : 'COMMENT',
    comments: suggestions.flatMap(({ placed: { placement, comments } }) => {
      if (placement.kind !== 'suggestion') return [];
      const { path, startLine, line } = placement;
      return [{ path, startLine, line, body: comments.body }];
    }),
  };
}

/**
 * Posts an exact diff as a comment on the file, or on the pull request if GitHub refuses that: it has no comments on
 * files that the pull request does not change. Empty if the diff cannot be shown there.
 */
async function postDiff(
  github: GitHub,
  { proposal, context, placed: { placement } }: PlacedDraft,
  refusal: string | null,
): Promise<readonly PostedProposal[]> {
  const { path } = placement;
  const kinds = placement.kind === 'conversation' ? (['conversation'] as const) : (['file', 'conversation'] as const);
  for (const kind of kinds) {
    const refused = placement.kind === 'suggestion' && refusal !== null ? { refusal } : {};
    const page = draftCommentsAt(proposal, { kind, path, ...refused }, context);
    if (page === null) continue;
    const { body } = page.comments;
    const comment =
      kind === 'conversation'
        ? await github.createComment(body)
        : await github.createFileComment(proposal.headSha, path, body).catch(nullIf('our-mistake'));
    if (comment !== null)
      return [{ proposalId: proposal.id, index: proposal.index, placement: page.placement, comment }];
  }
  return [];
}
