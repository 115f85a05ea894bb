import { blobSha } from '../change/blob.ts';
import type { Region } from '../change/change.ts';
import { sameLines } from '../change/lines.ts';
import { composeFile } from '../change/range.ts';
import { encodeText } from '../change/text.ts';
import { type Signing, type StandingFile, type StandingFiles, standingAt, type Written } from './signing.ts';

/** All changes of one file's lines, composed from what stands there now. Throws where they are not exactly what was shown. */
export function writeLines(path: string, signings: readonly Signing[], files: StandingFiles): Written {
  const file = standingAt(path, files);
  const composed = composeFile(textOf(path, file), signings.map(regionOf));
  const bytes = encodeText(composed.text);
  const after = blobSha(bytes);
  checkResult(signings, file, after);
  const ranges = new Map(
    signings.flatMap(({ proposal }, at) => {
      const range = composed.ranges[at];
      return range === undefined ? [] : [[proposal.id, range] as const];
    }),
  );
  const mode = file?.ref.mode ?? signings[0]?.proposal.change.result?.mode ?? '100644';
  return {
    writes: [{ path, mode, content: { kind: 'bytes', bytes } }],
    files: [{ path, before: file?.ref.blob ?? null, after, ranges: [...ranges.values()] }],
    ranges,
  };
}

function regionOf({ proposal, region }: Signing): Region {
  const { change } = proposal;
  if (region === null || change.region === null) throw new Error(`Proposal ${proposal.id} has no lines to write`);
  const same = sameLines(region.old, change.region.old) && sameLines(region.new, change.region.new);
  if (!same) throw new Error(`Proposal ${proposal.id} would write other lines than were shown`);
  return region;
}

function textOf(path: string, file: StandingFile | null): string {
  if (file === null) return '';
  if (file.text === null) throw new Error(`${path} is no text at the head`);
  return file.text;
}

/** Where a change comes alone on the very file it was made for, its result must be the blob that was promised. */
function checkResult(signings: readonly Signing[], file: StandingFile | null, after: string): void {
  const [only, ...more] = signings;
  if (only === undefined || more.length > 0) return;
  const { id, change } = only.proposal;
  const untouched = (change.base?.blob ?? null) === (file?.ref.blob ?? null);
  if (untouched && change.result?.blob !== after)
    throw new Error(`Proposal ${id} would make other bytes than were shown`);
}
