import { setDigest } from '../../core/edits/digest.ts';
import type { TrailerGroup } from '../../core/policy/commit-message.ts';
import { type ChangedFileContents, hasOnlyRanges, textsOf } from './file-versions.ts';
import { createChangeFinder, type TrailerMatch } from './find-change.ts';

/** The result for one group of trailers: the path of its change, or the problem. */
type GroupCheck = {
  readonly group: TrailerGroup;
  readonly path: string | null;
  readonly problem: string | null;
};

/** The result for a commit. `unexplained` lists paths with changes that no trailers name. */
export type TrailerCheck = {
  readonly groups: readonly GroupCheck[];
  readonly unexplained: readonly { readonly path: string; readonly problem: string }[];
};

/**
 * Finds the file for each group of trailers: its change within the group's range must have the group's digest. The rest
 * of the commit must not contain other changes.
 */
export function checkTrailers(groups: readonly TrailerGroup[], files: readonly ChangedFileContents[]): TrailerCheck {
  const finder = createChangeFinder(files, groups);
  const idProblems = findIdProblems(groups);
  const matched = groups.map((group) => {
    const problem = group.problem ?? idProblems.get(group.proposalId) ?? null;
    return { group, problem, match: problem === null ? finder.find(group) : null };
  });
  const matchesByPath = Map.groupBy(
    matched.flatMap(({ match }) => match?.paths.map((path) => ({ path, match })) ?? []),
    ({ path }) => path,
  );
  const missing = finder.isCutShort()
    ? 'the ranges of this commit fit too many of its files'
    : 'no change of this commit has this digest';
  return {
    groups: matched.map(({ group, problem, match }) => {
      return { group, path: match?.path ?? null, problem: problem ?? (match === null ? missing : null) };
    }),
    unexplained: files.flatMap((file) => {
      const matches = matchesByPath.get(file.path) ?? [];
      const problem = unexplainedProblem(
        file,
        matches.map(({ match }) => match),
      );
      return problem === null ? [] : [{ path: file.path, problem }];
    }),
  };
}

/**
 * Why groups may not have their id, by id. Groups share an id only as the members of a set: side by side, with the
 * same approvers, and all of those that the digest of the set covers.
 */
function findIdProblems(groups: readonly TrailerGroup[]): ReadonlyMap<string | null, string> {
  const byId = Map.groupBy(
    groups.map((group, at) => ({ group, at })),
    ({ group }) => group.proposalId,
  );
  const problems = new Map<string | null, string>();
  for (const [id, sharing] of byId) {
    const [first] = sharing;
    const sets = new Set(sharing.map(({ group }) => group.setDigest));
    if (sets.has(null)) {
      if (sharing.length > 1) problems.set(id, 'another change of this commit has the same id');
      continue;
    }
    const areTogether = (sharing.at(-1)?.at ?? 0) - (first?.at ?? 0) === sharing.length - 1;
    const areAlike = sets.size === 1 && new Set(sharing.map(({ group }) => group.approvedBy.join())).size === 1;
    const isWhole = sets.has(setDigest(sharing.map(({ group }) => group.digest ?? '')));
    if (!areTogether || !areAlike || !isWhole)
      problems.set(id, 'its set has other changes than the digest of the set covers');
  }
  return problems;
}

/** The problem of a file with changes beyond its trailers; null if there are none. */
function unexplainedProblem(file: ChangedFileContents, matches: readonly TrailerMatch[]): string | null {
  const { before, after } = file;
  if (matches.length === 0) return 'no trailers name this change';
  if (before !== null && after !== null && before.mode !== after.mode) return 'its mode was changed';
  const ranges = matches.flatMap(({ range }) => range ?? []);
  if (ranges.length === 0) return matches.length === 1 ? null : 'several trailers name all of it';
  const texts = textsOf(file);
  const isExplained = ranges.length === matches.length && texts !== null && hasOnlyRanges(texts, ranges);
  return isExplained ? null : 'it differs outside the lines that its trailers name';
}
