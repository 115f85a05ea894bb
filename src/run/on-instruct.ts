import type { Command, Targets } from '../command/intent.ts';
import { cleanText } from '../prompt/clean-text.ts';
import { instructionOutput } from '../prompt/outputs.ts';
import type { Answer } from './answer.ts';
import { answerProposal, settleBatch, showing } from './batch.ts';
import { type Draft, draftOf, finish, withAnswer, withEffects, withProposal, withVote } from './draft.ts';
import { isRevocable, type Proposal } from './proposal.ts';
import { resolveAim } from './resolve-aim.ts';
import { named, reply, type Spoken, settled, voteOf, withLeftovers } from './spoken.ts';
import type { Step } from './step.ts';
import { answered } from './targets.ts';
import { recordTooLate } from './too-late.ts';
import { moved } from './transition.ts';

type Edit = Extract<Command, { name: 'edit' }>;

/** `/edit`: do it differently. On the pull request without ids it answers every pending proposal. */
export function onEdit(spoken: Spoken, command: Edit): Step {
  const { pull, words } = spoken;
  const here = answered(pull, words);
  const { targets } = command;
  if (targets.by === 'place') {
    if (here !== null) return instruct(spoken, here, command.instruction);
    // A thread and a quote mean what they are about, and never everything else.
    const everything = words.place.at !== 'thread' && words.quotedIds.length === 0;
    return instructAt(spoken, everything ? { by: 'all' } : targets, command.instruction);
  }
  const known = targets.by === 'all' || targets.ids.some((id) => pull.proposals.some((one) => one.id === id));
  // Where it stands tells what it is about, a first word that only looks like an id begins the instruction.
  if (!known && here !== null) return instruct(spoken, here, command.line);
  return instructAt(spoken, targets, command.instruction);
}

function instructAt(spoken: Spoken, targets: Targets, instruction: string): Step {
  const found = resolveAim(spoken, 'edit', targets);
  const no = { action: 'edit', text: instruction } as const;
  if (found.kind === 'answered') return recordTooLate(spoken, found.step, found.done, no);
  const step = instructed(spoken, found.open, instruction, found.done, found.left);
  return recordTooLate(spoken, step, found.done, no);
}

/** A reply to one proposal, in its thread or by quoting it: what the person wants instead. */
export function instruct(spoken: Spoken, proposal: Proposal, instruction: string): Step {
  if (spoken.words.inline.includes(proposal.id))
    return reply(spoken, { kind: 'answered-inline' }, 'answered-in-threads');
  if (!isRevocable(proposal)) {
    const told = reply(spoken, { kind: 'settled', proposals: [settled(proposal)] }, 'already-settled');
    return recordTooLate(spoken, told, [proposal], { action: 'edit', text: instruction });
  }
  return instructed(spoken, [proposal], instruction, [], []);
}

/** On the pull request without ids: every proposal that is not made yet. */
export function instructAll(spoken: Spoken, instruction: string): Step {
  return instructAt(spoken, { by: 'all' }, instruction);
}

function instructed(
  spoken: Spoken,
  open: readonly Proposal[],
  instruction: string,
  done: readonly Proposal[],
  left: readonly Proposal[],
): Step {
  const undos = open.filter(({ origin }) => origin.kind === 'undo');
  if (undos.length === open.length) return reply(spoken, asItIs(undos), 'undo-as-it-is');
  const calls = open.filter((one) => !undos.includes(one));
  const told =
    undos.length === 0 ? draftOf(spoken.pull) : withAnswer(draftOf(spoken.pull), spoken.intent.place, asItIs(undos));
  const answeredAll = calls.reduce((draft, one) => replaceByWords(draft, one, spoken, instruction), told);
  const acknowledged = withEffects(answeredAll, { type: 'react', place: spoken.intent.place, content: '+1' });
  const settledBatch = settleBatch(acknowledged, spoken.facts.now);
  return finish(withLeftovers(settledBatch, spoken, done, left), 'instructed');
}

function asItIs(undos: readonly Proposal[]): Answer {
  return { kind: 'undo-as-it-is', proposals: undos.map(named) };
}

/** The call is not executed; the person's words stand where its result would. */
function replaceByWords(draft: Draft, proposal: Proposal, spoken: Spoken, instruction: string): Draft {
  const voted = withVote(draft, voteOf(spoken, proposal, 'edit', instruction));
  const current = voted.pull.proposals.find((other) => other.id === proposal.id) ?? proposal;
  const rejected = withProposal(voted, moved(current, 'rejected', spoken.intent.createdAt));
  return showing(answerProposal(rejected, proposal, instructionOutput(cleanText(instruction).text)), proposal);
}
