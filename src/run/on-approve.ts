import type { Command } from '../command/intent.ts';
import { cleanText } from '../prompt/clean-text.ts';
import { type Draft, draftOf, finish, withAnswer, withEffects, withProposal, withVote } from './draft.ts';
import type { Proposal } from './proposal.ts';
import { resolveAim } from './resolve-aim.ts';
import { mayHaveShownElse, restore } from './restore.ts';
import { named, reply, type Spoken, voteOf, withLeftovers } from './spoken.ts';
import type { Step } from './step.ts';
import { damageOf } from './tampered.ts';
import { moved } from './transition.ts';

type Approve = Extract<Command, { name: 'approve' }>;

/** `/approve`: a vote for each, then one commit of all of them. */
export function onApprove(spoken: Spoken, command: Approve): Step {
  const found = resolveAim(spoken, 'approve', command.targets);
  if (found.kind === 'answered') return found.step;
  const run = spoken.pull.run;
  if (run?.fork === true) return reply(spoken, { kind: 'fork', headRef: run.headRef }, 'fork');
  const note = cleanText(command.note).text;
  const doubt = doubtOfShown(spoken, found.open);
  if (doubt !== null) return doubt;
  const fresh = found.open.filter((proposal) => proposal.state === 'proposed');
  const voted = found.open.reduce((draft, proposal) => approve(draft, proposal, spoken, note), draftOf(spoken.pull));
  const acknowledged = withEffects(voted, { type: 'react', place: spoken.intent.place, content: '+1' });
  const committing = withCommit(acknowledged, fresh, spoken);
  return finish(withLeftovers(committing, spoken, found.done, found.left), 'approved');
}

/** What is answered where the page does not, or did not, show these as they are; null where it did. */
export function doubtOfShown(spoken: Spoken, open: readonly Proposal[]): Step | null {
  const tampered = open.filter((proposal) => damageOf(proposal, spoken.facts) !== null);
  if (tampered.length > 0) return askAgain(spoken, tampered);
  const unseen = open.filter((proposal) => mayHaveShownElse(proposal, spoken.words.createdAt));
  if (unseen.length === 0) return null;
  return reply(spoken, { kind: 'posted-later', left: unseen.map(named) }, 'posted-later');
}

/** Somebody saw something else than we wrote: it is written anew, and the approval is asked for again. */
function askAgain(spoken: Spoken, tampered: readonly Proposal[]): Step {
  const { pull, facts, intent } = spoken;
  const restored = tampered.reduce(
    (draft, one) => restore(draft, one, damageOf(one, facts) ?? 'changed', facts.now),
    draftOf(pull),
  );
  const ids = new Set(tampered.map(({ id }) => id));
  const waiting = restored.pull.proposals.filter((one) => ids.has(one.id) && one.state === 'proposed');
  if (waiting.length === 0) return finish(restored, 'comment-edited');
  const answer = { kind: 'comment-edited', proposals: waiting.map(named) } as const;
  return finish(withAnswer(restored, intent.place, answer), 'comment-edited');
}

function approve(draft: Draft, proposal: Proposal, spoken: Spoken, note: string): Draft {
  const known = proposal.votes.some((vote) => vote.action === 'approve' && vote.by.id === spoken.person.id);
  if (known && proposal.state === 'approved') return draft;
  const voted = withVote(draft, voteOf(spoken, proposal, 'approve', note));
  const current = voted.pull.proposals.find((other) => other.id === proposal.id) ?? proposal;
  // Whoever approves what is approved already counts too: should the first one's vote lapse, this one stands.
  return current.state === 'approved'
    ? voted
    : withProposal(voted, moved(current, 'approved', spoken.intent.createdAt));
}

export function withCommit(draft: Draft, proposals: readonly Proposal[], spoken: Spoken): Draft {
  const [first] = proposals;
  if (first === undefined) return draft;
  const proposalIds = proposals.map((proposal) => proposal.id);
  return withEffects(draft, { type: 'commit', runId: first.runId, proposalIds, place: spoken.intent.place });
}
