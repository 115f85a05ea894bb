import { findDeclarations } from '../../../adapters/syntax/parse-source.ts';
import { boundExcerpts, excerptsAround } from '../../../core/agent/context/code-excerpts.ts';
import type { CommentedPlace } from '../../../core/agent/context/diff-excerpt.ts';
import { decodeText } from '../../../core/edits/text/characters.ts';
import type { PathRules } from '../../../core/state/settings.ts';
import type { CodeExcerpt, PullSummary } from '../../../core/state/task-context.ts';
import type { GitHub } from '../../../core/step/ports.ts';
import { fetchAllowedFile, readAccess } from './workspace.ts';

/** The head of a pull request, the name of its repository, and what may be read there. */
type HeadReader = {
  readonly github: GitHub;
  readonly repo: string;
  readonly pull: PullSummary;
  readonly rules: PathRules;
};

/** The functions around places, and those of these names in their files. A line of the base is not at the head. */
export async function readCodeAround(
  { github, repo, pull, rules }: HeadReader,
  places: readonly CommentedPlace[],
  names: ReadonlySet<string>,
): Promise<readonly CodeExcerpt[]> {
  const atHead = places.filter(({ line, side }) => side !== 'LEFT' && (line !== null || names.size > 0));
  if (atHead.length === 0) return [];
  const gate = { isApproved: () => false, canAsk: false };
  const workspace = { github, tree: await github.fetchTree(pull.headSha), repo, rules, gate };
  const excerpts: CodeExcerpt[] = [];
  for (const path of new Set(atHead.map((one) => one.path))) {
    const found = await fetchAllowedFile(workspace, path, readAccess('read_file'));
    const decoded = found.kind === 'file' && found.file !== null ? decodeText(found.file.bytes) : null;
    if (decoded?.kind !== 'text') continue;
    const source = { path, text: decoded.text, names };
    const lines = atHead.flatMap((one) => (one.path === path && one.line !== null ? [one.line] : []));
    excerpts.push(...excerptsAround({ ...source, declarations: await findDeclarations(source) }, lines));
  }
  return boundExcerpts(excerpts);
}
