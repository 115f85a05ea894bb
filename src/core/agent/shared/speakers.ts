import type { Proposal } from '../../state/proposal.ts';
import { approvalVotes, distinctPeople, type Vote } from '../../state/vote.ts';
import { cleanText } from './clean-text.ts';
import { describePerson, instructionOutput } from './tool-results.ts';

type Discussed = Pick<Proposal, 'change' | 'votes' | 'shapers'>;

/**
 * T1 for a vote with an instruction. Where several people spoke, the instruction says whose it is, and what others
 * wrote beside their votes (S140).
 */
export function instructedOutput(proposal: Discussed, vote: Vote): string {
  const { text } = cleanText(vote.text ?? '');
  const others = proposal.votes.filter(({ by, text: words }) => by.id !== vote.by.id && words !== null);
  if (!hasSeveralSpeakers(proposal, [vote, ...others])) return instructionOutput(text);
  const earlier = others.map((one) => `Earlier, ${nameWords(one)}`);
  return instructionOutput([nameWords({ ...vote, text }), ...earlier].join('\n\n'));
}

/** The notes below people's approvals; null if there are none. Where several people spoke, each note has its author. */
export function approverNotes(proposal: Discussed): string | null {
  const votes = approvalVotes(proposal).filter(({ text }) => text !== null);
  if (votes.length === 0) return null;
  const isNamed = hasSeveralSpeakers(proposal, votes);
  return votes.map((vote) => (isNamed ? nameWords(vote) : (vote.text ?? ''))).join('\n\n');
}

function nameWords(vote: Vote): string {
  return `${describePerson(vote)}: ${cleanText(vote.text ?? '').text}`;
}

/** The people who asked for the change spoke too. */
function hasSeveralSpeakers({ shapers }: Discussed, votes: readonly Vote[]): boolean {
  return distinctPeople([...shapers.requesters, ...votes.map(({ by }) => by)]).length > 1;
}
