import { type StepBuilder, withReply } from '../actions/step-builder.ts';
import { COMMAND_GRAMMAR } from '../commands/all-commands.ts';
import { isNamedByQuote, isThreadOf, wasPostedAfter } from '../commands/shared/targets.ts';
import { parseComment } from '../comments/parse-comment.ts';
import { findSourceProblem, voteSourceOf } from '../policy/approval-rules.ts';
import { findStandingProblem, type StandingContext } from '../policy/standing-approvals.ts';
import type { ParsedComment, Targets } from '../state/intent.ts';
import { fullyPostedAt, type Proposal, turnOf } from '../state/proposal.ts';
import { isCarriedOut } from '../state/proposal-lifecycle.ts';
import type { Settings } from '../state/settings.ts';
import { approvalVotes, usesStandingApproval, type Vote } from '../state/vote.ts';
import type { VoteProblem, VoteSource } from '../state/vote-source.ts';
import { proposalLink } from '../step/reply-links.ts';
import type { PreflightCheck } from '../step/signals.ts';

/** An approval that GitHub does not show any more as it was counted. */
type WithdrawnVote = { readonly vote: Vote; readonly problem: VoteProblem };

/** The proposals of the pull request, the App's own name, and what is null under broken settings. */
type VoteContext = {
  readonly proposals: readonly Proposal[];
  readonly slug: string;
  /** Where people can vote by now. */
  readonly surfaces: Pick<Settings, 'reviewApproval'> | null;
  readonly standing: StandingContext | null;
};

/** The approvals that are no votes any more: what is on the page decides, not what was stored. */
export function findWithdrawnVotes(
  proposal: Proposal,
  { voteSources }: PreflightCheck,
  context: VoteContext,
): readonly WithdrawnVote[] {
  return approvalVotes(proposal).flatMap((vote) => {
    const problem =
      findSourceProblem(vote, voteSources) ??
      (context.standing === null ? null : findStandingProblem(vote, proposal, context.standing)) ??
      findTextProblem(vote, proposal, voteSources, context);
    return problem === null ? [] : [{ vote, problem }];
  });
}

export function withoutVotes(proposal: Proposal, withdrawn: readonly WithdrawnVote[]): Proposal {
  if (withdrawn.length === 0) return proposal;
  const dropped = new Set(withdrawn.map(({ vote }) => vote));
  return { ...proposal, votes: proposal.votes.filter((vote) => !dropped.has(vote)) };
}

/** One for each person who has no other approval that stands. Only these change who approves. */
export function lostApprovals(proposal: Proposal, withdrawn: readonly WithdrawnVote[]): readonly WithdrawnVote[] {
  const approvers = new Set(approvalVotes(withoutVotes(proposal, withdrawn)).map(({ by }) => by.id));
  const lost = withdrawn.filter(({ vote }) => !approvers.has(vote.by.id));
  return [...new Map(lost.map((one) => [one.vote.by.id, one])).values()];
}

/** Reads the text again: it must approve this change, at the place and time where it is on the page. */
function findTextProblem(
  vote: Vote,
  proposal: Proposal,
  voteSources: PreflightCheck['voteSources'],
  { proposals, slug, surfaces }: VoteContext,
): VoteProblem | null {
  const source = voteSourceOf(vote, voteSources);
  if (source === null) return 'missing';
  const { parsed, ...quotes } = parseComment(COMMAND_GRAMMAR, source.body, slug);
  if (usesStandingApproval(vote)) return givesApproval(parsed, vote) ? null : 'not-theirs';
  if (parsed.kind === 'command' && parsed.command.name === 'approve')
    return isAbout(proposal, source, parsed.command.targets, quotes) ? null : 'not-theirs';
  if (parsed.kind !== 'text') return 'not-theirs';
  if (vote.surface === 'review') return findReviewProblem(proposal, source, surfaces);
  // The proposed lines are an approval only if they are the whole comment; a person's own lines can have a note.
  if (vote.action === 'modify' ? parsed.suggestions.length !== 1 : !parsed.isSuggestionAlone) return 'not-theirs';
  // A person's own lines that got an id of their own were written below a proposal that they replace.
  const answerable = vote.action === 'modify' ? withReplaced(proposals, proposal) : [proposal];
  return answerable.some((one) => isAnswerTo(one, source, quotes)) ? null : 'not-theirs';
}

/** The comment of a standing approval is about an earlier proposal, and says how far it reaches. */
function givesApproval(parsed: ParsedComment, { standingApproval }: Vote): boolean {
  if (parsed.kind !== 'command' || parsed.command.name !== 'approve' || standingApproval === null) return false;
  const { always } = parsed.command;
  return always !== undefined && always.glob === standingApproval.glob;
}

/** A review without a command approves all changes that were posted before it. */
function findReviewProblem(
  proposal: Proposal,
  source: VoteSource,
  surfaces: VoteContext['surfaces'],
): VoteProblem | null {
  if (source.reviewState !== 'approved') return 'dismissed';
  if (surfaces?.reviewApproval === 'nothing') return 'plain-review';
  return wasWrittenAfter(proposal, source) ? null : 'not-theirs';
}

type Quotes = Omit<ReturnType<typeof parseComment>, 'parsed'>;

function isAbout(proposal: Proposal, source: VoteSource, targets: Targets, quotes: Quotes): boolean {
  switch (targets.by) {
    case 'ids':
      return (
        targets.ids.includes(proposal.id) && source.createdAt !== null && !wasPostedAfter(proposal, source.createdAt)
      );
    case 'all':
      return wasWrittenAfter(proposal, source);
    case 'location':
      return source.thread === null && quotes.quote === null
        ? wasWrittenAfter(proposal, source)
        : isAnswerTo(proposal, source, quotes);
  }
}

function isAnswerTo(proposal: Proposal, { thread }: VoteSource, { quotedIds }: Quotes): boolean {
  return thread === null ? isNamedByQuote(proposal, quotedIds) : isThreadOf(proposal, thread.rootId);
}

/** A proposal that was posted again after its comment was deleted keeps its earlier approvals. */
function wasWrittenAfter(proposal: Proposal, { createdAt }: VoteSource): boolean {
  const postedAt = fullyPostedAt(proposal);
  if (proposal.repairCount > 0) return true;
  return postedAt !== null && createdAt !== null && Date.parse(postedAt) < Date.parse(createdAt);
}

/** One reply for each person who lost an approval and problem; the proposals are those after the step. */
export function announceWithdrawnVotes(
  builder: StepBuilder,
  approvedBefore: readonly Proposal[],
  withdrawnOf: (proposal: Proposal) => readonly WithdrawnVote[],
): StepBuilder {
  const found = approvedBefore.flatMap((before) => {
    const proposal = builder.pull.proposals.find(({ id }) => id === before.id);
    if (proposal === undefined || (proposal.state !== 'proposed' && !isCarriedOut(proposal))) return [];
    return lostApprovals(before, withdrawnOf(before)).map(({ vote, problem }) => ({ proposal, by: vote.by, problem }));
  });
  const groups = Map.groupBy(found, ({ proposal, by, problem }) => `${proposal.state} ${by.id} ${problem}`);
  return [...groups.values()].reduce((announced, [first, ...more]) => {
    if (first === undefined) return announced;
    const { by, problem, proposal } = first;
    const proposals = [first, ...more].map((one) => proposalLink(one.proposal));
    const isPending = proposal.state === 'proposed';
    const reply = { kind: 'approval-withdrawn', login: by.login, problem, isPending, proposals } as const;
    return withReply(announced, { at: 'pull-request' }, reply);
  }, builder);
}

/**
 * The proposal and those of its turn that it replaced, directly or not. A replacement has a later place in the list;
 * the model's own next version, of a later turn, takes over no vote.
 */
function withReplaced(proposals: readonly Proposal[], proposal: Proposal): readonly Proposal[] {
  const chain = [proposal];
  const ids = new Set([proposal.id]);
  for (const one of proposals.toReversed()) {
    if (one.replacedBy === null || !ids.has(one.replacedBy) || turnOf(one) !== turnOf(proposal)) continue;
    chain.push(one);
    ids.add(one.id);
  }
  return chain;
}
