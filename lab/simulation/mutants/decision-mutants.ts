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
  mutant,
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
  return { ...overrides, habits: ['change-owners', 'require-two'] };
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
  return {
    ...overrideGitHub((github) => ({ fetchTeamMembership: first(github) })),
    habits: ['change-owners', 'require-two'],
  };
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
    habits: ['withdraw'],
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
  mutant('no-compare-and-swap', 'a commit applies only to the head that was checked', () =>
    overrideGitHub(({ commit }, simulatedGitHub, fixture) => ({
      commit: (plan) =>
        commit({
          ...plan,
          expectedHead:
            findBranchHead(snapshotPull(simulatedGitHub, fixture).repository, HEAD_BRANCH) ?? plan.expectedHead,
        }),
    })),
  ),
  mutant('deny-ignored-after-approve', 'a commit attempt starts only after all earlier comments are processed', () => ({
    invariants: { ...ALL_INVARIANTS, inboxGuard: false },
    ...overrideStore(() => ({ nextCommentAt: async () => null })),
  })),
  mutant('everybody-may-decide', 'only accounts with write permission can approve', letEverybodyWrite),
  mutant('forks-ignored', 'the App never writes to the branch of a fork', () =>
    overrideGitHub(({ fetchPull }) => ({ fetchPull: async () => ({ ...(await fetchPull()), fork: false }) })),
  ),
  mutant('late-denial-ignored', 'a denial during a commit attempt prevents any retry', () =>
    overridePulls((pull) => ({ ...pull, proposals: pull.proposals.map(withoutLateDenial) })),
  ),
  mutant('permission-cached', 'permissions are fetched again before each commit', cachePermissions),
  mutant(
    'withdrawn-approvals-commit',
    'an approval does not count if its comment is edited or deleted before the commit',
    readFirstTexts,
  ),
  mutant('required-approvals-ignored', 'a commit has as many approvals as the repository requires', () =>
    overrideGitHub(() => ({ fetchSettingsFile: async () => null })),
  ),
  mutant('first-requirement-wins', 'of the requirements for a path the strictest holds', () =>
    overrideSettings((text) => text.replace(/^(require:\n.*\n)[\s\S]*$/, '$1')),
  ),
  mutant('requirements-of-paths-ignored', 'a path needs the approval that `require` demands for it', () =>
    overrideSettings((text) => text.replace(/^require:[\s\S]*$/m, '')),
  ),
  mutant('code-owners-ignored', 'a commit has the approval of an owner of each path that needs one', () =>
    overrideGitHub(() => ({
      fetchCodeOwnersFile: async () => ({ path: 'CODEOWNERS', bytes: Buffer.from('* @ana @ben @carl @dora\n') }),
    })),
  ),
  mutant('code-owners-cached', 'the owners are read again before each commit', cacheCodeOwners),
  mutant('team-unchecked', 'a team counts only by its members whom the App can see', () => ({
    ...overrideGitHub(() => ({ fetchTeamMembership: async () => 'member' })),
    habits: ['change-owners', 'require-two'],
  })),
  mutant('team-cached', 'the members of a team are read again before each commit', cacheTeam),
  mutant('tree-cached', 'file contents come from the current head', cacheTree),
  mutant('changed-bytes', 'a commit contains exactly the approved bytes', () =>
    overrideGitHub(({ commit }) => ({ commit: (plan) => commit({ ...plan, files: plan.files.map(withBlankLine) }) })),
  ),
  mutant('commits-not-recorded', 'the ledger records every commit', () => overrideLedger(() => [])),
  mutant('first-approver-only', 'the ledger records every approver', () =>
    overrideLedger((changes) => changes.map((change) => ({ ...change, approvers: change.approvers.slice(0, 1) }))),
  ),
  mutant('set-committed-in-part', 'a commit has all members of a set or none', () =>
    overrideGitHub(({ commit }) => ({ commit: (plan) => commit(withFirstMember(plan)) })),
  ),
];
