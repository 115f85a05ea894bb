import type { Objects } from './objects.ts';
import { GitFailed } from './run-git.ts';

/** One side of a changed path: git's mode, such as `100644`, and the id of the object. */
export type Side = { readonly mode: string; readonly id: string };

/** A path that two trees hold differently; a side is null where the path is not there. */
export type PathChange = {
  readonly path: string;
  /** Whether the path's bytes are UTF-8; `path` holds replacement characters where they are not. */
  readonly exact: boolean;
  readonly before: Side | null;
  readonly after: Side | null;
};

const DIRECTORY = '40000';
const SPACE = 0x20;
const HEX_DIGITS_OF_A_BYTE = 2;

/** By name, one character for each byte, so that names which are no text stay apart. */
type Entries = ReadonlyMap<string, Side>;
const NOTHING: Entries = new Map();

/** Every path in which two trees differ; opens only directories that do. Null stands for no tree. Throws `GitFailed` where one is missing. */
export async function treeChanges(
  objects: Objects,
  before: string | null,
  after: string | null,
): Promise<readonly PathChange[]> {
  const changes: PathChange[] = [];
  const pending = [{ prefix: '', before, after }];
  for (let level = pending.pop(); level !== undefined; level = pending.pop()) {
    const [old, fresh] = await Promise.all([entriesOf(objects, level.before), entriesOf(objects, level.after)]);
    for (const name of new Set([...old.keys(), ...fresh.keys()])) {
      const sides = { before: old.get(name) ?? null, after: fresh.get(name) ?? null };
      if (isSame(sides.before, sides.after)) continue;
      const path = level.prefix + name;
      const inside = { before: directoryOf(sides.before), after: directoryOf(sides.after) };
      if (inside.before !== null || inside.after !== null) pending.push({ prefix: `${path}/`, ...inside });
      const file = { before: fileOf(sides.before), after: fileOf(sides.after) };
      if (file.before !== null || file.after !== null) changes.push({ ...nameOf(path), ...file });
    }
  }
  return changes;
}

async function entriesOf(objects: Objects, tree: string | null): Promise<Entries> {
  if (tree === null) return NOTHING;
  const object = await objects.read(tree);
  if (object?.kind !== 'tree') throw new GitFailed(`tree ${tree} is not there`);
  return parseTree(object.bytes, tree.length / HEX_DIGITS_OF_A_BYTE);
}

function parseTree(bytes: Buffer, idBytes: number): Entries {
  const entries = new Map<string, Side>();
  for (let offset = 0; offset < bytes.length; ) {
    const space = bytes.indexOf(SPACE, offset);
    const end = bytes.indexOf(0, space);
    if (space === -1 || end === -1) break;
    const id = bytes.toString('hex', end + 1, end + 1 + idBytes);
    entries.set(bytes.toString('latin1', space + 1, end), { mode: bytes.toString('latin1', offset, space), id });
    offset = end + 1 + idBytes;
  }
  return entries;
}

function isSame(before: Side | null, after: Side | null): boolean {
  return before?.id === after?.id && before?.mode === after?.mode;
}

function directoryOf(side: Side | null): string | null {
  return side?.mode === DIRECTORY ? side.id : null;
}

function fileOf(side: Side | null): Side | null {
  return side?.mode === DIRECTORY ? null : side;
}

function nameOf(latin1: string): Pick<PathChange, 'path' | 'exact'> {
  const bytes = Buffer.from(latin1, 'latin1');
  const path = bytes.toString('utf8');
  return { path, exact: Buffer.from(path, 'utf8').equals(bytes) };
}
