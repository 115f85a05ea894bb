import process from 'node:process';
import { escapeHiddenAndCr, escapeHiddenInJson } from '../../core/edits/text/characters.ts';
import { findChangeTrailers } from '../../core/policy/commit-message.ts';
import { pluralize } from '../../lib/format.ts';
import { isShallow, listCommitRange, openRepository } from '../git/repository.ts';
import { GitError, GitNotInstalledError, gitDirectory } from '../git/run-git.ts';
import { defineCommand, OptionsError, reportProblem, runCommand, singleArgument } from '../options.ts';
import { formatTable } from '../table.ts';
import { type AppRule, type VerifiedChange, verifyCommit } from './check-commit.ts';

const VERIFY_COMMAND = defineCommand({
  name: 'countersign verify',
  help: `Usage: countersign verify <range> [options]

Checks that the commits in the App's name hold exactly the changes that their trailers name, byte for byte, and
nothing else. Reads git objects only: no network, no database, no credentials.

  <range>      commits in the syntax of git log, such as main..HEAD or v1.0..
  --repo PATH  the repository; default is the current directory
  --slug NAME  the App's name on GitHub: its commits without trailers are failures, and those of other Apps copies
  --host NAME  the host of the GitHub server; default is github.com
  --json       print JSON for programs
  --help       print this text

Exit code: 0 if all changes hold, 1 if one does not or could not be checked, 2 if the check could not begin.
Commits of others with the trailers, as after a squash, are listed as copies.
Author and committer are names that everybody can write; git verify-commit checks who made a commit.
`,
  options: {
    ...{ repo: { type: 'string' }, slug: { type: 'string' }, host: { type: 'string' } },
    json: { type: 'boolean' },
  },
  takesArguments: true,
  read({ repo = '.', slug = null, host = 'github.com', json = false }, positionals) {
    const range = singleArgument(positionals, 'Give one range, such as main..HEAD.');
    if (!/^[a-z0-9.-]+$/i.test(host)) throw new OptionsError('--host needs the name of a host, such as github.com.');
    return { range, repo, slug, host, json };
  },
});

type VerifyOptions = ReturnType<typeof VERIFY_COMMAND.read>;

/** Runs `countersign verify`. Exit code: 0 if all changes hold, 1 if one does not, 2 if the check could not begin. */
export function runVerify(argv: readonly string[]): Promise<number> {
  return runCommand(VERIFY_COMMAND, argv, verify);
}

async function verify(options: VerifyOptions): Promise<number> {
  const { range, repo, slug, host, json } = options;
  try {
    const gitDir = await gitDirectory(repo);
    const rows = await verifyRange({ gitDir, range, slug, host });
    const asJson = () => JSON.stringify({ range, ...countResults(rows), changes: rows, proof: PROOF }, null, 2);
    process.stdout.write(json ? `${escapeHiddenInJson(asJson())}\n` : formatVerification(range, rows));
    return rows.some(({ result }) => result === 'mismatch' || result === 'unchecked') ? 1 : 0;
  } catch (error) {
    if (error instanceof GitNotInstalledError) return reportProblem(VERIFY_COMMAND.name, error.message);
    if (error instanceof GitError) return reportProblem(VERIFY_COMMAND.name, withHint(error.message, options));
    throw error;
  }
}

/** Adds the next step to git's error. */
function withHint(message: string, { range, repo }: Pick<VerifyOptions, 'range' | 'repo'>): string {
  if (/not a git repository|cannot change to/.test(message)) return `${repo} is not a git repository. Use --repo PATH.`;
  if (/bad revision|unknown revision|ambiguous argument|bad object|Invalid revision range/i.test(message))
    return `This repository has no commits ${range}: ${message}. Fetch them first.`;
  if (/promisor|is missing|protocol|transport|lazy fetching/.test(message))
    return `Objects are missing here: ${message}. In a partial clone, run git fetch --refetch --no-filter first.`;
  if (/dubious ownership/.test(message))
    return `${message}. Its owner can run this, or add it to git's safe.directory.`;
  return `${message}. Run git fsck in ${repo} to see what is wrong.`;
}

type RangeRequest = Omit<AppRule, 'isShallow'> & { readonly gitDir: string; readonly range: string };

/**
 * Checks all commits of a range, oldest first. Throws a `GitError` for an unknown range or a damaged repository, and a
 * `GitNotInstalledError` without git.
 */
export async function verifyRange({ gitDir, range, ...rule }: RangeRequest): Promise<readonly VerifiedChange[]> {
  const git = openRepository(gitDir);
  const commits = await listCommitRange(gitDir, range);
  const naming = commits.filter(({ message }) => findChangeTrailers(message).length > 0);
  const bots = new Set(naming.map(({ author }) => author.name.toLowerCase()));
  const fullRule = { ...rule, bots, isShallow: await isShallow(gitDir) };
  const rows: VerifiedChange[] = [];
  for (const commit of commits) rows.push(...(await verifyCommit(git, commit, fullRule)));
  return rejectRepetitions(rows);
}

/** The App commits each change once, so a second commit with the same trailers is a forgery. */
function rejectRepetitions(rows: readonly VerifiedChange[]): readonly VerifiedChange[] {
  const seen = new Map<string, string>();
  return rows.map((row) => {
    if (row.result !== 'ok') return row;
    const key = `${row.proposal} ${row.digest}`;
    const first = seen.get(key) ?? row.commit;
    seen.set(key, first);
    return first === row.commit
      ? row
      : { ...row, result: 'mismatch', problem: `${first.slice(0, 7)} holds it already` };
  });
}

const HEADINGS = ['commit', 'change', 'path', 'digest', 'approved by', 'committed by', 'result'];

const COMMIT_DIGITS = 7;

const DIGEST_DIGITS = 12;

/** Number of rows by result. */
function countResults(rows: readonly VerifiedChange[]): Readonly<Record<VerifiedChange['result'], number>> {
  const counts = { ok: 0, mismatch: 0, copied: 0, unchecked: 0 };
  for (const { result } of rows) counts[result] += 1;
  return counts;
}

/** One line that says what the result proves. */
export const PROOF =
  'ok proves that a commit holds exactly what its digests name. It does not prove who made a commit: everybody can write these names and trailers, and git verify-commit checks a signature.';

/** A table with one row per change, a summary line, and a last line about the proof. Ends with a newline. */
function formatVerification(range: string, rows: readonly VerifiedChange[]): string {
  if (rows.length === 0) return `No commit of ${escapeHiddenAndCr(range)} has trailers of Countersign.\n`;
  return `${formatTable([HEADINGS, ...rows.map(toCells)])}\n${summaryLine(range, rows)}\n${PROOF}\n`;
}

function toCells({ commit, proposal, path, digest, approvedBy, committedBy, result, problem }: VerifiedChange) {
  return [
    commit.slice(0, COMMIT_DIGITS),
    proposal ?? '–',
    path ?? '?',
    digest?.slice(0, DIGEST_DIGITS) ?? '–',
    approvedBy.join(', ') || '–',
    committedBy,
    problem === null ? RESULT_TEXT[result] : `${RESULT_TEXT[result]}: ${problem}`,
  ];
}

const RESULT_TEXT: Readonly<Record<VerifiedChange['result'], string>> = {
  ok: 'ok',
  mismatch: 'MISMATCH',
  copied: 'copied',
  unchecked: 'not checked',
};

function summaryLine(range: string, rows: readonly VerifiedChange[]): string {
  const counts = countResults(rows);
  const commits = pluralize(new Set(rows.map(({ commit }) => commit)).size, 'commit');
  const parts = [
    `${counts.ok} ok`,
    ...(counts.mismatch === 0 ? [] : [`${counts.mismatch} mismatched`]),
    ...(counts.copied === 0 ? [] : [`${counts.copied} copied`]),
    ...(counts.unchecked === 0 ? [] : [`${counts.unchecked} not checked`]),
  ];
  return `${commits} of ${escapeHiddenAndCr(range)}: ${parts.join(', ')}.`;
}
