import { forkWarnings } from '../render/fork-words.ts';
import { renderProposal } from '../render/proposal.ts';
import { ruleWarnings } from '../render/rule-words.ts';
import { sameBranchWarnings } from '../render/same-branch-words.ts';
import type { PostedComment, Proposal } from '../run/proposal.ts';
import type { Pull } from '../run/run.ts';
import { isFinal } from '../run/transition.ts';
import { DONE, type Job, type Outcome } from './job.ts';
import { updateStanding } from './update-standing.ts';

/** Makes the proposal's comment say how it stands now, and resolves its thread once nothing can change any more. */
export async function showProposal({ context, stored, effect }: Job<'show-proposal'>): Promise<Outcome> {
  const pull = await context.store.load(stored.pullKey, { ids: [effect.proposalId], commentId: null });
  const proposal = pull.proposals.find((one) => one.id === effect.proposalId);
  if (proposal === undefined || proposal.comment === null || proposal.placement === null) return DONE;
  const github = context.githubs.for(pull.ref);
  const view = {
    proposal,
    placement: proposal.placement,
    warnings: [...forkWarnings(pull.run), ...ruleWarnings(pull.run), ...sameBranchWarnings(pull.run)],
    links: context.links(pull.ref),
  };
  const { body } = renderProposal({ ...view, replacedByUrl: replacementUrl(pull, proposal) });
  const shown = await updateStanding(github, proposal.comment, body);
  if (shown === null) return gone(proposal, proposal.comment);
  if (isFinal(proposal.state) && proposal.comment.kind !== 'issue-comment')
    await github.resolveThread(proposal.comment);
  if (proposal.state !== 'proposed') return DONE;
  return { kind: 'done', signal: { type: 'proposal-shown', proposalId: proposal.id, ...shown } };
}

/** Somebody deleted it: an open proposal has to be seen by people before they can decide. */
function gone({ id, state }: Proposal, comment: PostedComment): Outcome {
  if (state !== 'proposed') return DONE;
  return { kind: 'done', signal: { type: 'comment-gone', proposalId: id, commentId: comment.id } };
}

function replacementUrl(pull: Pull, proposal: Proposal): string | null {
  return pull.proposals.find((one) => one.id === proposal.replacedBy)?.comment?.url ?? null;
}
