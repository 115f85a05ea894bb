import type { Proposal } from '../../state/proposal.ts';
import { approvalVotes, distinctPeople, type Person, type Vote } from '../../state/vote.ts';
import { cleanText } from './clean-text.ts';
import { describePerson, instructionOutput } from './tool-results.ts';

/**
 * T1 for a vote with an instruction. Where several people spoke, the instruction says whose it is, and what others
 * wrote beside their votes (S140).
 */
export function instructedOutput({ votes }: Pick<Proposal, 'votes'>, vote: Vote, taskBy: Person | null): string {
  const text = cleanText(vote.text ?? '');
  const others = votes.filter(({ by, text: words }) => by.id !== vote.by.id && words !== null);
  if (!hasSeveralSpeakers(taskBy, [vote, ...others])) return instructionOutput(text);
  const earlier = others.map((one) => `Earlier, ${nameWords(one)}`);
  return instructionOutput([nameWords({ ...vote, text }), ...earlier].join('\n\n'));
}

/** The notes below people's approvals; null if there are none. Where several people spoke, each note has its author. */
export function approverNotes(proposal: Proposal, taskBy: Person | null): string | null {
  const votes = approvalVotes(proposal).filter(({ text }) => text !== null);
  if (votes.length === 0) return null;
  const isNamed = hasSeveralSpeakers(taskBy, votes);
  return votes.map((vote) => (isNamed ? nameWords(vote) : (vote.text ?? ''))).join('\n\n');
}

function nameWords(vote: Vote): string {
  return `${describePerson(vote)}: ${cleanText(vote.text ?? '')}`;
}

/** The author of the task spoke too. */
function hasSeveralSpeakers(taskBy: Person | null, votes: readonly Vote[]): boolean {
  return distinctPeople([...(taskBy === null ? [] : [taskBy]), ...votes.map(({ by }) => by)]).length > 1;
}
