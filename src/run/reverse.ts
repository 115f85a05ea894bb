import type { Built } from '../change/build-edit.ts';
import { buildUndo, reverseRegion } from '../change/build-undo.ts';
import type { Change } from '../change/change.ts';
import type { LineRange } from '../change/range.ts';
import type { StoredFile } from '../change/refusals.ts';
import { encodeText } from '../change/text.ts';
import { restores } from '../change/touched.ts';
import { undoDeletion, undoMove, undoNew, undoRestoration } from '../change/undo-whole.ts';
import { type FileAtHead, judge } from '../policy/freshness.ts';
import type { OwnEdit } from '../policy/own-history.ts';
import type { NotUndone } from './answer.ts';

/** What was read of a change that is to be undone; `fromAtHead` is what stands where a move came from. */
export type SeenOfUndone = {
  readonly atCommit: FileAtHead | null | 'gone';
  readonly atHead: FileAtHead | null;
  readonly fromAtHead: FileAtHead | null;
};

/** The applied change `id`, the commit that holds it and where it stands there, and this run's own commits to its path. */
export type Undoing = {
  readonly id: string;
  readonly change: Change;
  readonly commit: string;
  readonly range: LineRange | null;
  readonly ownEdits: readonly OwnEdit[];
  readonly seen: SeenOfUndone;
};

/** The reverse of an applied change, or why there is none. */
export type Reverse = { readonly kind: 'change'; readonly change: Change } | NotUndone;

/** What takes back each kind of change. */
const REVERSES: Readonly<Record<Change['op'], (undoing: Undoing) => Reverse>> = {
  edit: linesBack,
  write: writeBack,
  delete: deletedBack,
  move: movedBack,
  read: ({ change }) => ({ kind: 'undone', path: change.path }),
};

/** Whether the commit that holds a change must be looked into for its reverse; else the change says all of it. */
export function needsItsCommit(change: Change): boolean {
  return change.op === 'edit' || (change.op === 'write' && !restores(change));
}

/** Works out the reverse of an applied change. It must hold at the head as every other change must: nothing is guessed. */
export function reverseOf(undoing: Undoing): Reverse {
  return REVERSES[undoing.change.op](undoing);
}

/** The commit that holds it cannot be looked into. */
export function gone(sha: string): NotUndone {
  return { kind: 'commit-gone', sha };
}

function writeBack(undoing: Undoing): Reverse {
  const { id, change } = undoing;
  if (restores(change)) return wholeIfAny(undoing, undoRestoration({ id, undone: change }), 'changed-since');
  return change.base === null ? newFileGone(undoing) : linesBack(undoing);
}

/** Lines are put back: their place is known in the commit that holds the change, and must be found at the head. */
function linesBack({ id, change, commit, range, ownEdits, seen }: Undoing): Reverse {
  const { path, region } = change;
  if (seen.atCommit === 'gone') return gone(commit);
  const [then, now] = [storedFile(seen.atCommit), storedFile(seen.atHead)];
  if (region === null || then === null || now === null) return { kind: 'changed-since', path };
  const there = reverseRegion(then.text, region, range);
  if (there === null) return { kind: 'changed-since', path };
  const reverse = buildUndo({ id, undone: change, region: there, file: then });
  if (reverse.kind === 'refused') return refused(reverse);
  const verdict = judge({ change: reverse.change, file: seen.atHead, ownEdits });
  switch (verdict.kind) {
    case 'already-there':
      return { kind: 'undone', path };
    case 'stale':
      return { kind: 'changed-since', path };
    case 'applies':
      return made(buildUndo({ id, undone: change, region: verdict.region, file: now }));
  }
}

/** A new file goes, as long as it is the one that the commit made. */
function newFileGone(undoing: Undoing): Reverse {
  const { id, change, seen } = undoing;
  if (seen.atCommit === 'gone') return gone(undoing.commit);
  const then = storedFile(seen.atCommit);
  if (then === null) return { kind: 'changed-since', path: change.path };
  return whole(undoing, undoNew({ id, undone: change }, then), 'changed-since');
}

/** A deleted file comes back, as long as nothing has taken its place. */
function deletedBack(undoing: Undoing): Reverse {
  const { id, change } = undoing;
  return wholeIfAny(undoing, undoDeletion({ id, undone: change }), 'taken');
}

/** A moved file goes back, as long as it is the same one, and nothing has taken its old place. */
function movedBack(undoing: Undoing): Reverse {
  const { id, change } = undoing;
  return wholeIfAny(undoing, undoMove({ id, undone: change }), 'taken');
}

/** What is stored of a change may not be what it is of its kind: then its reverse is not known. */
function wholeIfAny(undoing: Undoing, built: Built | null, inTheWay: 'changed-since' | 'taken'): Reverse {
  const { path } = undoing.change;
  return built === null ? { kind: 'changed-since', path } : whole(undoing, built, inTheWay);
}

/** A reverse of a whole file, held against the head. `inTheWay` is what a file is that stands at its path otherwise. */
function whole({ seen }: Undoing, built: Built, inTheWay: 'changed-since' | 'taken'): Reverse {
  if (built.kind === 'refused') return refused(built);
  const { change } = built;
  const { path, from } = change;
  const [file, source] = from === null ? [seen.atHead, null] : [seen.fromAtHead, seen.atHead];
  const verdict = judge({ change, file, source, ownEdits: [] });
  switch (verdict.kind) {
    case 'already-there':
      return { kind: 'undone', path };
    case 'stale':
      return verdict.path === undefined ? { kind: inTheWay, path } : { kind: 'changed-since', path: verdict.path };
    case 'applies':
      return made(built);
  }
}

function made(built: Built): Reverse {
  return built.kind === 'refused' ? refused(built) : built;
}

function refused({ output }: Extract<Built, { kind: 'refused' }>): NotUndone {
  return { kind: 'refused', message: output };
}

function storedFile(file: FileAtHead | null): (StoredFile & { readonly text: string }) | null {
  if (file === null || file.text === null) return null;
  const mode = file.mode === '100755' ? '100755' : '100644';
  return { ref: { blob: file.blob, mode }, bytes: encodeText(file.text), text: file.text };
}
