import type { z } from 'zod';
import type { Change, Region } from './change.ts';
import { changeDigest } from './digest.ts';
import type { LineTable } from './line-table.ts';
import { bareLine, countLines } from './lines.ts';
import { placesWithContext, sidesOf } from './locate.ts';
import type { EditPayload } from './payload.ts';
import type { StoredFile } from './refusals.ts';

type Told =
  | 'description'
  | 'sandbox'
  | 'old_string'
  | 'new_string'
  | 'replace_all'
  | 'unified_diff'
  | 'match_line'
  | 'match_count';

/** What people are told of an edit beside what follows from its file. */
export type EditWords = Pick<z.infer<typeof EditPayload>, Told> & {
  /** Up to three lines on each side of the first match. */
  readonly above: readonly string[];
  readonly below: readonly string[];
};

/**
 * An edit that has been worked out: `blob` is what `file`, whose lines are `base`, becomes; `alone` says whether the region's
 * old lines are known to stand with their context once.
 */
export type Edited = {
  readonly path: string;
  readonly file: StoredFile;
  readonly base: LineTable;
  readonly blob: string;
  readonly region: Region;
  readonly places: number;
  readonly alone: boolean;
  readonly words: EditWords;
};

/** The change of a model's edit, or of the reverse of one. */
export function editedChange({ path, file, base, blob, region, places, alone, words }: Edited): Change {
  const { mode } = file.ref;
  const body = { kind: 'region', region } as const;
  const { above, below, ...told } = words;
  return {
    op: 'edit',
    path,
    from: null,
    base: file.ref,
    result: { blob, mode },
    region,
    places,
    standsOnce: alone || placesWithContext(base, sidesOf(region), 'old').length === 1,
    digest: changeDigest({ op: 'edit', path, fromPath: null, oldMode: mode, newMode: mode, body }),
    payload: {
      type: 'edit',
      path,
      ...told,
      diff_lines: countLines(words.unified_diff),
      context_before: contextText(above),
      context_after: contextText(below),
      file_lines: base.count,
      file_bytes: file.bytes.length,
    },
  };
}

function contextText(lines: readonly string[]): string {
  return lines.map(bareLine).join('\n');
}
