import type { BlobRef, Change } from './change.ts';
import { describeRestore } from './describe.ts';
import { changeDigest } from './digest.ts';

/** A file that is not text and comes back, without its bytes: the repository has its blob. */
export type Restored = {
  readonly path: string;
  /** The repository's name. */
  readonly sandbox: string;
  readonly ref: BlobRef;
  readonly bytes: number;
};

/** A deleted file's return as a change: a write of a new file that names its blob instead of lines. */
export function restorationOf({ path, sandbox, ref, bytes }: Restored): Change {
  const { blob, mode } = ref;
  const body = { kind: 'blobs', oldBlob: null, newBlob: blob } as const;
  return {
    op: 'write',
    path,
    from: null,
    base: null,
    result: ref,
    region: null,
    places: 1,
    standsOnce: false,
    digest: changeDigest({ op: 'write', path, fromPath: null, oldMode: null, newMode: mode, body }),
    payload: {
      type: 'write',
      description: describeRestore(path),
      path,
      sandbox,
      content: null,
      content_lines: null,
      content_bytes: bytes,
      preview: null,
      preview_truncated: false,
      file_exists: false,
      existing_lines: null,
      existing_bytes: null,
      unified_diff: null,
    },
  };
}
