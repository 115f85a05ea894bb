import type { Built } from '../change/build-edit.ts';
import { buildUndo, reverseRegion } from '../change/build-undo.ts';
import type { Change } from '../change/change.ts';
import type { StoredFile } from '../change/refusals.ts';
import { encodeText } from '../change/text.ts';
import { restores, touchedPaths } from '../change/touched.ts';
import { undoDeletion, undoMove, undoNew, undoRestoration } from '../change/undo-whole.ts';
import { conflictingChange } from '../policy/batch-conflict.ts';
import { writeDenied } from '../policy/denied-path.ts';
import { judge } from '../policy/freshness.ts';
import type { NotUndone } from './answer.ts';
import type { Facts, HeadFile } from './facts.ts';
import { ownEditsOf } from './own-edit.ts';
import { isOpen, type Proposal } from './proposal.ts';
import type { Pull } from './run.ts';
import { named } from './spoken.ts';

/** An applied change, with the commit that holds it. */
export type ToUndo = { readonly proposal: Proposal; readonly commit: string };

/** The reverse of an applied change, or why there is none. */
export type WorkedOut = { readonly kind: 'change'; readonly change: Change } | NotUndone;

type Undoing = ToUndo & { readonly pull: Pull; readonly seen: NonNullable<Facts['undone']> };
type Reverse = (undoing: Undoing) => WorkedOut;

/** What takes back each kind of change. */
const REVERSES: Readonly<Record<Change['op'], Reverse>> = {
  edit: linesBack,
  write: writeBack,
  delete: deletedBack,
  move: movedBack,
  read: ({ proposal }) => ({ kind: 'undone', path: proposal.change.path }),
};

/** Whether the commit that holds a change must be looked into for its reverse; else the change says all of it. */
export function needsItsCommit(change: Change): boolean {
  return change.op === 'edit' || (change.op === 'write' && !restores(change));
}

/**
 * Works out the reverse of an applied change. It must hold at the head as every other change must, beside what waits for
 * people already: nothing is guessed.
 */
export function workOutUndo(pull: Pull, found: ToUndo, seen: Facts['undone']): WorkedOut {
  const { change } = found.proposal;
  for (const path of touchedPaths(change)) {
    const rule = writeDenied(path);
    if (rule !== null) return { kind: 'denied-path', path, rule };
  }
  return seen === undefined ? gone(found) : REVERSES[change.op]({ ...found, pull, seen });
}

function gone({ commit }: ToUndo): NotUndone {
  return { kind: 'commit-gone', sha: commit };
}

function writeBack(undoing: Undoing): WorkedOut {
  const { id, change } = undoing.proposal;
  if (restores(change)) return wholeIfAny(undoing, undoRestoration({ id, undone: change }), 'changed-since');
  return change.base === null ? newFileGone(undoing) : linesBack(undoing);
}

/** Lines are put back: their place is known in the commit that holds the change, and must be found at the head. */
function linesBack({ pull, proposal, commit, seen }: Undoing): WorkedOut {
  const { change, made, id } = proposal;
  const { path, region } = change;
  if (seen.atCommit === 'gone') return gone({ proposal, commit });
  const [then, now] = [storedFile(seen.atCommit), storedFile(seen.atHead)];
  if (region === null || then === null || now === null) return { kind: 'changed-since', path };
  const there = reverseRegion(then.text, region, made?.range ?? null);
  if (there === null) return { kind: 'changed-since', path };
  const reverse = buildUndo({ id, undone: change, region: there, file: then });
  if (reverse.kind === 'refused') return refused(reverse);
  const verdict = judge({ change: reverse.change, file: seen.atHead, ownEdits: ownEditsOf(pull.run, path) });
  switch (verdict.kind) {
    case 'already-there':
      return { kind: 'undone', path };
    case 'stale':
      return { kind: 'changed-since', path };
    case 'applies':
      return besides(pull, buildUndo({ id, undone: change, region: verdict.region, file: now }));
  }
}

/** A new file goes, as long as it is the one that the commit made. */
function newFileGone(undoing: Undoing): WorkedOut {
  const { proposal, seen } = undoing;
  const { id, change } = proposal;
  if (seen.atCommit === 'gone') return gone(undoing);
  const then = storedFile(seen.atCommit);
  if (then === null) return { kind: 'changed-since', path: change.path };
  return whole(undoing, undoNew({ id, undone: change }, then), 'changed-since');
}

/** A deleted file comes back, as long as nothing has taken its place. */
function deletedBack(undoing: Undoing): WorkedOut {
  const { id, change } = undoing.proposal;
  return wholeIfAny(undoing, undoDeletion({ id, undone: change }), 'taken');
}

/** A moved file goes back, as long as it is the same one, and nothing has taken its old place. */
function movedBack(undoing: Undoing): WorkedOut {
  const { id, change } = undoing.proposal;
  return wholeIfAny(undoing, undoMove({ id, undone: change }), 'taken');
}

/** What is stored of a change may not be what it is of its kind: then its reverse is not known. */
function wholeIfAny(undoing: Undoing, built: Built | null, inTheWay: 'changed-since' | 'taken'): WorkedOut {
  const { path } = undoing.proposal.change;
  return built === null ? { kind: 'changed-since', path } : whole(undoing, built, inTheWay);
}

/** A reverse of a whole file, held against the head. `inTheWay` is what a file is that stands at its path otherwise. */
function whole({ pull, seen }: Undoing, built: Built, inTheWay: 'changed-since' | 'taken'): WorkedOut {
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
      return besides(pull, built);
  }
}

/** What waits for people already comes first where both touch the same lines or paths. */
function besides(pull: Pull, built: Built): WorkedOut {
  if (built.kind === 'refused') return refused(built);
  const open = pull.proposals.filter(isOpen);
  const touched = conflictingChange(built.change, open);
  const other = open.find((one) => one.id === touched?.id);
  return other === undefined ? built : { kind: 'touches', other: named(other) };
}

function refused({ output }: Extract<Built, { kind: 'refused' }>): NotUndone {
  return { kind: 'refused', message: output };
}

function storedFile(file: HeadFile | null): (StoredFile & { readonly text: string }) | null {
  if (file === null || file.text === null) return null;
  const mode = file.mode === '100755' ? '100755' : '100644';
  return { ref: { blob: file.blob, mode }, bytes: encodeText(file.text), text: file.text };
}
