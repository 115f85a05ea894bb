import { approversOf, codeOwnersQuery } from '../../core/actions/approvals.ts';
import {
  assessProposedMove,
  type FilesByPath,
  filesToFetch,
  stalenessInput,
} from '../../core/actions/head-assessment.ts';
import type { FileChange } from '../../core/edits/change.ts';
import { memberKey } from '../../core/edits/change-set.ts';
import { type HeadFile, type HeadFiles, treeMismatches } from '../../core/policy/commit-plan.ts';
import { type CountersignedCommit, voteLocations } from '../../core/policy/countersign.ts';
import { assessFile } from '../../core/policy/staleness.ts';
import { parseSettings } from '../../core/settings/repo-settings.ts';
import type { StalenessVerdict } from '../../core/state/head-changes.ts';
import type { Proposal } from '../../core/state/proposal.ts';
import type { PullState } from '../../core/state/pull-state.ts';
import type { CodeOwners, SettingsReading } from '../../core/state/settings.ts';
import type { CommitResult, GitHub, Tree } from '../../core/step/ports.ts';
import type { PreflightCheck } from '../../core/step/signals.ts';
import { bothOrFail, fetchCodeOwners, fetchFiles, fetchPermissions, isPlainFileMode } from '../jobs/gather-facts.ts';
import type { EffectResult, Job, RulesContext } from '../jobs/job.ts';
import { errorText, failureKind, nextRetryAt } from '../jobs/retries.ts';

/** The checked head of an attempt: its files, and whether each proposal applies to them. */
export type CommitPreconditions = {
  readonly head: string;
  readonly branch: string;
  readonly files: HeadFiles;
  readonly checks: readonly PreflightCheck[];
  /** The current approval rules of the repository. */
  readonly settings: SettingsReading;
  /** Null where they do not ask for code owners. */
  readonly codeOwners: CodeOwners | null;
};

/**
 * Checks again, right before the proposals are carried out, that they apply, that their approvers have permission and
 * that their approvals are still on the page.
 */
export async function preflightCommit(
  context: RulesContext,
  pull: PullState,
  effectProposals: readonly Proposal[],
  target: { readonly head: string; readonly branch: string },
): Promise<CommitPreconditions> {
  const { github } = context;
  const [{ files, permissions, settings, codeOwners }, voteSources] = await bothOrFail(
    fetchCommitFacts(context, effectProposals, target.head),
    github.fetchVoteSources(voteLocations(effectProposals)),
  );
  const verdicts = await stalenessVerdicts(pull, effectProposals, files);
  const checks = effectProposals.map(({ id }) => ({
    proposalId: id,
    verdicts: verdicts.get(id) ?? [],
    permissions,
    voteSources,
  }));
  return { ...target, files: toHeadFiles(files), checks, settings, codeOwners };
}

async function fetchCommitFacts(context: RulesContext, effectProposals: readonly Proposal[], head: string) {
  const { github, operatorSettings } = context;
  const members = effectProposals.flatMap(({ change }) => change.members);
  const files = await fetchFiles(github, await github.fetchTree(head), filesToFetch(members));
  const permissions = await fetchPermissions(github, effectProposals.flatMap(approversOf));
  const settings = parseSettings(await github.fetchSettingsFile(), operatorSettings());
  return { files, permissions, settings, codeOwners: await fetchOwnersAtCommit(context, effectProposals, settings) };
}

async function fetchOwnersAtCommit(
  context: RulesContext,
  effectProposals: readonly Proposal[],
  reading: SettingsReading,
): Promise<CodeOwners | null> {
  if (reading.kind !== 'settings') return null;
  const query = codeOwnersQuery(effectProposals, effectProposals.flatMap(approversOf), reading.settings);
  return query === null ? null : fetchCodeOwners(context, query);
}

/** The files of these changes in a tree. */
export async function fetchHeadFiles(github: GitHub, tree: Tree, changes: readonly FileChange[]): Promise<HeadFiles> {
  return toHeadFiles(await fetchFiles(github, tree, filesToFetch(changes)));
}

/** Without a path that is no plain file, so that no change of it can be committed. */
function toHeadFiles(files: FilesByPath): HeadFiles {
  const entries = Object.entries(files).flatMap(([path, file]): readonly (readonly [string, HeadFile | null])[] => {
    if (file === null) return [[path, null]];
    const { blob, mode, text } = file;
    return isPlainFileMode(mode) ? [[path, { ref: { blob, mode }, text }]] : [];
  });
  return new Map(entries);
}

/** Assesses each file with all its proposals. */
async function stalenessVerdicts(
  { run }: PullState,
  effectProposals: readonly Proposal[],
  files: FilesByPath,
): Promise<ReadonlyMap<string, readonly StalenessVerdict[]>> {
  const { paths, moves } = stalenessInput(run, effectProposals);
  const assessed = [
    ...moves.map((move) => assessProposedMove(move, files)),
    ...paths.flatMap(({ path, ...input }) => assessFile({ ...input, file: files[path] ?? null })),
  ];
  const verdicts = new Map(assessed.map(({ id, verdict }) => [id, verdict]));
  return new Map(
    effectProposals.map(({ id, change }) => [
      id,
      change.members.map((_, index) => verdicts.get(memberKey(id, index)) ?? { kind: 'stale' }),
    ]),
  );
}

/**
 * Compares the tree of a new commit with its parent's tree and the approved changes. If the trees cannot be fetched,
 * the ledger records the commit as requested, and the next attempt finds it by its trailers and verifies it.
 */
export async function verifyWrittenCommit(
  job: Job<'commit'>,
  github: GitHub,
  { sha, isPullOpen }: Extract<CommitResult, { kind: 'committed' }>,
  signed: CountersignedCommit,
): Promise<EffectResult> {
  const { context, effect, attempts } = job;
  const { plan, committedVersions, files } = signed;
  const { proposalIds, expectedHead: parentSha } = plan;
  const commit = { runId: effect.runId, sha, parentSha, proposalIds, committedVersions };
  try {
    const trees = { before: await github.fetchTree(parentSha), after: await github.fetchTree(sha) };
    const mismatches = treeMismatches(plan.files, trees);
    const open = isPullOpen === true ? { isPullOpen } : {};
    if (mismatches.length === 0) return { kind: 'done', signal: { type: 'committed', ...commit, files, ...open } };
    context.log.error({ sha, mismatches }, 'commit differs from what was approved');
    return { kind: 'done', signal: { type: 'commit-mismatch', ...commit, mismatches } };
  } catch (error) {
    context.log.warn({ err: error, sha }, 'commit could not be verified, will retry');
    const retryAt = nextRetryAt(context.clock.now(), attempts, error);
    const signal = { type: 'commit-unverified', ...commit } as const;
    return { kind: 'retry', retryAt, error: errorText(error), failure: failureKind(error), signal };
  }
}
