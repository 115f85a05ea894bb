import { blobSha } from './blob.ts';
import { buildDelete, deletionOf } from './build-delete.ts';
import type { Built } from './build-edit.ts';
import { moveOf } from './build-move.ts';
import { restorationOf } from './build-restore.ts';
import { buildWrite } from './build-write.ts';
import type { Change } from './change.ts';
import { describeUndoAs } from './describe.ts';
import type { StoredFile } from './refusals.ts';
import { encodeText } from './text.ts';

/** The applied change `id`, which made a file, took it away or moved it. */
export type UndoneWhole = { readonly id: string; readonly undone: Change };

/** The deletion of a file that was new with an applied change, as it stands in the commit that holds it. */
export function undoNew({ id, undone }: UndoneWhole, file: StoredFile): Built {
  return named(id, buildDelete({ path: undone.path, sandbox: undone.payload.sandbox, file }));
}

/** The deletion of a file that an applied change brought back as a blob. Null for any other change. */
export function undoRestoration({ id, undone }: UndoneWhole): Built | null {
  const { path, result: ref, payload } = undone;
  if (ref === null || payload.type !== 'write') return null;
  const { sandbox, content_bytes: bytes } = payload;
  return named(id, { kind: 'change', change: deletionOf({ path, sandbox, ref, bytes }) });
}

/**
 * The new file that has the bytes and the mode of one that an applied change deleted. The lines of a text were all
 * shown, so they are all known; anything else comes back as the blob that it was. Null where the lines are not the
 * file's, and for what is no deletion.
 */
export function undoDeletion({ id, undone }: UndoneWhole): Built | null {
  const { path, base, region, payload } = undone;
  if (base === null || payload.type !== 'delete') return null;
  const { sandbox, file_bytes: bytes } = payload;
  if (region === null) return named(id, { kind: 'change', change: restorationOf({ path, sandbox, ref: base, bytes }) });
  const content = region.old.join('');
  if (blobSha(encodeText(content)) !== base.blob) return null;
  return named(id, buildWrite({ path, sandbox, file: null, content, seenBlob: null, mode: base.mode }));
}

/** The move back. Null for what is no move. */
export function undoMove({ id, undone }: UndoneWhole): Built | null {
  const { path: from, from: to, result: ref, payload } = undone;
  if (to === null || ref === null || payload.type !== 'move') return null;
  const { sandbox, file_lines: lines, file_bytes: bytes } = payload;
  return named(id, { kind: 'change', change: moveOf({ from, to, sandbox, ref, lines, bytes }) });
}

function named(id: string, built: Built): Built {
  if (built.kind === 'refused') return built;
  const { payload } = built.change;
  const description = describeUndoAs(id, payload.description);
  return { kind: 'change', change: { ...built.change, payload: { ...payload, description } } };
}
