import type { Message } from '../prompt/message.ts';
import type { Answer } from './answer.ts';
import type { Effect } from './effect.ts';
import type { Proposal, Vote } from './proposal.ts';
import type { Reason } from './reason.ts';
import type { Pull, Run } from './run.ts';
import type { Step } from './step.ts';

/** A step in the making: each function below returns a new one. */
export type Draft = Omit<Step, 'reason' | 'wait' | 'dropsRest'>;

export function draftOf(pull: Pull): Draft {
  return { pull, effects: [], messages: [], votes: [], writes: [] };
}

export function finish(draft: Draft, reason: Reason): Step {
  return { ...draft, reason, wait: false, dropsRest: false };
}

/** Nothing changes and nothing is done. */
export function ignore(pull: Pull, reason: Reason): Step {
  return finish(draftOf(pull), reason);
}

/** The signal is put back: what it refers to is just being posted. */
export function waitFor(pull: Pull, reason: Reason): Step {
  return { ...draftOf(pull), reason, wait: true, dropsRest: false };
}

export function withEffects(draft: Draft, ...effects: readonly Effect[]): Draft {
  return { ...draft, effects: [...draft.effects, ...effects] };
}

export function withPull(draft: Draft, change: Partial<Pull>): Draft {
  return { ...draft, pull: { ...draft.pull, ...change } };
}

/** Changes the current run; a pull request without one stays as it is. */
export function withRun(draft: Draft, change: Partial<Run>): Draft {
  const run = draft.pull.run;
  return run === null ? draft : withPull(draft, { run: { ...run, ...change } });
}

/** A person told the agent something, so that what was denied before is open again. */
export function withWordsHeard(draft: Draft, now: string): Draft {
  return withRun(draft, { spokenAt: now, repeats: 0 });
}

export function withProposal(draft: Draft, proposal: Proposal): Draft {
  const proposals = draft.pull.proposals.map((other) => (other.id === proposal.id ? proposal : other));
  return withPull(draft, { proposals });
}

/** Adds a vote as a row and to its proposal. A denial's reason is no word on other changes. */
export function withVote(draft: Draft, vote: Vote): Draft {
  const proposal = draft.pull.proposals.find((other) => other.id === vote.proposalId);
  if (proposal === undefined) return draft;
  const voted = withProposal(draft, { ...proposal, votes: [...proposal.votes, vote] });
  const told = vote.text !== null && vote.action !== 'deny' ? withWordsHeard(voted, vote.at) : voted;
  return { ...told, votes: [...told.votes, vote] };
}

/** Appends to the run's transcript. */
export function withMessages(draft: Draft, ...messages: readonly Message[]): Draft {
  const counted = withRun(draft, { messages: (draft.pull.run?.messages ?? 0) + messages.length });
  return { ...counted, messages: [...draft.messages, ...messages] };
}

export function withAnswer(
  draft: Draft,
  to: Extract<Effect, { type: 'answer' }>['to'],
  answer: Answer,
  once?: string,
): Draft {
  return withEffects(draft, { type: 'answer', to, answer, once: once ?? null });
}
