import { blobSha } from '../change/blob.ts';
import type { BlobRef } from '../change/change.ts';
import { rangeOf } from '../change/range.ts';
import { applyRegion } from '../change/region.ts';
import { encodeText } from '../change/text.ts';
import { restores } from '../change/touched.ts';
import { type Signing, type StandingFile, type StandingFiles, standingAt, type Written } from './signing.ts';

/** A file that goes. Throws unless it is the very one that was shown, and, where it is text, all of its lines were. */
export function writeDeletion({ proposal }: Signing, files: StandingFiles): Written {
  const { id, change } = proposal;
  const { path, region } = change;
  const { ref, text } = theOneShown(id, change.base, standingAt(path, files));
  const shown = region === null ? text === null : text !== null && leavesNothing(text, ref, region);
  if (!shown || change.result !== null) throw new Error(`Proposal ${id} would delete other lines than were shown`);
  const range = region === null ? [] : [rangeOf(region)];
  return {
    writes: [{ path, mode: ref.mode, content: { kind: 'gone' } }],
    files: [{ path, before: ref.blob, after: null, ranges: range }],
    ranges: new Map(range.map((one) => [id, one])),
  };
}

/** A file under another path, as the same blob. Throws unless it is the one that was shown, and nothing stands where it goes. */
export function writeMove({ proposal }: Signing, files: StandingFiles): Written {
  const { id, change } = proposal;
  const { path, from, result } = change;
  if (from === null) throw new Error(`Proposal ${id} moves no file`);
  const { ref } = theOneShown(id, change.base, standingAt(from, files));
  if (!sameRef(result, ref)) throw new Error(`Proposal ${id} would make another file than was shown`);
  if (standingAt(path, files) !== null) throw new Error(`Proposal ${id} would overwrite ${path}`);
  return {
    writes: [
      { path: from, mode: ref.mode, content: { kind: 'gone' } },
      { path, mode: ref.mode, content: { kind: 'blob', sha: ref.blob } },
    ],
    files: [
      { path: from, before: ref.blob, after: null, ranges: [] },
      { path, before: null, after: ref.blob, ranges: [] },
    ],
    ranges: new Map(),
  };
}

/** A file that comes back as the blob that it was. Throws where it has lines to show, or something stands in its place. */
export function writeRestored({ proposal }: Signing, files: StandingFiles): Written {
  const { id, change } = proposal;
  const { path, result } = change;
  if (!restores(change) || result === null) throw new Error(`Proposal ${id} brings no file back`);
  if (standingAt(path, files) !== null) throw new Error(`Proposal ${id} would overwrite ${path}`);
  return {
    writes: [{ path, mode: result.mode, content: { kind: 'blob', sha: result.blob } }],
    files: [{ path, before: null, after: result.blob, ranges: [] }],
    ranges: new Map(),
  };
}

function theOneShown(id: string, base: BlobRef | null, file: StandingFile | null): StandingFile {
  if (file === null || !sameRef(base, file.ref))
    throw new Error(`Proposal ${id} is about another file than stands here`);
  return file;
}

function sameRef(left: BlobRef | null, right: BlobRef): boolean {
  return left !== null && left.blob === right.blob && left.mode === right.mode;
}

/** The text is that of the blob, and the lines that were shown are all that it has. */
function leavesNothing(text: string, { blob }: BlobRef, region: Parameters<typeof applyRegion>[1]): boolean {
  return blobSha(encodeText(text)) === blob && applyRegion(text, region) === '';
}
