import type { CommitPlan } from '../../../src/core/step/ports.ts';
import type { Countersigned } from '../../../src/lib/trust.ts';
import { type Mutant, overrideGitHub } from './mutant.ts';

/** Only the first member of a set is written and named. */
function withFirstMember(plan: Countersigned<CommitPlan>): Countersigned<CommitPlan> {
  const [subject = '', trailers = ''] = plan.message.split('\n\n');
  const [first = '', ...others] = trailers.split(/(?=^Countersign-Proposal: )/m);
  if (!first.includes('Countersign-Set: ') || others.length === 0) return plan;
  return { ...plan, message: `${subject}\n\n${first}`, files: plan.files.slice(0, 1) };
}

/** Mistakes in changes that are decided as one. */
export const SET_MUTANTS: readonly Mutant[] = [
  {
    name: 'set-committed-in-part',
    brokenPromise: 'a commit has all members of a set or none',
    createOverrides: () => overrideGitHub(({ commit }) => ({ commit: (plan) => commit(withFirstMember(plan)) })),
  },
];
