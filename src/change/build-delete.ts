import type { Built } from './build-edit.ts';
import type { BlobRef, Change, Region } from './change.ts';
import { describeDelete } from './describe.ts';
import { changeDigest } from './digest.ts';
import { lineTable } from './line-table.ts';
import { muchTooLong, type StoredFile } from './refusals.ts';
import { EMPTY_REGION, regionBetween } from './region.ts';
import { diffOfBlocks } from './reviewable-diff.ts';
import { decodeText } from './text.ts';

/** A `delete_file` call on a file as it stands; the path has been checked, `sandbox` is the repository's name. */
export type DeleteInput = { readonly path: string; readonly sandbox: string; readonly file: StoredFile };

/** A file that goes, without its bytes. */
type Going = {
  readonly path: string;
  /** The repository's name. */
  readonly sandbox: string;
  readonly ref: BlobRef;
  readonly bytes: number;
};

/** What goes, in lines; all null where the file is not text. */
type Lost = { readonly region: Region | null; readonly diff: string | null; readonly lines: number | null };

const NO_LINES: Lost = { region: null, diff: null, lines: null };

type Read = { readonly kind: 'lost'; readonly lost: Lost } | { readonly kind: 'refused'; readonly output: string };

/** Builds the change that a `delete_file` call asks for. Of a text every line is shown; anything else is named by its blob. */
export function buildDelete(input: DeleteInput): Built {
  const read = lostWith(input.path, input.file.bytes);
  if (read.kind === 'refused') return read;
  const { path, sandbox, file } = input;
  const going = { path, sandbox, ref: file.ref, bytes: file.bytes.length };
  return { kind: 'change', change: deletionOf(going, read.lost) };
}

function lostWith(path: string, bytes: Uint8Array): Read {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return { kind: 'lost', lost: NO_LINES };
  const much = muchTooLong(path, decoded.text.length);
  if (much !== null) return { kind: 'refused', output: much };
  const region = regionBetween(decoded.text, '') ?? EMPTY_REGION;
  const base = lineTable(decoded.text);
  const blocks = base.count === 0 ? [] : [{ index: 0, old: region.old, new: [] }];
  const shown = diffOfBlocks({ path, exists: true, goes: true, base }, blocks);
  return shown.kind === 'refused' ? shown : { kind: 'lost', lost: { region, diff: shown.diff, lines: base.count } };
}

/** A deletion as a change; of a file that is not text where no lines are given. */
export function deletionOf({ path, sandbox, ref, bytes }: Going, { region, diff, lines }: Lost = NO_LINES): Change {
  const { blob, mode } = ref;
  const body =
    region === null
      ? ({ kind: 'blobs', oldBlob: blob, newBlob: null } as const)
      : ({ kind: 'region', region } as const);
  return {
    op: 'delete',
    path,
    from: null,
    base: ref,
    result: null,
    region,
    places: 1,
    standsOnce: false,
    digest: changeDigest({ op: 'delete', path, fromPath: null, oldMode: mode, newMode: null, body }),
    payload: {
      type: 'delete',
      description: describeDelete(path),
      path,
      sandbox,
      unified_diff: diff,
      file_lines: lines,
      file_bytes: bytes,
    },
  };
}
