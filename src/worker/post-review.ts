import { setImmediate as breath } from 'node:timers/promises';
import { sourcePath } from '../change/touched.ts';
import { unshownOutput } from '../prompt/outputs.ts';
import { turnMarker } from '../render/markers.ts';
import { renderReview } from '../render/review.ts';
import { aboutRun } from '../render/run-warnings.ts';
import type { Proposal } from '../run/proposal.ts';
import { activeRun, type Pull } from '../run/run.ts';
import type { PostedProposal } from '../run/signal.ts';
import { isLasting } from './backoff.ts';
import type { Ground } from './draft-page.ts';
import { type Draft, draftProposal } from './draft-proposal.ts';
import { findEarlier, standsIn, takeOver } from './earlier-comments.ts';
import { DONE, type Job, type Outcome } from './job.ts';
import type { GitHub, NewReview, ReviewDraft, StandingReview } from './ports.ts';
import { type Found, postDiff, postParts } from './post-diff.ts';
import { readFile } from './read-files.ts';

type Posting = Job<'post-review'>;

/** A proposal that is still to be decided, with what its comments are made of. */
type Open = { readonly proposal: Proposal; readonly ground: Ground; readonly draft: Draft | null };

/**
 * Posts the proposals of a turn together: one review for what suggestion blocks can say, then the exact diffs.
 * A repetition, and whatever was on the page before, first looks for what is already there, by the markers of our own
 * comments, and adds what is missing.
 */
export async function postReview(job: Posting): Promise<Outcome> {
  const { context, stored, effect } = job;
  const pull = await context.store.load(stored.pullKey, { ids: effect.proposalIds, commentId: null });
  const github = context.githubs.for(pull.ref);
  const mine = pull.proposals.filter((one) => effect.proposalIds.includes(one.id) && one.comment === null);
  const wanted = effect.turn === null || activeRun(pull)?.id === effect.runId;
  const waiting = wanted ? mine.filter((one) => one.state === 'proposed') : [];
  const open = await draftAll(job, github, pull, waiting);
  const repeated = job.attempts > 1;
  // What was decided meanwhile is looked for too: its comment may stand there, with a button and commands.
  const earlier =
    repeated || mine.some((one) => one.restorations > 0)
      ? await findEarlier({ github, workOut: context.workOut }, mine, askedAt(pull, effect.runId))
      : NONE;
  const standing = await standingOf({ job, github, pull, earlier }, mine, open);
  const found = repeated ? await earlierReviews(github, pull, effect) : [];
  const missing = open.filter(({ proposal }) => !standsIn(earlier, proposal));
  const posted = await postMissing({ job, github, pull, earlier }, missing, found);
  const proposals = [...standing, ...posted.proposals];
  const { body } = reviewOf(effect, pull, []);
  const reviews = [...found, ...posted.reviews].map((review) => ({ ...review, body }));
  const shown = new Set(proposals.map(({ proposalId }) => proposalId));
  const unshown = waiting.filter(({ id }) => !shown.has(id)).map(unshownOf);
  if (proposals.length === 0 && unshown.length === 0 && reviews.length === 0) return DONE;
  const { runId, turn } = effect;
  return { kind: 'done', signal: { type: 'review-posted', runId, turn, proposals, reviews, unshown } };
}

const NONE: Found = new Map();

/** When the run was asked for, by GitHub's clock; null of one that is over. */
function askedAt({ run }: Pull, runId: string): string | null {
  return run?.id === runId ? run.task.askedAt : null;
}

/** Reviews of this turn that an earlier try left on the page. */
async function earlierReviews(
  github: GitHub,
  pull: Pull,
  { runId, turn }: Posting['effect'],
): Promise<readonly StandingReview[]> {
  const known = pull.run?.reviews ?? [];
  const found = await github.findReviews(turnMarker(runId, turn));
  return found.filter(({ id }) => !known.some((review) => review.id === id));
}

function unshownOf({ id, change }: Proposal): { readonly proposalId: string; readonly output: string } {
  return { proposalId: id, output: unshownOutput(change.path) };
}

async function draftAll(
  { context }: Posting,
  github: GitHub,
  pull: Pull,
  waiting: readonly Proposal[],
): Promise<readonly Open[]> {
  const [first] = waiting;
  if (first === undefined) return [];
  const files = new Map((await github.files(first.head)).map((file) => [file.path, file]));
  const tree = await github.tree(first.head);
  const links = context.links(pull.ref);
  const about = aboutRun(pull.run);
  const open: Open[] = [];
  for (const proposal of waiting) {
    // Even a short page takes a while to write and to read back.
    await breath();
    const path = sourcePath(proposal.change);
    const baseText = (await readFile(github, tree, path))?.text ?? '';
    const ground = { about, links, baseText, file: files.get(path) };
    open.push({ proposal, ground, draft: await draftProposal(context.workOut, proposal, ground) });
  }
  return open;
}

/** What an earlier try left, made whole. */
async function standingOf(
  { job, github, earlier }: Page,
  mine: readonly Proposal[],
  open: readonly Open[],
): Promise<readonly PostedProposal[]> {
  const standing: PostedProposal[] = [];
  const at = { github, workOut: job.context.workOut };
  for (const proposal of mine) {
    const posted = await takeOver(at, proposal, earlier, open.find((one) => one.proposal === proposal) ?? null);
    if (posted !== null) standing.push(posted);
  }
  return standing;
}

/** What all that is still to be posted has in common. */
type Page = { readonly job: Posting; readonly github: GitHub; readonly pull: Pull; readonly earlier: Found };

/** What stands on the page now. */
type Posted = { readonly proposals: readonly PostedProposal[]; readonly reviews: readonly StandingReview[] };
const NOTHING: Posted = { proposals: [], reviews: [] };

async function postMissing(page: Page, missing: readonly Open[], found: readonly StandingReview[]): Promise<Posted> {
  const drafts = missing.flatMap(({ draft }) => draft ?? []);
  const suggestions = drafts.filter((draft) => draft.placement.kind === 'suggestion');
  const asksForChanges = page.job.effect.turn !== null && page.pull.run?.settings.reviewEvent === 'request-changes';
  const blocks = drafts.length > 0 && asksForChanges;
  const wanted = suggestions.length > 0 || (blocks && found.length === 0);
  const inReview = wanted ? await postSuggestions(page, drafts, suggestions) : NOTHING;
  const posted = new Set(inReview.proposals.map(({ proposalId }) => proposalId));
  const others = missing.filter(({ proposal }) => !posted.has(proposal.id));
  return { proposals: [...inReview.proposals, ...(await postDiffs(page, others))], reviews: inReview.reviews };
}

async function postDiffs({ job, github, earlier }: Page, missing: readonly Open[]): Promise<readonly PostedProposal[]> {
  const proposals: PostedProposal[] = [];
  for (const { proposal, draft, ground } of missing) {
    const posted = draft === null ? null : await postDiff({ github, workOut: job.context.workOut }, draft, ground);
    if (posted === null) continue;
    const { placement, comment, comments } = posted;
    const parts = await postParts(github, comment, comments.parts, earlier);
    proposals.push({ proposalId: proposal.id, placement, comment, parts });
  }
  return proposals;
}

/** One bad anchor loses the whole review, and GitHub does not say which: then all of them go one rung down. */
async function postSuggestions(
  { job, github, pull }: Page,
  missing: readonly Draft[],
  drafts: readonly Draft[],
): Promise<Posted> {
  const [first] = missing;
  if (first === undefined) return NOTHING;
  try {
    const review = reviewOf(job.effect, pull, drafts);
    const { review: created, comments } = await github.createReview(first.proposal.head, review);
    const proposals = drafts.flatMap(({ proposal, placement }, index) => {
      const comment = comments[index];
      return comment === undefined ? [] : [{ proposalId: proposal.id, placement, comment, parts: [] }];
    });
    return { proposals, reviews: [created] };
  } catch (error) {
    if (!isLasting(error)) throw error;
    job.context.log.warn(
      { err: error, effect: job.stored.id },
      'GitHub refused a review; its changes are posted as diffs',
    );
    return NOTHING;
  }
}

function reviewOf({ runId, turn, proposalIds }: Posting['effect'], { run }: Pull, drafts: readonly Draft[]): NewReview {
  // What belongs to no turn is nothing that the agent asks for: it never stands in the way of a merge.
  const ofTurn = turn !== null;
  const modelText = ofTurn ? (run?.batch?.text ?? null) : null;
  const body = renderReview({ runId, turn, proposals: proposalIds.length, modelText });
  const event = ofTurn && run?.settings.reviewEvent === 'request-changes' ? 'REQUEST_CHANGES' : 'COMMENT';
  return { body, event, drafts: drafts.flatMap(anchored) };
}

function anchored({ placement, comments }: Draft): readonly ReviewDraft[] {
  if (placement.kind !== 'suggestion') return [];
  const { path, startLine, line } = placement;
  return [{ path, startLine, line, body: comments.body }];
}
