import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type OptionsResult, optionsProblem, parseOptions } from '../../src/cli/options.ts';
import { POSITIVE_INTEGER } from '../shared/positive-integer.ts';

export type FidelityOptions = Omit<RepositoryTrial, 'repo'> & {
  readonly source: FidelitySource;
};

/** One repository, or a folder with several. */
type FidelitySource = { readonly kind: 'repository' | 'folder'; readonly path: string };

/** A trial of one repository. */
export type RepositoryTrial = {
  readonly repo: string;
  /** A revision range of `git log`. */
  readonly range: string;
  /** The pull request shows the changes of the parent commit, or all lines of the files that the commit changes. */
  readonly diffBase: DiffBase;
  /** Limit of file changes; null for all. */
  readonly maxChanges: number | null;
  readonly threads: number;
};

export type DiffBase = 'parent' | 'files';

export const FIDELITY_HELP = `Usage: npm run fidelity -- --repo PATH | --repos FOLDER
                           [--range RANGE] [--show files] [--max N] [--threads T]

Proposes every file change of a repository's commits on a pull request that shows the parent commit,
applies it in every way that people have, and compares the bytes with those of the commit.

  --repo PATH    the repository; it is only read
  --repos FOLDER tries every repository in this folder, and sums the results
  --range RANGE  a revision range of git log; default is HEAD with all its ancestors
  --show files   the pull request adds the files that a commit changes, so that suggestion blocks are possible
                 on all their lines; default is parent: it shows the changes of the parent commit
  --max N        stop after N file changes of a repository, newest first
  --threads T    number of threads; default is the number of processors
  --help         this text

Exit codes: 0 if all bytes are equal, 1 if any differ, 2 if it could not start.
`;

const OPTIONS = {
  repo: { type: 'string' },
  repos: { type: 'string' },
  range: { type: 'string' },
  show: { type: 'string' },
  max: { type: 'string' },
  threads: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Parses the arguments of `npm run fidelity`. Never throws. */
export function readFidelityOptions(argv: readonly string[]): OptionsResult<FidelityOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  return parseOptions('npm run fidelity --', parse, ({ values }) => {
    const { repo, repos, range = 'HEAD', show: diffBase = 'parent', max } = values;
    const { threads = String(availableParallelism()) } = values;
    if (repo !== undefined && repos !== undefined) return optionsProblem('Use only one of --repo and --repos.');
    const path = repo ?? repos;
    if (path === undefined) return optionsProblem('--repo PATH is missing.');
    if (diffBase !== 'parent' && diffBase !== 'files') return optionsProblem('--show must be parent or files.');
    if (max !== undefined && !POSITIVE_INTEGER.test(max))
      return optionsProblem('--max must be a positive whole number.');
    if (!POSITIVE_INTEGER.test(threads)) return optionsProblem('--threads must be a positive whole number.');
    const maxChanges = max === undefined ? null : Number(max);
    const source = { kind: repo === undefined ? 'folder' : 'repository', path } as const;
    return { kind: 'options', options: { source, range, diffBase, maxChanges, threads: Number(threads) } };
  });
}
