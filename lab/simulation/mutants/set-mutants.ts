import { setDigest } from '../../../src/core/edits/digest.ts';
import type { Proposal } from '../../../src/core/state/proposal.ts';
import type { CommitPlan } from '../../../src/core/step/ports.ts';
import type { Countersigned } from '../../../src/lib/trust.ts';
import { isRecord } from '../../../src/lib/trust.ts';
import type { Offload } from '../../../src/worker/offload/offload.ts';
import { type Mutant, type Overrides, overrideGitHub, overrideSteps } from './mutant.ts';

/** Only the first member of a set is written and named. */
function withFirstMember(plan: Countersigned<CommitPlan>): Countersigned<CommitPlan> {
  const [subject = '', trailers = ''] = plan.message.split('\n\n');
  const [first = '', ...others] = trailers.split(/(?=^Countersign-Proposal: )/m);
  if (!first.includes('Countersign-Set: ') || others.length === 0) return plan;
  return { ...plan, message: `${subject}\n\n${first}`, files: plan.files.slice(0, 1) };
}

function withPartialDigest(proposal: Proposal): Proposal {
  const { change } = proposal;
  if (change.op !== 'set') return proposal;
  const digest = setDigest(change.members.slice(0, -1).map((member) => member.digest));
  return { ...proposal, change: { ...change, digest } };
}

/** All members of a set but the first one count as unchanged, wherever they are assessed. */
function trustLaterMembers(): Overrides {
  return {
    context: (context) => {
      const offload: Offload = async (name, input) => {
        const output = await context.offload(name, input);
        const assessed = [...listIn(output, 'others'), ...(Array.isArray(output) ? output : [])];
        for (const one of assessed) trust(one, listIn(input, 'pending'));
        return output;
      };
      return { ...context, offload };
    },
  };
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = isRecord(value) ? value[name] : null;
  return Array.isArray(list) ? list : [];
}

function trust(assessed: unknown, pending: readonly unknown[]): void {
  if (!isRecord(assessed) || !/#(?!1$)\d/.test(String(assessed['id']))) return;
  const found = pending.find((one) => isRecord(one) && one['id'] === assessed['id']);
  const change = isRecord(found) && isRecord(found['change']) ? found['change'] : {};
  if (!isRecord(change['region'])) return;
  const { old: _old, new: _new, ...position } = change['region'];
  Object.assign(assessed, {
    applicability: { kind: 'applies', position, sameDigest: true, heading: change['heading'] ?? null },
  });
}

/** Mistakes in changes that are decided as one. */
export const SET_MUTANTS: readonly Mutant[] = [
  {
    name: 'set-committed-in-part',
    brokenPromise: 'a commit has all members of a set or none',
    createOverrides: () => overrideGitHub(({ commit }) => ({ commit: (plan) => commit(withFirstMember(plan)) })),
  },
  {
    name: 'set-digest-in-part',
    brokenPromise: 'the digest of a set covers every member',
    createOverrides: () =>
      overrideSteps((step) => ({
        ...step,
        pull: { ...step.pull, proposals: step.pull.proposals.map(withPartialDigest) },
      })),
  },
  {
    name: 'set-freshness-of-first',
    brokenPromise: 'a set is stale if any of its members is',
    createOverrides: trustLaterMembers,
  },
];
