import type { Command } from '../command/intent.ts';
import { cleanText } from '../prompt/clean-text.ts';
import { deniedOutput } from '../prompt/outputs.ts';
import { answerProposal, settleBatch, showing } from './batch.ts';
import { type Draft, draftOf, finish, withEffects, withProposal, withVote } from './draft.ts';
import type { Proposal, Vote } from './proposal.ts';
import { resolveAim } from './resolve-aim.ts';
import { type Spoken, voteOf, withLeftovers } from './spoken.ts';
import type { Step } from './step.ts';
import { answered } from './targets.ts';
import { recordTooLate } from './too-late.ts';
import { moved } from './transition.ts';

type Deny = Extract<Command, { name: 'deny' }>;

/** `/deny`: not this change. The reason is the model's to read if the person may instruct it. */
export function onDeny(spoken: Spoken, command: Deny): Step {
  const { targets, reason } = readTargets(spoken, command);
  const found = resolveAim(spoken, 'deny', targets);
  if (found.kind === 'answered')
    return recordTooLate(spoken, found.step, found.done, { action: 'deny', text: textOf(spoken, reason) });
  const text = textOf(spoken, reason);
  const denied = found.open.reduce((draft, proposal) => deny(draft, proposal, spoken, text), draftOf(spoken.pull));
  const acknowledged = withEffects(denied, { type: 'react', place: spoken.intent.place, content: '+1' });
  const settled = settleBatch(acknowledged, spoken.facts.now);
  const step = finish(withLeftovers(settled, spoken, found.done, found.left), 'denied');
  return recordTooLate(spoken, step, found.done, { action: 'deny', text });
}

/** What the model hears of the reason: nothing from somebody who may not instruct it. */
function textOf(spoken: Spoken, reason: string): string | null {
  const words = cleanText(reason).text;
  return spoken.standing === 'writer' && words !== '' ? words : null;
}

/** In a proposal's thread a first word that only looks like an id begins the reason. */
function readTargets(spoken: Spoken, command: Deny): Pick<Deny, 'targets' | 'reason'> {
  const { targets } = command;
  if (targets.by !== 'ids' || answered(spoken.pull, spoken.words) === null) return command;
  const known = targets.ids.some((id) => spoken.pull.proposals.some((proposal) => proposal.id === id));
  return known ? command : { targets: { by: 'place' }, reason: command.line };
}

function deny(draft: Draft, proposal: Proposal, spoken: Spoken, reason: string | null): Draft {
  return rejectBy(draft, proposal, voteOf(spoken, proposal, 'deny', reason), spoken.intent.createdAt);
}

/** One denial: its vote, the proposal's outcome, and what the model hears. `at` is when it was said. */
export function rejectBy(draft: Draft, proposal: Proposal, vote: Vote, at: string): Draft {
  const voted = withVote(draft, vote);
  const current = voted.pull.proposals.find((other) => other.id === proposal.id) ?? proposal;
  const rejected = withProposal(voted, moved(current, 'rejected', at));
  return showing(answerProposal(rejected, proposal, deniedOutput(vote.text)), proposal);
}
