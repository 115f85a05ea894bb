import type { Command } from '../command/intent.ts';
import { cleanText } from '../prompt/clean-text.ts';
import { type Draft, draftOf, finish, withEffects, withProposal, withVote } from './draft.ts';
import type { Proposal } from './proposal.ts';
import { resolveAim } from './resolve-aim.ts';
import { reply, type Spoken, voteOf, withLeftovers } from './spoken.ts';
import type { Step } from './step.ts';
import { moved } from './transition.ts';

type Approve = Extract<Command, { name: 'approve' }>;

/** `/approve`: a vote for each, then one commit of all of them. */
export function onApprove(spoken: Spoken, command: Approve): Step {
  const found = resolveAim(spoken, 'approve', command.targets);
  if (found.kind === 'answered') return found.step;
  const run = spoken.pull.run;
  if (run?.fork === true) return reply(spoken, { kind: 'fork', headRef: run.headRef }, 'fork');
  const note = cleanText(command.note).text;
  const fresh = found.open.filter((proposal) => proposal.state === 'proposed');
  const voted = fresh.reduce((draft, proposal) => approve(draft, proposal, spoken, note), draftOf(spoken.pull));
  const acknowledged = withEffects(voted, { type: 'react', place: spoken.intent.place, content: '+1' });
  const committing = withCommit(acknowledged, fresh, spoken);
  return finish(withLeftovers(committing, spoken, found.done, found.left), 'approved');
}

function approve(draft: Draft, proposal: Proposal, spoken: Spoken, note: string): Draft {
  const voted = withVote(draft, voteOf(spoken, proposal, 'approve', note));
  const current = voted.pull.proposals.find((other) => other.id === proposal.id) ?? proposal;
  return withProposal(voted, moved(current, 'approved', spoken.intent.createdAt));
}

function withCommit(draft: Draft, proposals: readonly Proposal[], spoken: Spoken): Draft {
  const [first] = proposals;
  if (first === undefined) return draft;
  const proposalIds = proposals.map((proposal) => proposal.id);
  return withEffects(draft, { type: 'commit', runId: first.runId, proposalIds, place: spoken.intent.place });
}
