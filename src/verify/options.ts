import { parseArgs } from 'node:util';
import { type OptionsReading, onlyWord, readOptions as read } from '../options/read-options.ts';

/** Which commits are to be checked, and how; null is “not given”. */
export type VerifyOptions = {
  /** As `git log` takes it. */
  readonly range: string;
  readonly repo: string;
  readonly slug: string | null;
  readonly strict: boolean;
  readonly json: boolean;
};

export const VERIFY_HELP = `Usage: countersign verify <range> [options]

Checks with git's objects alone, offline, that the commits which the App made hold exactly the changes
that their trailers name, byte for byte, and nothing else.

  <range>      commits as git log takes them: main..HEAD, v1.0.., or one name for it and all before
  --repo PATH  the repository; default is the current directory
  --slug NAME  the App's name on GitHub, so that commits by other Apps count as copies
  --strict     hold copies of our commits (squashed, rebased, unsigned) to their trailers too
  --json       the same for programs
  --help       this text

Ends with 0 where everything holds, 1 where anything does not or could not be checked, 2 where it
could not begin. Copies are listed and are no failure, because trailers name lines of another parent.
`;

const OPTIONS = {
  repo: { type: 'string' },
  slug: { type: 'string' },
  strict: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const RANGE = {
  missing: 'The range is missing, such as main..HEAD.',
  several: 'One range is checked at a time.',
};

/** Reads what stands behind `countersign verify`. Never throws. */
export function readOptions(argv: readonly string[]): OptionsReading<VerifyOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: true });
  return read('countersign verify', parse, ({ values, positionals }) => {
    const range = onlyWord(positionals, RANGE);
    if (range.kind === 'problem') return range;
    const { repo = '.', slug = null, strict = false, json = false } = values;
    return { kind: 'options', options: { range: range.options, repo, slug, strict, json } };
  });
}
