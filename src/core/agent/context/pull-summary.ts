import { escapeHiddenCharacters } from '../../edits/text/characters.ts';
import { decideReading } from '../../policy/path-policy.ts';
import type { PullRequestRef } from '../../state/intent.ts';
import type { PathRules } from '../../state/settings.ts';
import { type ChangedFile, type ChangedFiles, CONTEXT_LIMITS, type PullSummary } from '../../state/task-context.ts';
import type { PullFacts } from '../../step/facts.ts';
import type { PullRequestFile } from '../../step/ports.ts';
import { excerptOf } from '../shared/clean-text.ts';

/** The pull request as the model gets it. Branch names stay exact, because requests need them. */
export function summarizePull(facts: PullFacts): PullSummary {
  const { labelCount, label, title, description } = CONTEXT_LIMITS;
  return {
    title: excerptOf(facts.title, title),
    description: excerptOf(facts.description, description),
    author: facts.author?.login ?? null,
    baseRef: facts.baseRef,
    headRef: facts.headRef,
    headSha: facts.headSha,
    defaultBranch: facts.defaultBranch,
    draft: facts.draft,
    fork: facts.fork,
    labels: facts.labels.slice(0, labelCount).map((name) => excerptOf(name, label)),
    changedFiles: facts.changedFiles,
  };
}

/** The changed files, without those that no tool reads. Counts against GitHub's number, because its list can be cut. */
export function listChangedFiles(
  files: readonly PullRequestFile[],
  changedFiles: number,
  rules: PathRules,
): ChangedFiles {
  const rows = files
    .filter((file) => visibilityOf(file, rules) !== 'hidden')
    .slice(0, CONTEXT_LIMITS.changedFileCount)
    .map(({ path, status, added, removed }): ChangedFile => ({ path, status, added, removed }));
  return { rows, unlisted: Math.max(files.length, changedFiles) - rows.length };
}

/**
 * The visible part of a changed file: its lines, only its name because people must approve first that it is read, or
 * nothing. A diff shows the versions of its present and its former path, and an approval is for one version.
 */
export function visibilityOf(
  { path, previousPath }: Pick<PullRequestFile, 'path' | 'previousPath'>,
  rules: PathRules,
): 'shown' | 'withheld' | 'hidden' {
  const paths = [path, ...(previousPath === null ? [] : [previousPath])];
  const kinds = paths.map((one) => decideReading(rules, 'read_diff', one).kind);
  if (kinds.includes('deny')) return 'hidden';
  return kinds.includes('ask') ? 'withheld' : 'shown';
}

/**
 * Whether the lines of a thread on this path can be shown. A hunk has lines of the file's former name, too, so the path
 * must be among the changed files; `files` is null if those could not be read.
 */
export function hasReadableHunks(path: string, files: readonly PullRequestFile[] | null, rules: PathRules): boolean {
  const entry = files?.find((file) => file.path === path);
  return entry !== undefined && visibilityOf(entry, rules) === 'shown';
}

/** The pull request as JSON, with one row for each changed file. Null stands for what could not be read. */
export function formatPullData(
  { owner, repo, number }: PullRequestRef,
  pull: PullSummary | null,
  changed: ChangedFiles | null,
): string {
  const data = {
    repository: `${owner}/${repo}`,
    pull_request: number,
    ...(pull === null ? { unreadable: true } : pullFields(pull)),
    ...(changed === null ? { changed_unreadable: true } : {}),
    ...(changed === null || changed.unlisted === 0 ? {} : { changed_not_listed: changed.unlisted }),
  };
  const rows = changed?.rows ?? [];
  const json = JSON.stringify(data, null, 2);
  return rows.length === 0 ? json : `${json.slice(0, -2)},\n  "changed": [\n${rows.map(formatRow).join(',\n')}\n  ]\n}`;
}

function pullFields({
  title,
  description,
  author,
  baseRef,
  headRef,
  headSha,
  draft,
  fork,
  labels,
}: PullSummary): object {
  return {
    title,
    description: description === '' ? undefined : description,
    author: author ?? undefined,
    base: escapeHiddenCharacters(baseRef),
    head: escapeHiddenCharacters(headRef),
    head_commit: headSha,
    draft,
    fork,
    labels: labels.length === 0 ? undefined : labels,
  };
}

function formatRow(row: ChangedFile): string {
  return `    ${JSON.stringify({ ...row, path: escapeHiddenCharacters(row.path) })}`;
}
