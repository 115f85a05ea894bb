import { type Change, membersOf, pathsOf } from '../../../core/edits/change.ts';
import { findLinkedPaths, type Link } from '../../../core/policy/links.ts';
import { findLinkedDenial } from '../../../core/policy/path-policy.ts';
import { writableByLinkOutput } from '../../../core/policy/path-tables.ts';
import { entryKind } from '../../../core/policy/paths.ts';
import type { LinkedChange } from '../../../core/state/proposal.ts';
import type { NumberedResult, Workspace } from './workspace.ts';

type NumberedChange = Extract<NumberedResult, { kind: 'change' }>;

/** A result, of a change with the other paths at which links of the head show its files. */
export type LinkedResult = Exclude<NumberedResult, { kind: 'change' }> | (NumberedChange & LinkedChange);

/** Adds these paths, and refuses a change of a file that is shown at a path which the tool may not write. */
export async function findLinks(
  workspace: Workspace,
  results: readonly NumberedResult[],
): Promise<readonly LinkedResult[]> {
  const links = results.some((result) => result.kind === 'change' && writes(result.change))
    ? await readLinks(workspace)
    : [];
  return results.flatMap((result): readonly LinkedResult[] =>
    result.kind === 'change' ? addLinkedPaths(workspace, result, links) : [result],
  );
}

function writes(change: Change): boolean {
  return membersOf(change).some(({ op }) => op !== 'read');
}

function addLinkedPaths(
  { rules }: Workspace,
  result: NumberedChange,
  links: readonly Link[] | null,
): readonly LinkedResult[] {
  if (!writes(result.change)) return [{ ...result, linkedPaths: [] }];
  const linkedPaths = links === null ? 'unknown' : findLinkedPaths(pathsOf(result.change), links);
  const denied = findLinkedDenial(rules, { ...result, linkedPaths });
  if (denied === null) return [{ ...result, linkedPaths }];
  const output = writableByLinkOutput(firstPath(result.change), denied);
  return result.calls.map((call) => ({ ...call, kind: 'output', output, readBlob: null }));
}

function firstPath(change: Change): string {
  return pathsOf(change)[0] ?? '';
}

/** Each link is one request, until the process forgets it. */
const MAX_LINKS = 100;

/** Longer than any path that a link can lead to. */
const MAX_TARGET_BYTES = 4_096;

/** The links of the head; null if there are too many to read. */
async function readLinks({ tree, github }: Workspace): Promise<readonly Link[] | null> {
  const entries = [...tree].filter(([, entry]) => entryKind(entry) === 'link');
  if (entries.length > MAX_LINKS) return null;
  const links: Link[] = [];
  // One after the other, as GitHub asks of its users.
  for (const [path, { sha, size }] of entries) {
    const target = await readTarget(github, sha, size);
    if (target !== null) links.push({ path, target });
  }
  return links;
}

async function readTarget(github: Workspace['github'], sha: string, size: number | null): Promise<string | null> {
  if (size !== null && size > MAX_TARGET_BYTES) return null;
  return new TextDecoder().decode(await github.fetchBlob(sha, size));
}
