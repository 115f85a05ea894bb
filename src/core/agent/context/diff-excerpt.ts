import { redactDiff } from '../../../lib/redaction.ts';
import { byteLength } from '../../edits/text/characters.ts';
import { crLfToLf } from '../../edits/text/lines.ts';
import { escapeHiddenCharacters } from '../../edits/text/unicode.ts';
import type { PathRules } from '../../state/settings.ts';
import type { DiffExcerpt } from '../../state/task-context.ts';
import type { PullRequestFile } from '../../step/ports.ts';
import { formatPath } from '../shared/tool-results.ts';
import { visibilityOf } from './pull-summary.ts';

/** Bytes of a file's heading beside its path. */
const HEADING_BYTES = 80;

/** A patch of hidden characters is masked, and does not fit once they are escaped. Many of them would take seconds. */
const MAX_MASKED_SHARE = 4;

/**
 * The diffs of whole files, smallest first until `maxBytes` are full, so that most files are whole. Files that no tool
 * reads are left out without a trace, those that people must approve first are named; secrets are masked.
 */
export function selectDiffs(files: readonly PullRequestFile[], maxBytes: number, rules: PathRules): DiffExcerpt {
  const readable = files.filter((file) => visibilityOf(file, rules) !== 'hidden');
  const shownFiles = readable.filter((file) => visibilityOf(file, rules) === 'shown');
  const bySize = shownFiles.toSorted((left, right) => sizeOf(left) - sizeOf(right));
  const patches = new Map<string, string>();
  let remaining = maxBytes;
  let untried = MAX_MASKED_SHARE * maxBytes;
  for (const { path, patch } of bySize) {
    // Masking takes time, so a patch that cannot fit is skipped before.
    if (patch === null || patch.length > Math.min(remaining, untried)) continue;
    untried -= patch.length;
    const shown = escapeDiff(redactDiff(patch));
    const bytes = byteLength(shown) + byteLength(path) + HEADING_BYTES;
    if (bytes > remaining) continue;
    remaining -= bytes;
    patches.set(path, shown);
  }
  const shown = readable.flatMap(({ path }) => {
    const patch = patches.get(path);
    return patch === undefined ? [] : [{ path, patch }];
  });
  return { files: shown, omitted: readable.filter(({ path }) => !patches.has(path)).map(({ path }) => path) };
}

/**
 * Without headings of hunks, because half a secret can stand there. Hidden characters are shown, also a lone carriage
 * return, which would look like the end of a row.
 */
export function escapeDiff(diff: string): string {
  return escapeHiddenCharacters(crLfToLf(diff.toWellFormed()));
}

function sizeOf({ patch }: PullRequestFile): number {
  return patch?.length ?? Number.POSITIVE_INFINITY;
}

const MAX_NAMED_FILES = 30;

/** The diffs with their headings. Each line of a diff begins with a sign, so none can pose as another part. */
export function formatDiffs({ files, omitted }: DiffExcerpt, hint: string): string {
  const shown = files.map(({ path, patch }) => `diff of ${formatPath(escapeHiddenCharacters(path))}:\n${patch}`);
  return [...shown, ...omittedLine(omitted, hint)].join('\n');
}

function omittedLine(omitted: readonly string[], hint: string): readonly string[] {
  if (omitted.length === 0) return [];
  const named = omitted.slice(0, MAX_NAMED_FILES).map((path) => JSON.stringify(escapeHiddenCharacters(path)));
  const more = omitted.length > named.length ? ` and ${omitted.length - named.length} more` : '';
  return [`Not shown here${hint}: ${named.join(', ')}${more}.`];
}
