import { aboutRun } from '../render/run-warnings.ts';
import type { Proposal } from '../run/proposal.ts';
import type { Pull } from '../run/run.ts';
import type { Signal } from '../run/signal.ts';
import { isFinal } from '../run/transition.ts';
import { DONE, type Job, type Outcome } from './job.ts';
import type { GitHub } from './ports.ts';
import { updateStanding } from './update-standing.ts';

/** Makes the proposal's comments say how it stands now, and resolves its thread once nothing can change any more. */
export async function showProposal({ context, stored, effect }: Job<'show-proposal'>): Promise<Outcome> {
  const pull = await context.store.load(stored.pullKey, { ids: [effect.proposalId], commentId: null });
  const proposal = pull.proposals.find((one) => one.id === effect.proposalId);
  if (proposal === undefined || proposal.comment === null || proposal.placement === null) return DONE;
  const github = context.githubs.for(pull.ref);
  const { body, parts } = await context.workOut('renderStanding', {
    proposal,
    placement: proposal.placement,
    ...aboutRun(pull.run),
    links: context.links(pull.ref),
    replacedByUrl: replacementUrl(pull, proposal),
  });
  const shown = await updateStanding(github, proposal.comment, body);
  const further = await showParts(github, proposal, parts);
  if (shown !== null && isFinal(proposal.state) && proposal.comment.kind !== 'issue-comment')
    await github.resolveThread(proposal.comment);
  return proposal.state === 'proposed' ? { kind: 'done', signal: outcomeOf(proposal, shown, further) } : DONE;
}

/** What was written into a comment that stands; null where somebody deleted it. */
type Written = Awaited<ReturnType<typeof updateStanding>>;

/** Each part, null where it is gone, or where what is to be shown has not as many. */
async function showParts(github: GitHub, proposal: Proposal, bodies: readonly string[]): Promise<readonly Written[]> {
  const written: Written[] = [];
  for (const [index, comment] of proposal.parts.entries()) {
    const body = bodies[index];
    written.push(body === undefined ? null : await updateStanding(github, comment, body));
  }
  return bodies.length > proposal.parts.length && proposal.state === 'proposed' ? [...written, null] : written;
}

/** Where somebody deleted one of them: an open proposal has to be seen whole by people before they can decide. */
function outcomeOf({ id, comment }: Proposal, shown: Written, parts: readonly Written[]): Signal | null {
  const standing = parts.filter((part) => part !== null);
  if (shown !== null && standing.length === parts.length) {
    const times = [shown, ...standing].map(({ at }) => at).toSorted();
    const partHashes = standing.map(({ bodyHash }) => bodyHash);
    return {
      type: 'proposal-shown',
      proposalId: id,
      bodyHash: shown.bodyHash,
      partHashes,
      at: times.at(-1) ?? shown.at,
    };
  }
  return comment === null ? null : { type: 'comment-gone', proposalId: id, commentId: comment.id };
}

function replacementUrl(pull: Pull, proposal: Proposal): string | null {
  return pull.proposals.find((one) => one.id === proposal.replacedBy)?.comment?.url ?? null;
}
