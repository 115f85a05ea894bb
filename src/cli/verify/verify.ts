import process from 'node:process';
import { parseArgs } from 'node:util';
import { escapeHiddenInJson } from '../../core/edits/text/unicode.ts';
import { listGitCommits, openGitObjects } from '../git/objects.ts';
import { GitError, GitNotInstalledError, gitDirectory } from '../git/run-git.ts';
import { findSignatureProblem } from '../git/signatures.ts';
import {
  type OptionsResult,
  optionsProblem,
  parseOptions,
  reportProblem,
  runCommand,
  singleArgument,
} from '../options.ts';
import { type VerifiedChange, verifyCommit } from './check-commit.ts';
import type { OriginRule } from './commit-origin.ts';
import { countResults, describeProof, formatVerification } from './text.ts';

/** The options of `countersign verify`. */
type VerifyOptions = {
  /** In the syntax of `git log`. */
  readonly range: string;
  readonly repo: string;
  readonly slug: string | null;
  readonly host: string;
  /** Fingerprints in upper case. */
  readonly keys: readonly string[];
  readonly strict: boolean;
  readonly json: boolean;
};

/** The server of commits, unless `--host` names another one. */
export const DEFAULT_HOST = 'github.com';

const VERIFY_HELP = `Usage: countersign verify <range> [options]

Checks that the App's commits hold exactly the changes that their trailers name, byte for byte, and nothing else.
Reads git objects only: no network, no database, no credentials.

  <range>      commits in the syntax of git log, such as main..HEAD or v1.0..
  --repo PATH  the repository; default is the current directory
  --slug NAME  the App's name on GitHub: commits of other Apps count as copies
  --host NAME  the host of the GitHub server; default is github.com
  --key FPR    the fingerprint of the key that must have signed, such as GitHub's; several with commas;
               gpg must know the key; includes --strict
  --strict     copies are failures; commits need no signature (for servers that do not sign)
  --json       print JSON for programs
  --help       print this text

Exit code: 0 if all changes hold, 1 if one does not or could not be checked, 2 if the check could not begin.
Copies (squashed, rebased or unsigned commits) are listed. They are failures only with --strict or --key.
Author and committer are names that everybody can write; only --key checks who made a commit.
`;

const VERIFY_OPTIONS = {
  repo: { type: 'string' },
  slug: { type: 'string' },
  host: { type: 'string' },
  key: { type: 'string' },
  strict: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const RANGE_PROBLEMS = {
  missing: 'The range is missing, such as main..HEAD.',
  several: 'Only one range can be checked at a time.',
};

/** Parses the arguments of `countersign verify`. Never throws. */
function parseVerifyOptions(argv: readonly string[]): OptionsResult<VerifyOptions> {
  const parse = () => parseArgs({ args: [...argv], options: VERIFY_OPTIONS, strict: true, allowPositionals: true });
  return parseOptions('countersign verify', parse, ({ values, positionals }) => {
    const range = singleArgument(positionals, RANGE_PROBLEMS);
    if (range.kind === 'problem') return range;
    const { repo = '.', slug = null, host = DEFAULT_HOST, strict = false, json = false } = values;
    const keys = values.key?.replaceAll(' ', '').toUpperCase().split(',') ?? [];
    if (!keys.every((key) => FINGERPRINT.test(key)))
      return optionsProblem('--key needs the fingerprint of a key, which has 40 hex digits.');
    if (!isHostName(host)) return optionsProblem('--host needs the name of a host, such as github.com.');
    return { kind: 'options', options: { range: range.value, repo, slug, host, keys, strict, json } };
  });
}

/** As GnuPG writes them. Shorter key ids can be forged. */
const FINGERPRINT = /^(?:[0-9A-F]{40}|[0-9A-F]{64})$/;

/** Whether this can be the host of a server, without scheme, port and path. */
export function isHostName(text: string): boolean {
  return /^[a-z0-9.-]+$/i.test(text);
}

/** Runs `countersign verify`. Exit code: 0 if all changes hold, 1 if one does not, 2 if the check could not begin. */
export function runVerify(argv: readonly string[]): Promise<number> {
  return runCommand(VERIFY_COMMAND, parseVerifyOptions(argv), verify);
}

const VERIFY_COMMAND = { name: 'countersign verify', help: VERIFY_HELP };

async function verify(options: VerifyOptions): Promise<number> {
  try {
    const { range, repo } = options;
    const gitDir = await gitDirectory(repo);
    const rows: VerifiedChange[] = [];
    for await (const row of verifyRange({ gitDir, range, ...toOriginRule(gitDir, options) })) rows.push(row);
    const proof = describeProof(options);
    process.stdout.write(
      options.json ? formatVerificationJson(range, rows, proof) : formatVerification(range, rows, proof),
    );
    return rows.some(({ result }) => result === 'mismatch' || result === 'unchecked') ? 1 : 0;
  } catch (error) {
    if (error instanceof GitNotInstalledError) return reportProblem(VERIFY_COMMAND.name, error.message);
    if (error instanceof GitError) return reportProblem(VERIFY_COMMAND.name, withHint(error.message, options));
    throw error;
  }
}

function toOriginRule(gitDir: string, { slug, host, keys, strict }: VerifyOptions): OriginRule {
  const rule = { slug, host, isRequired: strict || keys.length > 0 };
  if (keys.length === 0) return rule;
  return { ...rule, findSignatureProblem: (commit) => findSignatureProblem(gitDir, commit, keys) };
}

function formatVerificationJson(range: string, rows: readonly VerifiedChange[], proof: string): string {
  return `${escapeHiddenInJson(JSON.stringify({ range, ...countResults(rows), changes: rows, proof }, null, 2))}\n`;
}

/** Adds the next step to git's error. */
export function withHint(message: string, { range, repo }: Pick<VerifyOptions, 'range' | 'repo'>): string {
  if (/not a git repository|cannot change to/.test(message)) return `${repo} is not a git repository. Use --repo PATH.`;
  if (/bad revision|unknown revision|ambiguous argument|bad object|Invalid revision range/i.test(message))
    return `This repository has no commits ${range}: ${message}. Fetch them first.`;
  if (/promisor|is missing|protocol|transport|lazy fetching/.test(message))
    return `Objects are missing here: ${message}. In a partial clone, run git fetch --refetch --no-filter first.`;
  if (/dubious ownership/.test(message))
    return `${message}. Its owner can run this, or add it to git's safe.directory.`;
  return `${message}. Run git fsck in ${repo} to see what is wrong.`;
}

type RangeRequest = OriginRule & { readonly gitDir: string; readonly range: string };

/** All commits: git's own search for trailers ends at a NUL, and does not see each line as people do. */
const OLDEST_FIRST = ['--topo-order', '--reverse'];

/**
 * Checks all commits of a range with trailers, oldest first. Throws a `GitError` for an unknown range or a damaged
 * repository, and a `GitNotInstalledError` without git.
 */
export async function* verifyRange({ gitDir, range, ...rule }: RangeRequest): AsyncGenerator<VerifiedChange> {
  const objects = openGitObjects(gitDir);
  const seen = new Map<string, string>();
  try {
    for await (const commit of listGitCommits({ gitDir, range, options: OLDEST_FIRST })) {
      for (const row of await verifyCommit(objects, commit, rule)) yield rejectRepetition(row, seen);
    }
  } finally {
    await objects.close();
  }
}

/**
 * The App commits each change once, so a second commit with the same trailers is a forgery. Two places can be alike.
 */
function rejectRepetition(row: VerifiedChange, seen: Map<string, string>): VerifiedChange {
  if (row.result !== 'ok') return row;
  const key = `${row.proposal} ${row.digest}`;
  const first = seen.get(key);
  if (first === undefined) seen.set(key, row.commit);
  return first === undefined || first === row.commit
    ? row
    : { ...row, result: 'mismatch', problem: `${first.slice(0, 7)} holds it already` };
}
