import type { StoredFile } from '../change/refusals.ts';
import { type CheckedPath, checkPath } from '../policy/path.ts';
import type { Workspace } from './workspace.ts';

/** What a tool wants of a path: which rule keeps it away, how that is said, and the largest file it takes. */
export type Access = {
  readonly denied: (path: string) => string | null;
  readonly word: (path: string, rule: string) => string;
  readonly most: { readonly bytes: number; readonly verb: string };
};

export type Found =
  | { readonly kind: 'file'; readonly path: string; readonly file: StoredFile | null }
  | { readonly kind: 'refused'; readonly output: string };

/** A path that may be touched, with the file that stands there, if any. Sizes are checked before anything is fetched. */
export async function findFile(workspace: Workspace, raw: string, access: Access): Promise<Found> {
  const checked = allowed(checkPath(raw, { repo: workspace.repo, tree: workspace.tree }), access);
  if (checked.kind === 'refused') return checked;
  const { path } = checked;
  const entry = workspace.tree.get(path);
  if (entry === undefined) return { kind: 'file', path, file: null };
  const { mode, sha: blob, size } = entry;
  if (mode !== '100644' && mode !== '100755') return { kind: 'refused', output: `${path} is not a plain file.` };
  const { bytes: most, verb } = access.most;
  if ((size ?? 0) > most)
    return { kind: 'refused', output: `${path} has ${size} bytes and at most ${most} can be ${verb}.` };
  return { kind: 'file', path, file: { ref: { blob, mode }, bytes: await workspace.github.blob(blob) } };
}

/** The path, unless a rule keeps the tool away from it. */
export function allowed(checked: CheckedPath, { denied, word }: Pick<Access, 'denied' | 'word'>): CheckedPath {
  const rule = checked.kind === 'path' ? denied(checked.path) : null;
  return checked.kind === 'path' && rule !== null ? { kind: 'refused', output: word(checked.path, rule) } : checked;
}
