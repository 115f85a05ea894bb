import { MOST_FILE_BYTES } from '../change/limits.ts';
import { oneLine } from './one-line.ts';

/** Why a file that the glob matches and that may be read was not searched. */
export type WhyUnsearched = 'too-large' | 'too-many' | 'not-utf8' | 'binary';

/** How many files were not searched, and the first of them. */
type Left = { readonly files: number; readonly first: readonly string[] };
export type Unsearched = { readonly [Why in WhyUnsearched]?: Left };

const MOST_NAMED = 5;
const LONGEST_NAME = 300;

const REASONS = {
  'too-large': `larger than ${MOST_FILE_BYTES / 1_000_000} MB`,
  'too-many': 'more than one search can fetch; narrow the glob to search them',
  'not-utf8': 'not valid UTF-8',
  binary: 'binary',
} as const satisfies Record<WhyUnsearched, string>;
const WHYS = ['too-large', 'too-many', 'not-utf8', 'binary'] as const satisfies readonly WhyUnsearched[];

/** These files and one more. */
export function withUnsearched(unsearched: Unsearched, path: string, why: WhyUnsearched): Unsearched {
  const { files, first } = unsearched[why] ?? { files: 0, first: [] };
  return { ...unsearched, [why]: { files: files + 1, first: files < MOST_NAMED ? [...first, path] : first } };
}

/** A line for each reason, so that nobody takes a text for one that is nowhere. */
export function unsearchedLines(unsearched: Unsearched): readonly string[] {
  return WHYS.flatMap((why) => {
    const left = unsearched[why];
    return left === undefined ? [] : [lineOf(why, left)];
  });
}

function lineOf(why: WhyUnsearched, { files, first }: Left): string {
  const more = files > first.length ? ` and ${files - first.length} more` : '';
  const count = files === 1 ? '1 file was' : `${files} files were`;
  return `${count} not searched (${REASONS[why]}): ${first.map(nameOf).join(', ')}${more}`;
}

function nameOf(path: string): string {
  const name = oneLine(path);
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}
