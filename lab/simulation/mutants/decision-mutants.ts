import { findBranchHead } from '../../../fakes/github/state/lookup.ts';
import type { CommittedChange, Proposal } from '../../../src/core/state/proposal.ts';
import { type VoteLocation, type VoteSource, type VoteSources, voteSourceKey } from '../../../src/core/state/vote.ts';
import type { CommitPlan, FileWrite, GitHub } from '../../../src/core/step/ports.ts';
import type { Countersigned } from '../../../src/lib/trust.ts';
import { ALL_INVARIANTS } from '../memory-store/tables.ts';
import { HEAD_BRANCH } from '../world/fixture.ts';
import { snapshotPull } from '../world/simulated-github.ts';
import { listVoteLocations, readVoteSources } from '../world/vote-sources.ts';
import {
  letEverybodyWrite,
  type Mutant,
  type Overrides,
  overrideGitHub,
  overridePulls,
  overrideSettings,
  overrideSteps,
  overrideStore,
} from './mutant.ts';

/** A store that changes the ledger's rows before they are saved. */
function overrideLedger(change: (changes: readonly CommittedChange[]) => readonly CommittedChange[]): Overrides {
  return overrideSteps((step) => ({ ...step, ledgerCommits: change(step.ledgerCommits) }));
}

function withoutLateDenial(proposal: Proposal): Proposal {
  if (proposal.state !== 'executing') return proposal;
  return { ...proposal, votes: proposal.votes.filter(({ action }) => action !== 'deny' && action !== 'edit') };
}

function cachePermissions(): Overrides {
  const cache = new Map<string, ReturnType<GitHub['fetchPermission']>>();
  return overrideGitHub(({ fetchPermission }) => ({
    fetchPermission: (login) => {
      const permission = cache.get(login) ?? fetchPermission(login);
      cache.set(login, permission);
      return permission;
    },
  }));
}

function cacheCodeOwners(): Overrides {
  let cached: ReturnType<GitHub['fetchCodeOwnersFile']> | null = null;
  const overrides = overrideGitHub(({ fetchCodeOwnersFile }) => ({
    fetchCodeOwnersFile: () => (cached ??= fetchCodeOwnersFile()),
  }));
  return { ...overrides, changesOwnersOften: true };
}

function cacheTeam(): Overrides {
  const cached = new Map<string, ReturnType<GitHub['fetchTeamMembership']>>();
  const first = ({ fetchTeamMembership }: GitHub): GitHub['fetchTeamMembership'] => {
    return (team, login) => {
      const known = cached.get(login) ?? fetchTeamMembership(team, login);
      cached.set(login, known);
      return known;
    };
  };
  return { ...overrideGitHub((github) => ({ fetchTeamMembership: first(github) })), changesOwnersOften: true };
}

function cacheTree(): Overrides {
  let cached: ReturnType<GitHub['fetchTree']> | null = null;
  return overrideGitHub(({ fetchTree }) => ({ fetchTree: (sha) => (cached ??= fetchTree(sha)) }));
}

function withBlankLine(file: FileWrite): FileWrite {
  const { content } = file;
  if (content.kind !== 'bytes') return file;
  return { ...file, content: { kind: 'bytes', bytes: Buffer.concat([content.bytes, Buffer.from('\n')]) } };
}

/** Each comment and review keeps the text that it had when any request first saw it. */
function readFirstTexts(): Overrides {
  const first = new Map<string, VoteSource | null>();
  return {
    withdrawsOften: true,
    github: (github, simulatedGitHub, fixture) =>
      new Proxy(github, {
        get: (target, name) => {
          const snapshot = snapshotPull(simulatedGitHub, fixture);
          for (const [key, source] of Object.entries(readVoteSources(snapshot, listVoteLocations(snapshot)))) {
            if (!first.has(key)) first.set(key, source);
          }
          if (name !== 'fetchVoteSources') return Reflect.get(target, name);
          return async (locations: readonly VoteLocation[]): Promise<VoteSources> =>
            Object.fromEntries(locations.map(voteSourceKey).map((key) => [key, first.get(key) ?? null]));
        },
      }),
  };
}

/** Only the first member of a set is written and named. */
function withFirstMember(plan: Countersigned<CommitPlan>): Countersigned<CommitPlan> {
  const [subject = '', trailers = ''] = plan.message.split('\n\n');
  const [first = '', ...others] = trailers.split(/(?=^Countersign-Proposal: )/m);
  if (!first.includes('Countersign-Set: ') || others.length === 0) return plan;
  return { ...plan, message: `${subject}\n\n${first}`, files: plan.files.slice(0, 1) };
}

/** Mistakes in decisions, commits and the ledger. */
export const DECISION_MUTANTS: readonly Mutant[] = [
  {
    name: 'no-compare-and-swap',
    brokenPromise: 'a commit applies only to the head that was checked',
    createOverrides: () =>
      overrideGitHub(({ commit }, simulatedGitHub, fixture) => ({
        commit: (plan) =>
          commit({
            ...plan,
            expectedHead:
              findBranchHead(snapshotPull(simulatedGitHub, fixture).repository, HEAD_BRANCH) ?? plan.expectedHead,
          }),
      })),
  },
  {
    name: 'deny-ignored-after-approve',
    brokenPromise: 'a commit attempt starts only after all earlier comments are processed',
    createOverrides: () => ({
      invariants: { ...ALL_INVARIANTS, inboxGuard: false },
      ...overrideStore(() => ({ nextCommentAt: async () => null })),
    }),
  },
  {
    name: 'everybody-may-decide',
    brokenPromise: 'only accounts with write permission can approve',
    createOverrides: letEverybodyWrite,
  },
  {
    name: 'forks-ignored',
    brokenPromise: 'the App never writes to the branch of a fork',
    createOverrides: () =>
      overrideGitHub(({ fetchPull }) => ({ fetchPull: async () => ({ ...(await fetchPull()), fork: false }) })),
  },
  {
    name: 'late-denial-ignored',
    brokenPromise: 'a denial during a commit attempt prevents any retry',
    createOverrides: () => overridePulls((pull) => ({ ...pull, proposals: pull.proposals.map(withoutLateDenial) })),
  },
  {
    name: 'permission-cached',
    brokenPromise: 'permissions are fetched again before each commit',
    createOverrides: cachePermissions,
  },
  {
    name: 'withdrawn-approvals-commit',
    brokenPromise: 'an approval does not count if its comment is edited or deleted before the commit',
    createOverrides: readFirstTexts,
  },
  {
    name: 'required-approvals-ignored',
    brokenPromise: 'a commit has as many approvals as the repository requires',
    createOverrides: () => overrideGitHub(() => ({ fetchSettingsFile: async () => null })),
  },
  {
    name: 'first-requirement-wins',
    brokenPromise: 'of the requirements for a path the strictest holds',
    createOverrides: () => overrideSettings((text) => text.replace(/^(require:\n.*\n)[\s\S]*$/, '$1')),
  },
  {
    name: 'requirements-of-paths-ignored',
    brokenPromise: 'a path needs the approval that `require` demands for it',
    createOverrides: () => overrideSettings((text) => text.replace(/^require:[\s\S]*$/m, '')),
  },
  {
    name: 'code-owners-ignored',
    brokenPromise: 'a commit has the approval of an owner of each path that needs one',
    createOverrides: () =>
      overrideGitHub(() => ({
        fetchCodeOwnersFile: async () => ({ path: 'CODEOWNERS', bytes: Buffer.from('* @ana @ben @carl @dora\n') }),
      })),
  },
  {
    name: 'code-owners-cached',
    brokenPromise: 'the owners are read again before each commit',
    createOverrides: cacheCodeOwners,
  },
  {
    name: 'team-unchecked',
    brokenPromise: 'a team counts only by its members whom the App can see',
    createOverrides: () => ({
      ...overrideGitHub(() => ({ fetchTeamMembership: async () => 'member' })),
      changesOwnersOften: true,
    }),
  },
  {
    name: 'team-cached',
    brokenPromise: 'the members of a team are read again before each commit',
    createOverrides: cacheTeam,
  },
  { name: 'tree-cached', brokenPromise: 'file contents come from the current head', createOverrides: cacheTree },
  {
    name: 'changed-bytes',
    brokenPromise: 'a commit contains exactly the approved bytes',
    createOverrides: () =>
      overrideGitHub(({ commit }) => ({ commit: (plan) => commit({ ...plan, files: plan.files.map(withBlankLine) }) })),
  },
  {
    name: 'commits-not-recorded',
    brokenPromise: 'the ledger records every commit',
    createOverrides: () => overrideLedger(() => []),
  },
  {
    name: 'first-approver-only',
    brokenPromise: 'the ledger records every approver',
    createOverrides: () =>
      overrideLedger((changes) => changes.map((change) => ({ ...change, approvers: change.approvers.slice(0, 1) }))),
  },
  {
    name: 'set-committed-in-part',
    brokenPromise: 'a commit has all members of a set or none',
    createOverrides: () => overrideGitHub(({ commit }) => ({ commit: (plan) => commit(withFirstMember(plan)) })),
  },
];
