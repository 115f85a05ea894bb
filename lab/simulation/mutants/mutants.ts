import { findBranchHead } from '../../../fakes/github/state/lookup.ts';
import { DELIVERY_RETENTION_MS } from '../../../src/adapters/store/cleanup.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import { type FileWrite, type GitHub, GitHubError } from '../../../src/core/state/ports.ts';
import type { CommittedChange, Proposal } from '../../../src/core/state/proposal.ts';
import type { Step } from '../../../src/core/state/step.ts';
import {
  type VoteLocation,
  type VoteSource,
  type VoteSources,
  voteSourceKey,
} from '../../../src/core/state/vote-source.ts';
import { ALL_INVARIANTS } from '../memory-store/tables.ts';
import { HEAD_BRANCH } from '../world/fixture.ts';
import { snapshotPull } from '../world/simulated-github.ts';
import { listVoteLocations, readVoteSources } from '../world/vote-sources.ts';
import { EFFECT_MUTANTS } from './effect-mutants.ts';
import { type Mutant, type Overrides, overrideGitHub, overridePulls, overrideStore } from './mutant.ts';

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

/** Mistakes in decisions, commits and the ledger. */
const DECISION_MUTANTS: readonly Mutant[] = [
  {
    name: 'no-compare-and-swap',
    brokenPromise: 'a commit is bound to the head that was checked',
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
    brokenPromise: 'what was said first is heard before an attempt begins',
    createOverrides: () => ({
      invariants: { ...ALL_INVARIANTS, inboxGuard: false },
      ...overrideStore(() => ({ nextCommentAt: async () => null })),
    }),
  },
  {
    name: 'everybody-may-decide',
    brokenPromise: 'only who may write decides',
    createOverrides: () =>
      overrideGitHub(({ fetchPermission }) => ({
        fetchPermission: async (login) => ({ ...(await fetchPermission(login)), permission: 'write' }),
      })),
  },
  {
    name: 'forks-ignored',
    brokenPromise: 'a branch in a fork is never written to',
    createOverrides: () =>
      overrideGitHub(({ fetchPull }) => ({ fetchPull: async () => ({ ...(await fetchPull()), fork: false }) })),
  },
  {
    name: 'late-denial-ignored',
    brokenPromise: 'after a no that came during an attempt no other attempt begins',
    createOverrides: () => overridePulls((pull) => ({ ...pull, proposals: pull.proposals.map(withoutLateDenial) })),
  },
  {
    name: 'permission-cached',
    brokenPromise: 'permissions are read again before a commit',
    createOverrides: cachePermissions,
  },
  {
    name: 'withdrawn-approvals-commit',
    brokenPromise: 'an approval that was edited or deleted before the commit is none',
    createOverrides: readFirstTexts,
  },
  {
    name: 'required-approvals-ignored',
    brokenPromise: 'a commit has as many approvals as the repository requires',
    createOverrides: () => overrideGitHub(() => ({ fetchSettingsFile: async () => null })),
  },
  { name: 'tree-cached', brokenPromise: 'the files are those of the head', createOverrides: cacheTree },
  {
    name: 'changed-bytes',
    brokenPromise: 'the bytes of a commit are those that were approved',
    createOverrides: () =>
      overrideGitHub(({ commit }) => ({ commit: (plan) => commit({ ...plan, files: plan.files.map(withBlankLine) }) })),
  },
  {
    name: 'commits-not-recorded',
    brokenPromise: 'the ledger has every commit',
    createOverrides: () => overrideLedger(() => []),
  },
  {
    name: 'first-approver-only',
    brokenPromise: 'the ledger has everybody who approved',
    createOverrides: () =>
      overrideLedger((changes) => changes.map((change) => ({ ...change, approvers: change.approvers.slice(0, 1) }))),
  },
];

/** Deliveries stay in memory until the next ones arrive. */
function acknowledgeBeforeStoring(): Overrides {
  return overrideStore(({ receive }) => {
    let delayed: Parameters<Store['receive']>[0] = [];
    return {
      receive: async (deliveries, now) => {
        const previous = delayed;
        delayed = deliveries;
        await receive(previous, now);
        return deliveries.map(() => 'stored' as const);
      },
    };
  });
}

/** Catch-ups lose their start time, so comments to a run that has ended since are not read. */
function forgetCatchUpStart(): Overrides {
  return overrideStore(({ nextWork }) => ({
    nextWork: async (claim, now) => {
      const work = await nextWork(claim, now);
      if (work?.kind !== 'effect' || work.effect.effect.type !== 'catch-up') return work;
      return { kind: 'effect', effect: { ...work.effect, effect: { ...work.effect.effect, since: null } } };
    },
  }));
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
    brokenPromise: 'a delivery is stored once',
    createOverrides: () => ({ invariants: { ...ALL_INVARIANTS, dedupe: false } }),
  },
  {
    name: 'acknowledged-before-stored',
    brokenPromise: 'a delivery is stored before it is answered',
    createOverrides: acknowledgeBeforeStoring,
  },
  {
    name: 'recovery-takes-nothing',
    brokenPromise: 'what no webhook told is found in GitHub’s log',
    createOverrides: () => overrideStore(() => ({ findKnownDeliveries: async (ids) => new Set(ids) })),
  },
  {
    name: 'given-up-at-once',
    brokenPromise: 'a fault that passes loses nobody’s words',
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
    name: 'lost-comments-not-read',
    brokenPromise: 'what was said is heard before anything expires, even where its webhook was lost for good',
    createOverrides: () => overrideGitHub(() => ({ listCommentsSince: async () => [] })),
  },
  {
    name: 'uninstall-ignored',
    brokenPromise: 'what went on ends where the App is removed',
    createOverrides: () => overrideStore(() => ({ broadcastToPulls: async () => 'stored' })),
  },
  {
    name: 'suspension-comments-ignored',
    brokenPromise: 'what was said while the App was suspended is heard as soon as it may act again',
    createOverrides: () =>
      overrideStore(({ broadcastToPulls }) => ({
        broadcastToPulls: async (id, notice, now) =>
          notice.kind === 'unsuspended' ? 'stored' : broadcastToPulls(id, notice, now),
      })),
  },
  {
    name: 'suspension-comments-of-ended-run-ignored',
    brokenPromise: 'what was said while the App was suspended is heard though its run has ended by then',
    createOverrides: () => ({ ...forgetCatchUpStart(), suspendsOften: true }),
  },
  {
    name: 'suspension-ignored-before-commit',
    brokenPromise: 'no commit begins before what was said while the App was suspended is heard',
    createOverrides: () => ({ ...overrideStore(() => ({ nextCatchUpAt: async () => null })), suspendsOften: true }),
  },
  {
    name: 'notes-forgotten',
    brokenPromise: 'what people say to a run is told the model',
    createOverrides: () => overridePulls((pull) => ({ ...pull, run: pull.run && { ...pull.run, agentNotes: [] } })),
  },
  {
    name: 'suspension-treated-as-uninstall',
    brokenPromise: 'a suspended installation is waited for',
    createOverrides: treatSuspensionAsPermanent,
  },
];

/** Mistakes in the deletion of expired data. */
const CLEANUP_MUTANTS: readonly Mutant[] = [
  {
    name: 'nothing-deleted',
    brokenPromise: 'words are forgotten in time',
    createOverrides: () => overrideStore(() => ({ deleteExpired: async () => false })),
  },
  {
    name: 'deleted-too-soon',
    brokenPromise: 'what was heard is known for thirty days',
    createOverrides: () =>
      overrideStore(({ deleteExpired }) => ({ deleteExpired: (now) => deleteExpired(now + DELIVERY_RETENTION_MS) })),
  },
  {
    name: 'ledger-deleted',
    brokenPromise: 'the ledger stays when words go',
    createOverrides: () => ({ invariants: { ...ALL_INVARIANTS, keepsLedger: false } }),
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...WEBHOOK_MUTANTS,
  ...DECISION_MUTANTS,
  ...EFFECT_MUTANTS,
  ...CLEANUP_MUTANTS,
];
