import { type FileChange, sourcePath } from '../edits/change.ts';
import { type PathPush, toApplicability } from '../policy/push-impact.ts';
import { assessChange, toAssessable } from '../policy/staleness.ts';
import type {
  Applicability,
  FileAtHead,
  PathStalenessInput,
  PendingChange,
  ProposalApplicability,
  Staleness,
  StalenessInput,
  StalenessVerdict,
} from '../state/head-changes.ts';
import { canStillBeDenied, headingOf, type Proposal } from '../state/proposal.ts';
import type { AppCommit, PullState, Run } from '../state/run.ts';

/** Files to read at a head. Of a move, only blob and mode of both paths are needed. */
export type FilesToFetch = { readonly paths: readonly string[]; readonly moves: readonly PathMove[] };

type PathMove = { readonly from: string; readonly to: string };

export function filesToFetch(changes: readonly Pick<FileChange, 'path' | 'from'>[]): FilesToFetch {
  const paths = new Set(changes.flatMap(({ path, from }) => (from === null ? [path] : [])));
  const moves = changes.flatMap(({ path: to, from }) => (from === null ? [] : [{ from, to }]));
  return { paths: [...paths], moves };
}

export type FilesByPath = Readonly<Record<string, FileAtHead | null>>;

/** The uncommitted proposals of a pull request, as input of an assessment. */
export function openStalenessInput({ run, proposals }: PullState): StalenessInput {
  return stalenessInput(run, proposalsBeforeCommit(proposals));
}

/** Moves are assessed after all paths, because a move concerns two of them. */
export function stalenessInput(
  run: PullState['run'],
  proposals: readonly Pick<Proposal, 'id' | 'change'>[],
): StalenessInput {
  const pending = proposals.map(({ id, change }) => ({ id, change: toAssessable(change) }));
  const moves = pending.filter(({ change }) => change.op === 'move');
  const byPath = Map.groupBy(
    pending.filter((one) => !moves.includes(one)),
    ({ change }) => change.path,
  );
  const paths = [...byPath].map(([path, ofPath]) => ({ path, pending: ofPath, appCommits: appCommitsTo(run, path) }));
  return { paths, moves };
}

/** The push to one path; null if the file is unchanged. */
export function pathPush(
  { pending, appCommits }: PathStalenessInput,
  before: FileAtHead | null,
  after: FileAtHead | null,
): PathPush | null {
  return before?.blob === after?.blob && before?.mode === after?.mode ? null : { before, after, pending, appCommits };
}

/** How a move applies to a head. */
export function assessProposedMove({ id, change }: PendingChange, files: FilesByPath): ProposalApplicability {
  const [file, source] = [files[change.path] ?? null, files[sourcePath(change)] ?? null];
  return { id, applicability: toApplicability(assessChange({ change, file, source, appCommits: [] })) };
}

/** Whether the lines apply at a head below another heading than the known one. */
export function isBelowOtherHeading(proposal: Proposal, verdict: StalenessVerdict | Applicability): boolean {
  return verdict.kind === 'applies' && verdict.heading !== headingOf(proposal);
}

/** Whether a push put lines below another heading. Then the settings say if people must look again. */
export function movesBelowOtherHeading({ proposals }: PullState, { paths }: Staleness): boolean {
  const byId = new Map(proposals.map((one) => [one.id, one]));
  return paths
    .flatMap(({ others }) => others)
    .some(({ id, applicability }) => {
      const proposal = byId.get(id);
      return proposal !== undefined && isBelowOtherHeading(proposal, applicability);
    });
}

/** Proposals that are assessed when the head moves. One in a commit attempt is left to its outcome. */
export function proposalsBeforeCommit(proposals: readonly Proposal[]): readonly Proposal[] {
  return proposals.filter(canStillBeDenied);
}

/** Adds a commit of the run to those of a path. */
export function addAppCommit(appCommits: Run['appCommits'], path: string, commit: AppCommit): Run['appCommits'] {
  const earlier = Object.hasOwn(appCommits, path) ? (appCommits[path] ?? []) : [];
  return { ...appCommits, [path]: [...earlier, commit] };
}

export function appCommitsTo(run: Run | null, path: string): readonly AppCommit[] {
  return run !== null && Object.hasOwn(run.appCommits, path) ? (run.appCommits[path] ?? []) : [];
}
