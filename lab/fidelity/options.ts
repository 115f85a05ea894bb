import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type OptionsResult, optionsProblem, parseOptions as read } from '../../src/cli/options.ts';

export type FidelityOptions = {
  readonly repo: string;
  /** As `git log` takes it. */
  readonly range: string;
  /** What the pull request shows: what the parent commit did, or all lines of the files that the commit changes. */
  readonly diffBase: DiffBase;
  /** File changes after which it stops; null for all. */
  readonly maxChanges: number | null;
  /** How many changes are tried at once. */
  readonly threads: number;
};

export type DiffBase = 'parent' | 'files';

export const FIDELITY_HELP = `Usage: npm run fidelity -- --repo PATH [--range RANGE] [--show files] [--max N] [--threads T]

Takes every file change of a repository's commits as the proposal of an agent on a pull request that shows
the parent commit, lets people make it in every way, and compares the bytes with those of the commit.

  --repo PATH    the repository; it is only read
  --range RANGE  commits as git log takes them; default is HEAD and all before
  --show files   the pull request adds the files that a commit changes, so that suggestion blocks may stand
                 on all of their lines; default is parent: it shows what the parent commit did
  --max N        stop after N file changes, newest first
  --threads T    how many threads work; default is all processors
  --help         this text

Ends with 0 where all bytes are the same, 1 where any are not, 2 where it could not begin.
`;

const OPTIONS = {
  repo: { type: 'string' },
  range: { type: 'string' },
  show: { type: 'string' },
  max: { type: 'string' },
  threads: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const POSITIVE_INTEGER = /^[1-9]\d{0,8}$/;

/** Reads what stands behind `npm run fidelity --`. Never throws. */
export function readFidelityOptions(argv: readonly string[]): OptionsResult<FidelityOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  return read('npm run fidelity --', parse, ({ values }) => {
    const { repo, range = 'HEAD', show: diffBase = 'parent', max, threads = String(availableParallelism()) } = values;
    if (repo === undefined) return optionsProblem('--repo PATH is missing.');
    if (diffBase !== 'parent' && diffBase !== 'files') return optionsProblem('--show is parent or files.');
    if (max !== undefined && !POSITIVE_INTEGER.test(max)) return optionsProblem('--max needs a number.');
    if (!POSITIVE_INTEGER.test(threads)) return optionsProblem('--threads needs a number.');
    const maxChanges = max === undefined ? null : Number(max);
    return {
      kind: 'options',
      options: { repo, range, diffBase, maxChanges, threads: Number(threads) },
    };
  });
}
