import { RE2JS, RE2Set } from 're2js';
import { foldPath } from './paths.ts';

/** Globs that stand for one rule. */
type GlobRow = { readonly paths: readonly string[] };

/** The globs of a list, compiled together. */
type CompiledRows = {
  readonly set: RE2Set;
  readonly globs: readonly { readonly row: number; readonly glob: string }[];
};

/** Lists that are asked about many paths: those of the settings, and the built-in ones. */
const COMPILED = new WeakMap<readonly GlobRow[], CompiledRows>();

/** The rows that cover a path without case and Unicode form, in order, each with the first of its globs that does. */
export function coveringRows<Row extends GlobRow>(
  rows: readonly Row[],
  path: string,
): readonly { readonly row: Row; readonly glob: string }[] {
  if (rows.length === 0) return [];
  const compiled = COMPILED.get(rows) ?? compileRows(rows);
  COMPILED.set(rows, compiled);
  const byRow = new Map<number, string>();
  for (const index of [...compiled.set.match(foldPath(path))].sort((left, right) => left - right)) {
    const found = compiled.globs[index];
    if (found !== undefined && !byRow.has(found.row)) byRow.set(found.row, found.glob);
  }
  return [...byRow].flatMap(([index, glob]) => {
    const row = rows[index];
    return row === undefined ? [] : [{ row, glob }];
  });
}

function compileRows(rows: readonly GlobRow[]): CompiledRows {
  const globs = rows.flatMap(({ paths }, row) => paths.map((glob) => ({ row, glob })));
  const set = new RE2Set(RE2Set.ANCHOR_BOTH, RE2JS.DOTALL);
  for (const { glob } of globs) set.add(toPattern(foldPath(glob)));
  set.compile();
  return { set, globs };
}

/**
 * Compiles a glob for paths from the repository's root. `**` matches any number of whole directories (also none), `*`
 * any characters but a slash, `?` one character but a slash; the rest is literal and case-sensitive. Matching takes
 * linear time.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const pattern = RE2JS.compile(toPattern(glob), RE2JS.DOTALL);
  return (path) => pattern.testExact(path);
}

/** A directory's own name does not match `dir/**`. */
function toPattern(glob: string): string {
  const names = glob.split('/');
  const last = names.length - 1;
  return names
    .map((name, index) => {
      if (name === '**') return index === last ? '.+' : '(?:.*/)?';
      const pattern = name.replace(/\*+|\?|[^*?]+/g, (piece) => WILDCARDS[piece.charAt(0)] ?? RE2JS.quote(piece));
      return index === last ? pattern : `${pattern}/`;
    })
    .join('');
}

const WILDCARDS: Readonly<Record<string, string>> = { '*': '[^/]*', '?': '[^/]' };
