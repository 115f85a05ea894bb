import { type FileChange, sourcePath } from '../edits/change.ts';
import { memberKey } from '../edits/change-set.ts';
import { assessChange, type PathPush } from '../policy/staleness.ts';
import type {
  AssessedChange,
  FileAtHead,
  PathStalenessInput,
  PendingChange,
  Staleness,
  StalenessInput,
  StalenessVerdict,
} from '../state/head-changes.ts';
import { isBeforeCommit, type Proposal } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import type { AppCommit, Run } from '../state/run.ts';

/** Files to read at a head. Of a move that keeps the text, only blob and mode of both paths are needed. */
export type FilesToFetch = { readonly paths: readonly string[]; readonly moves: readonly PathMove[] };

type PathMove = { readonly from: string; readonly to: string };

export function filesToFetch(changes: readonly Pick<FileChange, 'path' | 'from' | 'region'>[]): FilesToFetch {
  const paths = new Set(
    changes.flatMap(({ path, from, region }) => (from === null ? [path] : region === null ? [] : [from])),
  );
  const moves = changes.flatMap(({ path: to, from }) => (from === null ? [] : [{ from, to }]));
  return { paths: [...paths], moves };
}

export type FilesByPath = Readonly<Record<string, FileAtHead | null>>;

/** The uncommitted proposals of a pull request, as input of an assessment. */
export function openStalenessInput({ run, proposals }: PullState): StalenessInput {
  return stalenessInput(run, proposalsBeforeCommit(proposals));
}

/**
 * Each member of a set is assessed on its own, under its key. Moves are assessed after all paths, because a move
 * concerns two of them.
 */
export function stalenessInput(
  run: PullState['run'],
  proposals: readonly Pick<Proposal, 'id' | 'change'>[],
): StalenessInput {
  const pending = proposals.flatMap(({ id, change }) =>
    change.members.map((member, index) => ({ id: memberKey(id, index), change: member })),
  );
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
export function assessProposedMove({ id, change }: PendingChange, files: FilesByPath): AssessedChange {
  const [file, source] = [files[change.path] ?? null, files[sourcePath(change)] ?? null];
  return { id, verdict: assessChange({ change, file, source, appCommits: [] }) };
}

/**
 * A change applies if all of its members do, and is applied if all of them are. Anything else makes it stale: people
 * decided on all of it or nothing.
 */
export function combineVerdicts(
  { change: { members } }: Pick<Proposal, 'change'>,
  verdicts: readonly MemberVerdict[],
): MemberVerdict {
  if (verdicts.length !== members.length) return { kind: 'stale' };
  if (verdicts.every(({ kind }) => kind === 'applies')) return { kind: 'applies' };
  if (verdicts.every(({ kind }) => kind === 'already-applied')) return { kind: 'already-applied' };
  const failed = verdicts.findIndex(({ kind }) => kind !== 'applies');
  const [verdict, member] = [verdicts[failed], members[failed]];
  if (verdict?.kind === 'stale' && verdict.path !== undefined) return verdict;
  return member === undefined ? { kind: 'stale' } : { kind: 'stale', path: member.path };
}

/** The verdicts of a change's members after a push, in order; null if the push changed none of its files. */
export function memberVerdicts(proposal: Proposal, { paths, moves }: Staleness): readonly MemberVerdict[] | null {
  const { id, change } = proposal;
  const contained = new Set(paths.flatMap((path) => path.contained));
  const assessed = new Map([...paths.flatMap(({ others }) => others), ...moves].map((one) => [one.id, one.verdict]));
  const keys = change.members.map((_, index) => memberKey(id, index));
  if (!keys.some((key) => contained.has(key) || assessed.has(key))) return null;
  // Without a verdict the push did not change the file.
  return keys.map((key) =>
    contained.has(key) ? { kind: 'already-applied' } : (assessed.get(key) ?? { kind: 'applies' }),
  );
}

/** How a proposal or one member applies to a head; `path` is the one that changed, absent if it is the change's own. */
type MemberVerdict = { readonly kind: 'applies' } | Exclude<StalenessVerdict, { kind: 'applies' }>;

/** Proposals that are assessed when the head moves. One in a commit attempt is left to its outcome. */
export function proposalsBeforeCommit(proposals: readonly Proposal[]): readonly Proposal[] {
  return proposals.filter(isBeforeCommit);
}

/** Adds a commit of the run to those of a path. */
export function addAppCommit(appCommits: Run['appCommits'], path: string, commit: AppCommit): Run['appCommits'] {
  const earlier = Object.hasOwn(appCommits, path) ? (appCommits[path] ?? []) : [];
  return { ...appCommits, [path]: [...earlier, commit] };
}

export function appCommitsTo(run: Run | null, path: string): readonly AppCommit[] {
  return run !== null && Object.hasOwn(run.appCommits, path) ? (run.appCommits[path] ?? []) : [];
}
