import { decodeText } from '../change/text.ts';
import type { Objects } from '../git/objects.ts';
import { GitFailed } from '../git/run-git.ts';
import type { PathChange, Side } from '../git/tree-changes.ts';
import type { ChangedFile, FileSide } from './check-change.ts';

/** The two versions of a changed path, or why no proposal can have made that change. */
export type FileReading =
  | { readonly kind: 'file'; readonly file: ChangedFile }
  | { readonly kind: 'strange'; readonly path: string; readonly problem: string };

/** Reads both sides of a changed path. Throws `GitFailed` where a blob is missing. */
export async function readChangedFile(objects: Objects, change: PathChange): Promise<FileReading> {
  const { path, exact } = change;
  if (!exact) return { kind: 'strange', path, problem: 'its name is no UTF-8' };
  const [before, after] = await Promise.all([readSide(objects, change.before), readSide(objects, change.after)]);
  if (before === 'strange' || after === 'strange')
    return { kind: 'strange', path, problem: 'it is a link, a submodule or of a mode that no proposal can have' };
  return { kind: 'file', file: { path, before, after } };
}

async function readSide(objects: Objects, side: Side | null): Promise<FileSide | 'strange' | null> {
  if (side === null) return null;
  const { mode, id } = side;
  if (mode !== '100644' && mode !== '100755') return 'strange';
  const object = await objects.read(id);
  if (object === null) throw new GitFailed(`blob ${id} is not there`);
  const decoded = decodeText(object.bytes);
  return { mode, blob: id, text: decoded.kind === 'text' ? decoded.text : null };
}
