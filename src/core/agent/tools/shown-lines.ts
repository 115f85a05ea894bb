import type { Run, ShownFile } from '../../state/run.ts';
import type { ShownLines } from '../../step/signals.ts';

type ShownFiles = Run['shownFiles'];

/** Whether the model was shown all of these lines of the same blob before, at once. */
export function areShown(files: ShownFiles, { first, last, ...version }: ShownLines): boolean {
  return rangesOf(files, version).some(([from, to]) => from <= first && last <= to);
}

/** Remembers that these lines were shown. Lines of another blob at this path count no longer. */
export function addShownLines(files: ShownFiles, { first, last, ...version }: ShownLines): ShownFiles {
  const ranges = [...rangesOf(files, version), [first, last] as const];
  return { ...files, [shownKey(version)]: { blob: version.blob, ranges } };
}

type FileVersion = Omit<ShownLines, 'first' | 'last'>;

function rangesOf(files: ShownFiles, version: FileVersion): ShownFile['ranges'] {
  const key = shownKey(version);
  const known = Object.hasOwn(files, key) ? files[key] : undefined;
  return known?.blob === version.blob ? known.ranges : [];
}

function shownKey({ ref, path }: FileVersion): string {
  return `${ref}:${path}`;
}
