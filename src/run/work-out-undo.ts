import type { Change } from '../change/change.ts';
import { touchedPaths } from '../change/touched.ts';
import { conflictingChange } from '../policy/batch-conflict.ts';
import { writeDenied } from '../policy/denied-path.ts';
import { ownEditsOf } from './own-edit.ts';
import { isOpen, type Proposal } from './proposal.ts';
import { gone, type Reverse, type Undoing } from './reverse.ts';
import type { Pull } from './run.ts';
import { named } from './spoken.ts';

/** An applied change, with the commit that holds it. */
export type ToUndo = { readonly proposal: Proposal; readonly commit: string };

/** What its reverse is worked out from, beside what is read. */
export function undoingOf({ run }: Pull, { proposal, commit }: ToUndo): Omit<Undoing, 'seen'> {
  const { id, change, made } = proposal;
  return { id, change, commit, range: made?.range ?? null, ownEdits: ownEditsOf(run, change.path) };
}

/** The reverse that was worked out, beside what waits for people already; that comes first. */
export function workOutUndo(pull: Pull, found: ToUndo, reverse: Reverse | undefined): Reverse {
  for (const path of touchedPaths(found.proposal.change)) {
    const rule = writeDenied(path);
    if (rule !== null) return { kind: 'denied-path', path, rule };
  }
  if (reverse === undefined) return gone(found.commit);
  return reverse.kind === 'change' ? besides(pull, reverse.change) : reverse;
}

/** Not where it would touch the same lines or paths. */
function besides(pull: Pull, change: Change): Reverse {
  const open = pull.proposals.filter(isOpen);
  const touched = conflictingChange(change, open);
  const other = open.find((one) => one.id === touched?.id);
  return other === undefined ? { kind: 'change', change } : { kind: 'touches', other: named(other) };
}
