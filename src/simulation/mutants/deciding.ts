import type { FileWrite } from '../../policy/countersigned.ts';
import type { Proposal, Write } from '../../run/proposal.ts';
import type { Step } from '../../run/step.ts';
import { tipOf } from '../../simulator/world/lookup.ts';
import type { GitHub } from '../../worker/ports.ts';
import type { Bend } from '../case.ts';
import { standingOf } from '../github/port.ts';
import { BRANCH } from '../scene.ts';
import { ALL_LAWS } from '../store/tables.ts';
import { github, type Mutant, otherPulls, store } from './mutant.ts';

/** What is told of each change in a commit is told otherwise. */
function otherWrites(change: (writes: readonly Write[]) => readonly Write[]): Bend {
  const changed = (step: Step): Step => ({ ...step, writes: change(step.writes) });
  return store(({ save, saveDirect }) => ({
    save: (claim, signal, step, now) => save(claim, signal, changed(step), now),
    saveDirect: (claim, signal, step, now) => saveDirect(claim, signal, changed(step), now),
  }));
}

function withoutLateNo(proposal: Proposal): Proposal {
  if (proposal.state !== 'executing') return proposal;
  return { ...proposal, votes: proposal.votes.filter(({ action }) => action !== 'deny' && action !== 'edit') };
}

function permissionRemembered(): Bend {
  const known = new Map<string, ReturnType<GitHub['permission']>>();
  return github(({ permission }) => ({
    permission: (login) => {
      const found = known.get(login) ?? permission(login);
      known.set(login, found);
      return found;
    },
  }));
}

function treeRemembered(): Bend {
  let known: ReturnType<GitHub['tree']> | null = null;
  return github(({ tree }) => ({ tree: (sha) => (known ??= tree(sha)) }));
}

function withBlankLine(file: FileWrite): FileWrite {
  const { content } = file;
  if (content.kind !== 'bytes') return file;
  return { ...file, content: { kind: 'bytes', bytes: Buffer.concat([content.bytes, Buffer.from('\n')]) } };
}

/** By what a commit is decided, and what of it the ledger has. */
export const DECIDING: readonly Mutant[] = [
  {
    name: 'no-compare-and-swap',
    lacks: 'a commit is bound to the head that was checked',
    bend: () =>
      github(({ commit }, hub, scene) => ({
        commit: (plan) =>
          commit({ ...plan, expectedHead: tipOf(standingOf(hub, scene).repository, BRANCH) ?? plan.expectedHead }),
      })),
  },
  {
    name: 'deny-ignored-after-approve',
    lacks: 'what was said first is heard before an attempt begins',
    bend: () => ({
      laws: { ...ALL_LAWS, guard: false },
      ...store(() => ({ heldUntil: async () => null })),
    }),
  },
  {
    name: 'everybody-may-decide',
    lacks: 'only who may write decides',
    bend: () =>
      github(({ permission }) => ({
        permission: async (login) => ({ ...(await permission(login)), permission: 'write' }),
      })),
  },
  {
    name: 'forks-overlooked',
    lacks: 'a branch in a fork is never written to',
    bend: () => github(({ pull }) => ({ pull: async () => ({ ...(await pull()), fork: false }) })),
  },
  {
    name: 'late-no-forgotten',
    lacks: 'after a no that came during an attempt no other attempt begins',
    bend: () => otherPulls((pull) => ({ ...pull, proposals: pull.proposals.map(withoutLateNo) })),
  },
  { name: 'permission-remembered', lacks: 'permissions are read again before a commit', bend: permissionRemembered },
  { name: 'tree-remembered', lacks: 'the files are those of the head', bend: treeRemembered },
  {
    name: 'other-bytes',
    lacks: 'the bytes of a commit are those that were approved',
    bend: () =>
      github(({ commit }) => ({ commit: (plan) => commit({ ...plan, files: plan.files.map(withBlankLine) }) })),
  },
  { name: 'writes-forgotten', lacks: 'the ledger has every commit', bend: () => otherWrites(() => []) },
  {
    name: 'first-approver-only',
    lacks: 'the ledger has everybody who approved',
    bend: () => otherWrites((writes) => writes.map((write) => ({ ...write, approvers: write.approvers.slice(0, 1) }))),
  },
];
