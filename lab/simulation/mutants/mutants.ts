import { findBranchHead } from '../../../fakes/github/state/lookup.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import type { TranscriptMessage } from '../../../src/core/state/conversation.ts';
import type { CommittedChange, Proposal } from '../../../src/core/state/proposal.ts';
import { type VoteLocation, type VoteSource, type VoteSources, voteSourceKey } from '../../../src/core/state/vote.ts';
import { type FileWrite, type GitHub, GitHubError } from '../../../src/core/step/ports.ts';
import type { Step } from '../../../src/core/step/step.ts';
import { ALL_INVARIANTS } from '../memory-store/tables.ts';
import { HEAD_BRANCH } from '../world/fixture.ts';
import { snapshotPull } from '../world/simulated-github.ts';
import { listVoteLocations, readVoteSources } from '../world/vote-sources.ts';
import { EFFECT_MUTANTS } from './effect-mutants.ts';
import { HOSTILE_MUTANTS } from './hostile-mutants.ts';
import { type Mutant, type Overrides, overrideGitHub, overridePulls, overrideStore } from './mutant.ts';
import { PATH_RULE_MUTANTS } from './path-rule-mutants.ts';
import { QUESTION_MUTANTS } from './question-mutants.ts';
import { SET_MUTANTS } from './set-mutants.ts';
import { SIDE_QUESTION_MUTANTS } from './side-question-mutants.ts';
import { STANDING_MUTANTS } from './standing-mutants.ts';
import { TURN_MUTANTS } from './turn-mutants.ts';

/** A store that changes the ledger's rows before they are saved. */
function overrideLedger(change: (changes: readonly CommittedChange[]) => readonly CommittedChange[]): Overrides {
  const changeStep = (step: Step): Step => ({ ...step, ledgerCommits: change(step.ledgerCommits) });
  return overrideStore(({ save, saveIfInboxEmpty }) => ({
    save: (claim, signal, step, now) => save(claim, signal, changeStep(step), now),
    saveIfInboxEmpty: (claim, signal, step, now) => saveIfInboxEmpty(claim, signal, changeStep(step), now),
  }));
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

/** A GitHub that changes the text of the settings when they are read. */
function overrideSettings(change: (text: string) => string): Overrides {
  return overrideGitHub(({ fetchSettingsFile }) => ({
    fetchSettingsFile: async () => {
      const found = await fetchSettingsFile();
      if (found?.kind !== 'file') return found;
      return { kind: 'file', bytes: Buffer.from(change(Buffer.from(found.bytes).toString())) };
    },
  }));
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

function withoutThoughts(message: TranscriptMessage): TranscriptMessage {
  if (message.role !== 'assistant') return message;
  const { content, toolCalls } = message;
  return { role: 'assistant', content, toolCalls };
}

/** Mistakes in decisions, commits and the ledger. */
const DECISION_MUTANTS: readonly Mutant[] = [
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
    name: 'thoughts-dropped',
    brokenPromise: 'the model gets back the members that only it understands',
    createOverrides: () =>
      overrideStore(({ save }) => ({
        save: (claim, signal, step, now) =>
          save(claim, signal, { ...step, messages: step.messages.map(withoutThoughts) }, now),
      })),
  },
  {
    name: 'everybody-may-decide',
    brokenPromise: 'only accounts with write permission can approve',
    createOverrides: () =>
      overrideGitHub(({ fetchPermission }) => ({
        fetchPermission: async (login) => ({ ...(await fetchPermission(login)), permission: 'write' }),
      })),
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
];

/** A delivery stays in memory until the next one arrives. */
function acknowledgeBeforeStoring(): Overrides {
  return overrideStore(({ receive }) => {
    let delayed: Parameters<Store['receive']>[0] | null = null;
    return {
      receive: async (delivery, now) => {
        const previous = delayed;
        delayed = delivery;
        if (previous !== null) await receive(previous, now);
        return 'stored';
      },
    };
  });
}

/** A refusal during a suspension has no retry time. */
function treatSuspensionAsPermanent(): Overrides {
  const withoutRetryTime = (error: unknown): unknown =>
    error instanceof GitHubError && error.status === 403 ? new GitHubError(error.message, 403, null) : error;
  return {
    github: (github) =>
      new Proxy(github, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) =>
            Promise.resolve(Reflect.apply(method, target, args)).catch((error) =>
              Promise.reject(withoutRetryTime(error)),
            );
        },
      }),
  };
}

/** Mistakes in receiving deliveries, recovering lost ones, and following suspensions and removals. */
const WEBHOOK_MUTANTS: readonly Mutant[] = [
  {
    name: 'no-dedupe',
    brokenPromise: 'a delivery that GitHub repeats is stored once',
    createOverrides: () => ({ invariants: { ...ALL_INVARIANTS, dedupe: false } }),
  },
  {
    name: 'acknowledged-before-stored',
    brokenPromise: 'a delivery is stored before it is acknowledged',
    createOverrides: acknowledgeBeforeStoring,
  },
  {
    name: 'recovery-takes-nothing',
    brokenPromise: 'recovery finds lost webhooks in GitHub’s delivery log',
    createOverrides: () => overrideStore(() => ({ findKnownDeliveries: async (ids) => new Set(ids) })),
  },
  {
    name: 'given-up-at-once',
    brokenPromise: 'a temporary fault moves no comment to the dead letters',
    createOverrides: () =>
      overrideStore(({ deadLetterSignal, postponeSignal }) => ({
        postponeSignal: (claim, signal, notBefore, failure) =>
          failure === null
            ? postponeSignal(claim, signal, notBefore, null)
            : deadLetterSignal(
                claim,
                signal,
                { id: 'given-up', errorText: failure.errorText },
                { reply: null, signal: null },
                notBefore,
              ),
      })),
  },
  {
    name: 'uninstall-ignored',
    brokenPromise: 'runs end when the App is uninstalled',
    createOverrides: () => overrideStore(() => ({ broadcastToPulls: async () => 'stored' })),
  },
  {
    name: 'suspension-forgotten',
    brokenPromise: 'approvals from before the end of a suspension start no commit attempt',
    createOverrides: () => ({
      ...overrideStore(({ broadcastToPulls }) => ({
        broadcastToPulls: async (id, event, now) =>
          event.kind === 'unsuspended' ? 'stored' : broadcastToPulls(id, event, now),
      })),
      suspendsOften: true,
    }),
  },
  {
    name: 'notes-forgotten',
    brokenPromise: 'the model receives every note that people write to a run',
    createOverrides: () => overridePulls((pull) => ({ ...pull, run: pull.run && { ...pull.run, agentNotes: [] } })),
  },
  {
    name: 'suspension-treated-as-uninstall',
    brokenPromise: 'a suspended installation keeps its runs until the suspension ends',
    createOverrides: treatSuspensionAsPermanent,
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...WEBHOOK_MUTANTS,
  ...DECISION_MUTANTS,
  ...STANDING_MUTANTS,
  ...EFFECT_MUTANTS,
  ...TURN_MUTANTS,
  ...PATH_RULE_MUTANTS,
  ...SET_MUTANTS,
  ...QUESTION_MUTANTS,
  ...SIDE_QUESTION_MUTANTS,
  ...HOSTILE_MUTANTS,
];
