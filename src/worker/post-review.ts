import { type NoSuggestion, type Placement, placeChange } from '../change/placement.ts';
import { unshownOutput } from '../prompt/outputs.ts';
import { forkWarnings } from '../render/fork-words.ts';
import { turnMarker } from '../render/markers.ts';
import { fits, type ProposalView, renderProposal } from '../render/proposal.ts';
import { renderReview } from '../render/review.ts';
import { ruleWarnings } from '../render/rule-words.ts';
import { sameBranchWarnings } from '../render/same-branch-words.ts';
import { checkSuggestion } from '../render/self-check.ts';
import type { PostedComment, Proposal } from '../run/proposal.ts';
import { activeRun, type Pull } from '../run/run.ts';
import type { PostedProposal } from '../run/signal.ts';
import { alreadyPosted } from './already-posted.ts';
import { isLasting } from './backoff.ts';
import { readFile } from './gather.ts';
import { DONE, type Job, type Outcome } from './job.ts';
import type { GitHub, NewReview, PullFile, ReviewDraft, StandingReview } from './ports.ts';

/** A proposal with the place and the body it gets on the page. */
type Draft = { readonly proposal: Proposal; readonly placement: Placement; readonly body: string };

/**
 * Posts the proposals of a turn together: one review for what suggestion blocks can say, then the exact diffs.
 * A repetition first looks for what is already there, by the markers of our own comments.
 */
export async function postReview(job: Job<'post-review'>): Promise<Outcome> {
  const { context, stored, effect } = job;
  const pull = await context.store.load(stored.pullKey, { ids: effect.proposalIds, commentId: null });
  const github = context.githubs.for(pull.ref);
  const mine = pull.proposals.filter((one) => effect.proposalIds.includes(one.id) && one.comment === null);
  const open = activeRun(pull)?.id === effect.runId ? mine.filter((one) => one.state === 'proposed') : [];
  const shown = open.filter((proposal) => fits(viewOf(job, pull, proposal, asDiff(proposal))));
  const drafts = await draftAll(job, github, pull, shown);
  const placeOf = (proposal: Proposal) => drafts.find((draft) => draft.proposal === proposal)?.placement ?? null;
  // What was decided meanwhile is looked for too: its comment may stand there, with a button and commands.
  const standing = job.attempts > 1 ? await alreadyPosted(github, mine, placeOf) : [];
  const missing = drafts.filter((draft) => !standing.some((posted) => posted.proposalId === draft.proposal.id));
  const found = job.attempts > 1 ? await earlierReviews(github, pull, effect) : [];
  const posted = await postMissing(job, github, pull, missing, found);
  const proposals = [...standing, ...posted.proposals];
  const reviews = [...found, ...posted.reviews];
  const unshown = open.filter((proposal) => !shown.includes(proposal)).map(unshownOf);
  if (proposals.length === 0 && unshown.length === 0 && reviews.length === 0) return DONE;
  const { runId, turn } = effect;
  return { kind: 'done', signal: { type: 'review-posted', runId, turn, proposals, reviews, unshown } };
}

/** Reviews of this turn that an earlier try left on the page. */
async function earlierReviews(
  github: GitHub,
  pull: Pull,
  { runId, turn }: Job<'post-review'>['effect'],
): Promise<readonly StandingReview[]> {
  const known = pull.run?.reviews ?? [];
  const found = await github.findReviews(turnMarker(runId, turn));
  return found.filter(({ id }) => !known.some((review) => review.id === id));
}

/** The form of a proposal that takes the most room, and that every one can fall back to. */
function asDiff({ change }: Proposal): Placement {
  return { kind: 'conversation', path: change.path, why: 'too-long' };
}

function unshownOf({ id, change }: Proposal): { readonly proposalId: string; readonly output: string } {
  return { proposalId: id, output: unshownOutput(change.path) };
}

async function draftAll(
  job: Job<'post-review'>,
  github: GitHub,
  pull: Pull,
  open: readonly Proposal[],
): Promise<Draft[]> {
  const [first] = open;
  if (first === undefined) return [];
  const files = new Map((await github.files(first.head)).map((file) => [file.path, file]));
  const tree = await github.tree(first.head);
  const drafts: Draft[] = [];
  for (const proposal of open) {
    const file = await readFile(github, tree, proposal.change.path);
    drafts.push(draftOne(job, pull, proposal, file?.text ?? '', files.get(proposal.change.path)));
  }
  return drafts;
}

/** The highest rung of the ladder whose rendered form, read back as GitHub would, says exactly the stored lines. */
function draftOne(
  job: Job<'post-review'>,
  pull: Pull,
  proposal: Proposal,
  baseText: string,
  file: PullFile | undefined,
): Draft {
  const { change } = proposal;
  const inPullRequest = file !== undefined && file.status !== 'removed';
  const placement = placeChange({ change, baseText, patch: file?.patch ?? null, inPullRequest });
  const draft = render(job, pull, proposal, placement);
  if (placement.kind !== 'suggestion' || checkSuggestion(draft.body, placement.lines)) return draft;
  return render(job, pull, proposal, { kind: 'file', path: change.path, why: 'not-expressible' });
}

function render(job: Job<'post-review'>, pull: Pull, proposal: Proposal, placement: Placement): Draft {
  return { proposal, placement, body: renderProposal(viewOf(job, pull, proposal, placement)).body };
}

function viewOf(job: Job<'post-review'>, pull: Pull, proposal: Proposal, placement: Placement): ProposalView {
  return {
    proposal,
    placement,
    warnings: [...forkWarnings(pull.run), ...ruleWarnings(pull.run), ...sameBranchWarnings(pull.run)],
    links: job.context.links(pull.ref),
    replacedByUrl: null,
  };
}

async function postMissing(
  job: Job<'post-review'>,
  github: GitHub,
  pull: Pull,
  missing: readonly Draft[],
  found: readonly StandingReview[],
): Promise<Posted> {
  const suggestions = missing.filter((draft) => draft.placement.kind === 'suggestion');
  const blocks = missing.length > 0 && pull.run?.settings.reviewEvent === 'request-changes';
  const wanted = suggestions.length > 0 || (blocks && found.length === 0);
  const inReview = wanted ? await postSuggestions(job, github, pull, missing, suggestions) : NOTHING;
  const others = missing.filter((draft) => !inReview.proposals.some((one) => one.proposalId === draft.proposal.id));
  const proposals: PostedProposal[] = [...inReview.proposals];
  for (const draft of others) proposals.push(await postDiff(job, github, pull, draft));
  return { proposals, reviews: inReview.reviews };
}

/** What stands on the page now. */
type Posted = { readonly proposals: readonly PostedProposal[]; readonly reviews: readonly StandingReview[] };
const NOTHING: Posted = { proposals: [], reviews: [] };

/** One bad anchor loses the whole review, and GitHub does not say which: then all of them go one rung down. */
async function postSuggestions(
  job: Job<'post-review'>,
  github: GitHub,
  pull: Pull,
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
      return comment === undefined ? [] : [{ proposalId: proposal.id, placement, comment }];
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

function reviewOf(
  { runId, turn, proposalIds }: Job<'post-review'>['effect'],
  { run }: Pull,
  drafts: readonly Draft[],
): NewReview {
  const modelText = run?.batch?.text ?? null;
  const body = renderReview({ runId, turn, proposals: proposalIds.length, modelText });
  const event = run?.settings.reviewEvent === 'request-changes' ? 'REQUEST_CHANGES' : 'COMMENT';
  return { body, event, drafts: drafts.flatMap(anchored) };
}

function anchored({ placement, body }: Draft): readonly ReviewDraft[] {
  if (placement.kind !== 'suggestion') return [];
  const { path, startLine, line } = placement;
  return [{ path, startLine, line, body }];
}

/** A suggestion that ends as a diff was refused by GitHub for its place. */
function whyOf(placement: Placement): NoSuggestion {
  return placement.kind === 'suggestion' ? 'not-in-diff' : placement.why;
}

/** The exact diff in a comment of its file, or, where GitHub has no such place, in the conversation. */
async function postDiff(job: Job<'post-review'>, github: GitHub, pull: Pull, draft: Draft): Promise<PostedProposal> {
  const { proposal, placement } = draft;
  const proposalId = proposal.id;
  const { path } = placement;
  if (placement.kind !== 'conversation') {
    const onFile = render(job, pull, proposal, { kind: 'file', path, why: whyOf(placement) });
    const comment = await fileComment(github, proposal.head, path, onFile.body);
    if (comment !== null) return { proposalId, placement: onFile.placement, comment };
  }
  const last =
    placement.kind === 'conversation'
      ? draft
      : render(job, pull, proposal, { kind: 'conversation', path, why: 'not-in-diff' });
  return { proposalId, placement: last.placement, comment: await github.createComment(last.body) };
}

async function fileComment(github: GitHub, head: string, path: string, body: string): Promise<PostedComment | null> {
  try {
    return await github.createFileComment(head, path, body);
  } catch (error) {
    if (!isLasting(error)) throw error;
    return null;
  }
}
