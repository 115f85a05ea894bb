import process from 'node:process';
import { parseArgs } from 'node:util';
import { listGitCommits, openGitObjects } from '../git/objects.ts';
import { GitError, GitNotInstalledError, gitDirectory } from '../git/run-git.ts';
import { type OptionsResult, parseOptions, reportProblem, runCommand, singleArgument } from '../options.ts';
import { type OwnCommitRule, type VerifiedChange, verifyCommit } from './check-commit.ts';
import { countResults, formatVerification } from './text.ts';

/** The options of `countersign verify`. */
export type VerifyOptions = {
  /** In the syntax of `git log`. */
  readonly range: string;
  readonly repo: string;
  readonly slug: string | null;
  readonly strict: boolean;
  readonly json: boolean;
};

export const VERIFY_HELP = `Usage: countersign verify <range> [options]

Checks that the App's commits hold exactly the changes that their trailers name, byte for byte, and nothing else.
Reads git objects only: no network, no database, no credentials.

  <range>      commits in the syntax of git log, such as main..HEAD or v1.0..
  --repo PATH  the repository; default is the current directory
  --slug NAME  the App's name on GitHub: commits of other Apps count as copies
  --strict     check copies and unsigned commits too
  --json       print JSON for programs
  --help       print this text

Exit code: 0 if all changes hold, 1 if one does not or could not be checked, 2 if the check could not begin.
Copies (squashed, rebased or unsigned commits) are listed and are not failures.
`;

const VERIFY_OPTIONS = {
  repo: { type: 'string' },
  slug: { type: 'string' },
  strict: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const RANGE_PROBLEMS = {
  missing: 'The range is missing, such as main..HEAD.',
  several: 'Only one range can be checked at a time.',
};

/** Parses the arguments of `countersign verify`. Never throws. */
export function parseVerifyOptions(argv: readonly string[]): OptionsResult<VerifyOptions> {
  const parse = () => parseArgs({ args: [...argv], options: VERIFY_OPTIONS, strict: true, allowPositionals: true });
  return parseOptions('countersign verify', parse, ({ values, positionals }) => {
    const range = singleArgument(positionals, RANGE_PROBLEMS);
    if (range.kind === 'problem') return range;
    const { repo = '.', slug = null, strict = false, json = false } = values;
    return { kind: 'options', options: { range: range.value, repo, slug, strict, json } };
  });
}

/** Runs `countersign verify`. Exit code: 0 if all changes hold, 1 if one does not, 2 if the check could not begin. */
export function runVerify(argv: readonly string[]): Promise<number> {
  return runCommand(VERIFY_COMMAND, parseVerifyOptions(argv), verify);
}

const VERIFY_COMMAND = { name: 'countersign verify', help: VERIFY_HELP };

async function verify(options: VerifyOptions): Promise<number> {
  try {
    const { range, repo, slug, strict } = options;
    const gitDir = await gitDirectory(repo);
    const rows: VerifiedChange[] = [];
    for await (const row of verifyRange({ gitDir, range, slug, strict })) rows.push(row);
    process.stdout.write(options.json ? formatVerificationJson(range, rows) : formatVerification(range, rows));
    return rows.some(({ result }) => result === 'mismatch' || result === 'unchecked') ? 1 : 0;
  } catch (error) {
    if (error instanceof GitNotInstalledError) return reportProblem(VERIFY_COMMAND.name, error.message);
    if (error instanceof GitError) return reportProblem(VERIFY_COMMAND.name, withHint(error.message, options));
    throw error;
  }
}

function formatVerificationJson(range: string, rows: readonly VerifiedChange[]): string {
  return `${JSON.stringify({ range, ...countResults(rows), changes: rows }, null, 2)}\n`;
}

/** Adds the next step to git's error. */
function withHint(message: string, { range, repo }: VerifyOptions): string {
  if (/not a git repository/.test(message)) return `${repo} is not a git repository. Use --repo PATH.`;
  if (/bad revision|unknown revision|ambiguous argument|bad object|Invalid revision range/i.test(message))
    return `This repository has no commits ${range}: ${message}. Fetch them first.`;
  if (/promisor|is missing|protocol|transport/.test(message))
    return `Objects are missing here: ${message}. In a partial clone, run git fetch --refetch --no-filter first.`;
  return `${message}.`;
}

type RangeRequest = OwnCommitRule & { readonly gitDir: string; readonly range: string };

/** Preselects commits. Their trailers are parsed afterwards. */
const WITH_TRAILERS = ['--topo-order', '--reverse', '--basic-regexp', '--grep=^Countersign-'];

/**
 * Checks all commits of a range with trailers, oldest first. Throws a `GitError` for an unknown range or a damaged
 * repository, and a `GitNotInstalledError` without git.
 */
export async function* verifyRange({ gitDir, range, ...rule }: RangeRequest): AsyncGenerator<VerifiedChange> {
  const objects = openGitObjects(gitDir);
  const seen = new Map<string, string>();
  try {
    for await (const commit of listGitCommits({ gitDir, range, options: WITH_TRAILERS })) {
      for (const row of await verifyCommit(objects, commit, rule)) yield rejectRepetition(row, seen);
    }
  } finally {
    await objects.close();
  }
}

/** The App commits each change once, so a second commit with the same trailers is a forgery. */
function rejectRepetition(row: VerifiedChange, seen: Map<string, string>): VerifiedChange {
  if (row.result !== 'ok') return row;
  const key = `${row.proposal} ${row.digest}`;
  const first = seen.get(key);
  if (first === undefined) seen.set(key, row.commit);
  return first === undefined ? row : { ...row, result: 'mismatch', problem: `${first.slice(0, 7)} holds it already` };
}
