import type { Built } from './build-edit.ts';
import type { BlobRef, Change } from './change.ts';
import { describeMove } from './describe.ts';
import { changeDigest } from './digest.ts';
import { countLines } from './lines.ts';
import type { StoredFile } from './refusals.ts';
import { decodeText } from './text.ts';

/** A `move_file` call on a file as it stands; both paths have been checked, and nothing stands at `to`. */
export type MoveInput = {
  readonly from: string;
  readonly to: string;
  /** The repository's name. */
  readonly sandbox: string;
  readonly file: StoredFile;
};

/** A file that moves, without its bytes; `lines` is null where it is not text. */
export type Moving = {
  readonly from: string;
  readonly to: string;
  /** The repository's name. */
  readonly sandbox: string;
  readonly ref: BlobRef;
  readonly lines: number | null;
  readonly bytes: number;
};

/** Builds the change that a `move_file` call asks for. */
export function buildMove({ file, ...paths }: MoveInput): Built {
  const decoded = decodeText(file.bytes);
  const lines = decoded.kind === 'text' ? countLines(decoded.text) : null;
  return { kind: 'change', change: moveOf({ ...paths, ref: file.ref, lines, bytes: file.bytes.length }) };
}

/** A move as a change: the same blob and mode under another path. */
export function moveOf({ from, to, sandbox, ref, lines, bytes }: Moving): Change {
  const { blob, mode } = ref;
  const body = { kind: 'blobs', oldBlob: blob, newBlob: blob } as const;
  return {
    op: 'move',
    path: to,
    from,
    base: ref,
    result: ref,
    region: null,
    places: 1,
    standsOnce: false,
    digest: changeDigest({ op: 'move', path: to, fromPath: from, oldMode: mode, newMode: mode, body }),
    payload: {
      type: 'move',
      description: describeMove(from, to),
      path: to,
      sandbox,
      from,
      file_lines: lines,
      file_bytes: bytes,
    },
  };
}
