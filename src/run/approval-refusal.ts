import type { ApprovalRules } from '../policy/approval-rules.ts';
import type { Doubt } from './answer.ts';
import { doubtAbout, rulesNow } from './approvals.ts';
import type { Proposal } from './proposal.ts';
import { named, reply, type Spoken } from './spoken.ts';
import type { Step } from './step.ts';

/** Either the rules by which this person's approval of all of these counts, or the step that says why it does not. */
export type Counting =
  | { readonly kind: 'counts'; readonly rules: ApprovalRules }
  | { readonly kind: 'refused'; readonly step: Step };

/** Whether an approval by whoever spoke may take effect. Where it may not, nothing is, and what waits goes on waiting. */
export function countingOf(spoken: Spoken, open: readonly Proposal[]): Counting {
  const now = rulesNow(spoken.facts.settings, spoken.pull.run);
  if (now.kind !== 'rules') return refused(spoken, now, open);
  const { person, permission } = spoken;
  const doubts = open.map((proposal) => ({ proposal, doubt: doubtAbout(person, permission, proposal, now.rules) }));
  const barred = doubts.filter(({ doubt }) => doubt !== null);
  const doubt = barred[0]?.doubt ?? null;
  if (doubt === null) return { kind: 'counts', rules: now.rules };
  const proposals = barred.map(({ proposal }) => proposal);
  return refused(spoken, doubt, proposals);
}

function refused(spoken: Spoken, doubt: Doubt, proposals: readonly Proposal[]): Counting {
  const reason = doubt.kind === 'broken-settings' ? 'settings-broken' : 'not-counted';
  return {
    kind: 'refused',
    step: reply(spoken, { kind: 'not-counted', doubt, proposals: proposals.map(named) }, reason),
  };
}
