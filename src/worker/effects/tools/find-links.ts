import { type Change, membersOf, pathsOf } from '../../../core/edits/change.ts';
import { findLinkedPaths, type Link } from '../../../core/policy/links.ts';
import { findLinkedDenial } from '../../../core/policy/path-policy.ts';
import { writableByLinkOutput } from '../../../core/policy/path-tables.ts';
import type { LinkedChange } from '../../../core/state/proposal.ts';
import { readLinks } from '../../jobs/read-links.ts';
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
    ? await readLinks(workspace.github, workspace.tree)
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
  const linkedPaths = findLinkedPaths(pathsOf(result.change), links);
  const denied = findLinkedDenial(rules, { ...result, linkedPaths });
  if (denied === null) return [{ ...result, linkedPaths }];
  const output = writableByLinkOutput(firstPath(result.change), denied);
  return result.calls.map((call) => ({ ...call, kind: 'output', output, readBlob: null }));
}

function firstPath(change: Change): string {
  return pathsOf(change)[0] ?? '';
}
