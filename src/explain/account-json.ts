import type { Account, Outcome } from './account.ts';
import { movesOf } from './moves.ts';
import { needJson } from './need-json.ts';

/** The account as JSON data: the intent and the effects whole, and of the state only what changes. */
export function accountJson({ delivery, line, meaning, outcome }: Account): object {
  return { delivery, line, meaning, outcome: outcomeJson(outcome) };
}

function outcomeJson(outcome: Outcome): object {
  if (outcome.kind === 'lacking') return { kind: outcome.kind, needs: outcome.needs.map(needJson) };
  if (outcome.kind !== 'decided') return outcome;
  const { before, step } = outcome;
  const { reason, wait, votes, effects, messages } = step;
  return { kind: outcome.kind, reason, wait, votes, moves: movesOf(before, step.pull), messages, effects };
}
