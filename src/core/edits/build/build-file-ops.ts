import type { FileChange, StoredFile } from '../change.ts';
import { digestAtRegion } from '../digest.ts';
import { MAX_FILE_BYTES } from '../text/limits.ts';
import { countLines } from '../text/lines.ts';
import { type BuildResult, buildChange } from './build-change.ts';
import { refuse, versionOf } from './file-version.ts';

/** A call on a stored file. The path is already checked. */
type FileInput = { readonly path: string; readonly repositoryName: string; readonly file: StoredFile };

/** Builds the change of a `delete_file` call. It stores every line of a text, and the blob of any other file. */
export function buildDelete({ path, repositoryName, file }: FileInput): BuildResult {
  const before = versionOf(file);
  if (before.text !== null && before.bytes > MAX_FILE_BYTES)
    return refuse(
      `Not proposed: ${path} has ${before.bytes} bytes and at most ${MAX_FILE_BYTES} bytes of text can be deleted. A person must delete it.`,
    );
  return buildChange({ op: 'delete', path, repositoryName, before, after: null });
}

/** A `move_file` call on a stored file. Both paths are already checked, and no file is at `to`. */
type MoveInput = {
  readonly from: string;
  readonly to: string;
  readonly repositoryName: string;
  readonly file: StoredFile;
  /** The file with its new bytes, where they change as well. */
  readonly after?: StoredFile;
};

/** Builds the change of a `move_file` call. */
export function buildMove({ from, to, repositoryName, file, after = file }: MoveInput): BuildResult {
  const [before, moved] = [versionOf(file), versionOf(after)];
  if (after.ref.blob !== file.ref.blob && (before.text === null || moved.text === null))
    return refuse(`Not proposed: ${from} is not text, so it can only be moved as it is.`);
  return buildChange({ op: 'move', path: to, from, repositoryName, before, after: moved });
}

/** Builds the proposal that a file is read. It holds nothing of the file's content but its size. */
export function buildRead({ path, repositoryName, file }: FileInput): FileChange {
  const { ref, text, bytes } = versionOf(file);
  const change = {
    op: 'read',
    path,
    from: null,
    base: ref,
    result: null,
    region: null,
    placeCount: 1,
    uniqueInBase: false,
    payload: {
      type: 'read',
      description: `Read ${path}`,
      path,
      sandbox: repositoryName,
      file_lines: text === null ? null : countLines(text),
      file_bytes: bytes,
      file_exists: true,
    },
  } as const;
  return { ...change, digest: digestAtRegion(change, null) };
}
