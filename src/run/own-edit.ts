import type { Run } from './run.ts';
import type { CommittedFile } from './signal.ts';

/** Adds a commit of this run to what is known of a path. A file that it made new, or took away, has no lines that could have moved. */
export function withOwnEdit(edits: Run['ownEdits'], file: CommittedFile): Run['ownEdits'] {
  const { path, before, after, ranges } = file;
  if (before === null || after === null) return edits;
  const earlier = Object.hasOwn(edits, path) ? (edits[path] ?? []) : [];
  return { ...edits, [path]: [...earlier, { before, after, ranges }] };
}

export function ownEditsOf(run: Run | null, path: string): readonly Run['ownEdits'][string][number][] {
  return run !== null && Object.hasOwn(run.ownEdits, path) ? (run.ownEdits[path] ?? []) : [];
}
