import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { notShowableOutput } from '../../core/agent/shared/tool-results.ts';
import { membersOf, pathsOf, sourcePath } from '../../core/edits/change.ts';
import type { DraftContext } from '../../core/messages/draft-comments.ts';
import { renderReview } from '../../core/messages/run-comment.ts';
import { runWarnings } from '../../core/messages/run-warnings.ts';
import { turnMarker } from '../../core/messages/shared/markdown.ts';
import type { Proposal } from '../../core/state/proposal.ts';
import { activeRun, type PullState } from '../../core/state/pull-state.ts';
import type { GitHub, NewReview, OwnReview, PullRequestFile, ReviewCommentDraft } from '../../core/step/ports.ts';
import type { PostedProposal } from '../../core/step/signals.ts';
import { fetchFile } from '../jobs/gather-facts.ts';
import { DONE, type EffectResult, type Job } from '../jobs/job.ts';
import { isPermanent } from '../jobs/retries.ts';
import {
  adoptPostedComments,
  draftProposal,
  type FoundComments,
  findPostedComments,
  isPosted,
  type ProposalDraft,
  postDiff,
} from './proposal-comments.ts';

type PostProposalsJob = Job<'post-proposals'>;

/** A pending proposal with its draft; the draft is null if no placement can show the change. */
type OpenProposal = {
  readonly proposal: Proposal;
  readonly draftContext: DraftContext;
  readonly draft: ProposalDraft | null;
};

/**
 * Posts the proposals of a turn: one review with all suggestion blocks, then a comment for each exact diff. A retry
 * first finds existing comments by their markers, and adds only the missing ones.
 */
export async function postProposals(job: PostProposalsJob): Promise<EffectResult> {
  const { context, stored, effect } = job;
  const { runId, turn, proposalIds } = effect;
  const pull = await context.store.load(stored.pullRequestKey, { ids: proposalIds, commentId: null });
  const github = context.githubApp.forPull(pull.ref);
  const unposted = pull.proposals.filter(({ id, comment }) => proposalIds.includes(id) && comment === null);
  const isRelevant = turn === null || activeRun(pull)?.id === runId;
  const pending = isRelevant ? unposted.filter(({ state }) => state === 'proposed') : [];
  const open = await draftProposals(job, github, pull, pending);
  const isRetry = job.attempts > 1;
  // Also look for proposals that were decided meanwhile: their comments can show commands and a suggestion button.
  const foundComments = isRetry
    ? await findPostedComments({ github }, unposted, runRequestedAt(pull, runId))
    : NO_COMMENTS;
  const batch = { job, github, pull, foundComments };
  const adopted = await adoptAll(batch, unposted, open);
  const existingReviews = isRetry ? await findPostedReviews(github, pull, effect) : [];
  const missing = open.filter(({ proposal }) => !isPosted(foundComments, proposal));
  const posted = await postMissing(batch, missing, existingReviews);
  const proposals = [...adopted, ...posted.proposals];
  const reviews = [...existingReviews, ...posted.reviews];
  const postedIds = new Set(proposals.map(({ proposalId }) => proposalId));
  const unpostable = pending.filter(({ id }) => !postedIds.has(id)).map(toUnpostable);
  if (proposals.length === 0 && unpostable.length === 0 && reviews.length === 0) return DONE;
  return { kind: 'done', signal: { type: 'proposals-posted', runId, turn, proposals, reviews, unpostable } };
}

const NO_COMMENTS: FoundComments = new Map();

/** GitHub's time of the task's comment; null for an earlier run. */
function runRequestedAt({ run }: PullState, runId: string): string | null {
  return run?.id === runId ? run.task.requestedAt : null;
}

/** Finds reviews of this turn from earlier attempts that are not stored yet. */
async function findPostedReviews(
  github: GitHub,
  pull: PullState,
  { runId, turn }: PostProposalsJob['effect'],
): Promise<readonly OwnReview[]> {
  const known = pull.run?.reviews ?? [];
  const found = await github.findReviews(turnMarker(runId, turn));
  return found.filter(({ id }) => !known.some((review) => review.id === id));
}

function toUnpostable({ id, change }: Proposal): { readonly proposalId: string; readonly output: string } {
  return { proposalId: id, output: notShowableOutput(pathsOf(change).join(', ')) };
}

async function draftProposals(
  { context }: PostProposalsJob,
  github: GitHub,
  pull: PullState,
  pending: readonly Proposal[],
): Promise<readonly OpenProposal[]> {
  const [first] = pending;
  if (first === undefined) return [];
  const files = new Map((await github.listFiles(first.headSha)).map((file) => [file.path, file]));
  const tree = await github.fetchTree(first.headSha);
  const links = context.links(pull.ref);
  const runDetails = runWarnings(pull.run);
  const open: OpenProposal[] = [];
  for (const proposal of pending) {
    // Even a short draft takes a while to render and read back, so let other work run in between.
    await yieldToEventLoop();
    const sources = membersOf(proposal.change).map(sourcePath);
    const memberTexts: string[] = [];
    for (const path of sources) memberTexts.push((await fetchFile(github, tree, path))?.text ?? '');
    const path = sources.find((one) => isShownInDiff(files.get(one))) ?? sources[0] ?? '';
    const draftContext = { runDetails, links, memberTexts, file: files.get(path), path };
    open.push({ proposal, draftContext, draft: await draftProposal(proposal, draftContext) });
  }
  return open;
}

/** A comment can stand on a file of the pull request's diff that still exists. */
function isShownInDiff(file: PullRequestFile | undefined): boolean {
  return file !== undefined && file.status !== 'removed';
}

/** The shared context of all posts of one attempt. */
type PostingBatch = {
  readonly job: PostProposalsJob;
  readonly github: GitHub;
  readonly pull: PullState;
  readonly foundComments: FoundComments;
};

/** Completes the comments that an earlier attempt posted. */
async function adoptAll(
  { github, foundComments }: PostingBatch,
  unposted: readonly Proposal[],
  open: readonly OpenProposal[],
): Promise<readonly PostedProposal[]> {
  const adopted: PostedProposal[] = [];
  const context = { github };
  for (const proposal of unposted) {
    const openProposal = open.find((one) => one.proposal === proposal) ?? null;
    const posted = await adoptPostedComments(context, proposal, foundComments, openProposal);
    if (posted !== null) adopted.push(posted);
  }
  return adopted;
}

type PostedBatch = { readonly proposals: readonly PostedProposal[]; readonly reviews: readonly OwnReview[] };

const NOTHING_POSTED: PostedBatch = { proposals: [], reviews: [] };

async function postMissing(
  batch: PostingBatch,
  missing: readonly OpenProposal[],
  existingReviews: readonly OwnReview[],
): Promise<PostedBatch> {
  const drafts = missing.flatMap(({ draft }) => draft ?? []);
  const suggestions = drafts.filter(({ placement }) => placement.kind === 'suggestion');
  const requestsChanges =
    drafts.length > 0 &&
    existingReviews.length === 0 &&
    batch.job.effect.turn !== null &&
    batch.pull.run?.settings.reviewEvent === 'request-changes';
  const inReview =
    suggestions.length > 0 || requestsChanges ? await postReview(batch, drafts, suggestions) : NOTHING_POSTED;
  const posted = new Set(inReview.proposals.map(({ proposalId }) => proposalId));
  const others = missing.filter(({ proposal }) => !posted.has(proposal.id));
  return { proposals: [...inReview.proposals, ...(await postDiffs(batch, others))], reviews: inReview.reviews };
}

async function postDiffs(
  { github }: PostingBatch,
  missing: readonly OpenProposal[],
): Promise<readonly PostedProposal[]> {
  const proposals: PostedProposal[] = [];
  for (const { proposal, draft, draftContext } of missing) {
    const posted = draft === null ? null : await postDiff({ github }, draft, draftContext);
    if (posted === null) continue;
    const { placement, comment } = posted;
    proposals.push({ proposalId: proposal.id, placement, comment });
  }
  return proposals;
}

/**
 * One invalid line makes GitHub refuse the whole review without naming it: then all its changes are posted as diffs.
 */
async function postReview(
  { job, github, pull }: PostingBatch,
  drafts: readonly ProposalDraft[],
  suggestions: readonly ProposalDraft[],
): Promise<PostedBatch> {
  const [first] = drafts;
  if (first === undefined) return NOTHING_POSTED;
  try {
    const newReview = buildReview(job.effect, pull, suggestions);
    const { review, comments } = await github.createReview(first.proposal.headSha, newReview);
    const proposals = suggestions.flatMap(({ proposal, placement }, index) => {
      const comment = comments[index];
      return comment === undefined ? [] : [{ proposalId: proposal.id, placement, comment }];
    });
    return { proposals, reviews: [review] };
  } catch (error) {
    if (!isPermanent(error)) throw error;
    job.context.log.warn({ err: error }, 'review refused by GitHub, posting diffs instead');
    return NOTHING_POSTED;
  }
}

function buildReview(
  { runId, turn, proposalIds }: PostProposalsJob['effect'],
  { run, proposals }: PullState,
  suggestions: readonly ProposalDraft[],
): NewReview {
  // Proposals without a turn come from people, so they never block a merge.
  const isAgentTurn = turn !== null;
  const modelText = isAgentTurn ? (run?.batch?.assistantText ?? null) : null;
  const undo = proposals.find(({ id, origin }) => proposalIds.includes(id) && origin.kind === 'undo');
  const undoneId = undo?.origin.kind === 'undo' ? undo.origin.undoneProposalId : null;
  const body = renderReview({ runId, turn, proposals: proposalIds.length, undoneId, modelText });
  const event = isAgentTurn && run?.settings.reviewEvent === 'request-changes' ? 'REQUEST_CHANGES' : 'COMMENT';
  return { body, event, comments: suggestions.flatMap(toReviewComments) };
}

function toReviewComments({ placement, comments }: ProposalDraft): readonly ReviewCommentDraft[] {
  if (placement.kind !== 'suggestion') return [];
  const { path, startLine, line } = placement;
  return [{ path, startLine, line, body: comments.body }];
}
